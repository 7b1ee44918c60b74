"""Ctrl-C, SIGTERM and a full device: exit codes without a traceback, whenever they come."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.training.processes import ROOT

SCRIPT = """
import atexit, hashlib, os, signal, sys, threading, time
from nhc.cli import main

def work(arguments):
    # As XLA's threads do: they compute on while the interpreter is taken down.
    threading.Thread(target=hashlib.pbkdf2_hmac, args=("sha256", b"", b"", 10**8), daemon=True).start()
    try:
        print("ready", flush=True)
        time.sleep(60)
    except KeyboardInterrupt:
        print("kept", flush=True)
        raise

class Slow:
    # What is raised here is swallowed, as in what a compiler calls back.
    def __del__(self):
        print("ready", flush=True)
        time.sleep(60)

def swallow(arguments):
    Slow()
    time.sleep(60)

def load(name):
    if name == "bench":
        return swallow
    if name == "run":
        print("ready", flush=True)
        time.sleep(60)
    return work

if sys.argv[1] == "ignoring":
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
else:
    signal.signal(signal.SIGINT, signal.default_int_handler)
sys.argv.pop(1)
main.command = load
atexit.register(os.abort)  # nothing is to be taken down
main.main()
"""


def started(tmp_path: Path, *arguments: str) -> subprocess.Popen[str]:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    process = subprocess.Popen(
        [sys.executable, str(script), *arguments],
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT / "src")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize(
    "command", ["run", "train", "bench"], ids=["while it loads", "while it works", "while it is not heard"]
)
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_is_one_line_and_a_code(tmp_path: Path, command: str, sign: signal.Signals) -> None:
    process = started(tmp_path, "as usual", command)
    process.send_signal(sign)
    out, err = process.communicate(timeout=10)
    kept = "kept\n" if command == "train" else ""
    assert (process.returncode, out, err) == (128 + sign, kept, "interrupted\n")


def test_who_was_started_to_ignore_a_signal_goes_on_ignoring_it(tmp_path: Path) -> None:
    process = started(tmp_path, "ignoring", "train")
    process.send_signal(signal.SIGTERM)
    time.sleep(0.2)
    assert process.poll() is None
    process.kill()
    process.communicate()


def test_output_on_a_full_device_has_a_code() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "nhc", "--help"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (
        1,
        "error: output could not be written or read: No space left on device [storage.write]\n",
    )


def test_who_closes_an_output_gets_nothing_there_and_the_same_exit_code() -> None:
    """As `nhc zoo >&-` does."""
    for arguments, closed, code in (("zoo --json", ">&-", 0), ("solve nothing.xsb", "2>&-", 2)):
        line = f'"{sys.executable}" -m nhc {arguments} {closed}'
        done = subprocess.run(["sh", "-c", line], cwd=ROOT, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout, done.stderr) == (code, "", "")

"""The program as a whole: overview, help, exit codes, and errors as one line."""

import os
import sys
from collections.abc import Callable

import pytest

import nhc as package
from nhc.cli import main as module
from nhc.cli.main import COMMANDS, guarded
from nhc.errors import ConfigError, InputError, ModelError, NhcError, Place, StorageError
from tests.cli.command import Command
from tests.training.processes import environment, python


def test_the_overview_names_every_command(nhc: Command) -> None:
    done = nhc("--help")
    assert done == nhc("-h")
    assert (done.code, done.err) == (0, "")
    assert "examples:" in done.out
    for name, text in COMMANDS.items():
        assert f"  {name:<{max(map(len, COMMANDS))}} {text}" in done.out


def test_without_a_command_the_overview_is_an_error_message(nhc: Command) -> None:
    done = nhc()
    assert done.code == 2
    assert "usage: nhc COMMAND" in done.out + done.err


def test_the_version(nhc: Command) -> None:
    assert nhc("--version") == (0, f"nhc {package.__version__}\n", "")


@pytest.mark.parametrize("name", ["bogus", "Train", "", "--bogus", "train "])
def test_an_unknown_command_is_refused_and_the_known_ones_are_named(nhc: Command, name: str) -> None:
    done = nhc(name)
    assert (done.code, done.out, done.error_code) == (2, "", "cli.command")
    assert repr(name) in done.err
    assert all(command in done.err for command in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_of_every_command_has_examples_that_the_command_accepts(nhc: Command, name: str) -> None:
    done = nhc(name, "--help")
    assert (done.code, done.err) == (0, "")
    assert f"usage: nhc {name}" in done.out
    lines = done.out.splitlines()
    examples = [line for line in lines[lines.index("Examples:") :] if line.startswith("nhc ")]
    assert examples
    assert any(line.startswith(f"nhc {name}") for line in examples)
    for line in examples:
        assert nhc(*line.split()[1:], "--help").code == 0


NEEDED = {
    "train": ["plan"],
    "solve": ["zoo:plan"],
    "eval": ["zoo:plan"],
    "bench": ["run"],
    "certify": ["zoo:plan"],
    "check": ["a", "b"],
    "program": ["zoo:plan"],
    "run": ["zoo:plan"],
    "show": ["zoo:plan"],
    "trace": ["zoo:plan"],
    "transfer": ["zoo:plan"],
}
"""What a command asks for before any option."""


@pytest.mark.parametrize("name", COMMANDS)
def test_an_unknown_option_is_refused(nhc: Command, name: str) -> None:
    done = nhc(name, *NEEDED.get(name, []), "--bogus", "1")
    assert (done.code, done.out, done.error_code) == (2, "", "cli.options")
    assert "--bogus" in done.err


def raising(error: BaseException) -> Callable[[list[str]], int]:
    def command(arguments: list[str]) -> int:
        raise error

    return command


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("a.b", "found c", Place("f", 3, 4, 2)), 2, "error: f:3:4 (level 2): found c [a.b]\n"),
        (ConfigError("a.b", "found c"), 2, "error: found c [a.b]\n"),
        (ModelError("a.b", "found c", Place("f")), 2, "error: f: found c [a.b]\n"),
        (StorageError("a.b", "found c"), 1, "error: found c [a.b]\n"),
        (NhcError("a.b", "found c"), 2, "error: found c [a.b]\n"),
        (KeyboardInterrupt(), 130, "interrupted\n"),
    ],
)
def test_errors_become_a_line_and_an_exit_code(
    error: BaseException, code: int, text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert guarded(raising(error), []) == code
    assert capsys.readouterr() == ("", text)


@pytest.mark.parametrize("error", [ZeroDivisionError, AssertionError, RuntimeError])
def test_faults_of_the_program_itself_are_not_hidden(error: type[Exception]) -> None:
    with pytest.raises(error):
        guarded(raising(error()), [])


def test_a_reader_that_goes_away_is_no_traceback(monkeypatch: pytest.MonkeyPatch) -> None:
    with open(os.devnull, "w") as sink:
        monkeypatch.setattr(sys, "stderr", sink)
        assert guarded(raising(BrokenPipeError()), []) == 1


def test_the_exit_code_leaves_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "prepare", lambda environment: None)
    monkeypatch.setattr(sys, "argv", ["nhc", "bogus"])
    with pytest.raises(SystemExit) as caught:
        module.main()
    assert caught.value.code == 2


@pytest.mark.parametrize("columns", ["1", "2", "0", "x"])
def test_help_is_readable_in_a_window_of_any_width(
    nhc: Command, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    done = nhc("doctor", "--help")
    assert (done.code, done.err) == (0, "")
    assert "--json" in done.out


def test_help_comes_without_the_heavy_libraries(tmp_path_factory: pytest.TempPathFactory) -> None:
    """A real process: overview and error of an unknown command without NumPy, the help of all without JAX."""
    code = (
        "import sys; from nhc.cli.main import COMMANDS, run\n"
        "first, second = run(['--help']), run(['bogus'])\n"
        "heavy = ['numpy'] * ('numpy' in sys.modules)\n"
        "lines = [[name] for name in COMMANDS] + [['modules', name] for name in ('train', 'check', 'show')]\n"
        "for line in lines:\n"
        "    try: run([*line, '--help'])\n"
        "    except SystemExit: pass\n"
        "    if 'jax' in sys.modules: heavy += line; break\n"
        "print(heavy); sys.exit(10 * first + second)"
    )
    done = python("-c", code, env=environment(tmp_path_factory))
    assert done.returncode == 2, done.stderr
    assert done.stdout.startswith("usage: nhc COMMAND")
    assert done.stdout.splitlines()[-1] == "[]", "imported what it need not"
    assert done.stderr.endswith("[cli.command]\n")

"""`nhc`: finds the command, and turns what it raises into messages and exit codes.

Exit 0 done, 1 not solved or not written, 2 bad input, 130 interrupted, 143 told to end. Data
to stdout, messages to stderr.
"""

import importlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FrameType

from nhc.cli.start import has_device, prepare
from nhc.errors import ConfigError, NhcError

COMMANDS = {
    "demo": "Train a planner from scratch and watch it solve an unseen level.",
    "train": "Train a machine to search, to plan, or to do one of sixteen other things.",
    "watch": "Follow a training run live in the terminal.",
    "solve": "Solve a planning task with a trained machine.",
    "eval": "Evaluate a trained machine on sampled tasks of each level, or random inputs of each length.",
    "transfer": "Run a trained machine, unchanged, in other worlds.",
    "certify": "Prove that a trained machine is the algorithm, for every task size.",
    "check": "Verify a certificate independently.",
    "show": "Write a page that runs a machine in the browser and shows every tick.",
    "trace": "Step through a run in the terminal, or print every tick for scripts.",
    "figure": "Draw a picture for a paper: SVG or PDF, as wide as a column.",
    "program": "Print the program that a machine learned, or compare machines.",
    "run": "Run what a machine learned on your own input, for millions of ticks.",
    "algorithms": "List the algorithms that a machine can learn.",
    "modules": "Learn the data modules of a world from samples, and check them.",
    "suite": "Learn every algorithm from several seeds, and print how often and how fast.",
    "zoo": "List the trained models that ship with nhc.",
    "reproduce": "Repeat the paper's experiments and set ours beside its statements.",
    "bench": "Measure speed as ratios against naive twins.",
    "doctor": "Check the installation: versions, device, a self-test.",
}

EXAMPLES = """\
examples:
  nhc demo                                    from nothing to a solved level
  nhc train plan --seeds 0..14                fifteen runs over all cores, one table, one picture
  nhc solve zoo:plan level.xsb                plan for your own level
  nhc solve zoo:plan --sample level=8         plan for a random task that needs 32 nodes or so
  nhc run zoo:postfix '3 4 + 2 *'             an answer, of a machine that learned to evaluate
  nhc eval zoo:plan --domain sokoban-8x8      does it work in bigger worlds?

Each command has its own --help."""


STOPPED = (128 + signal.SIGINT, 128 + signal.SIGTERM)
"""Exit codes of a command that was interrupted or told to end."""


def main() -> None:
    """Entry point of the `nhc` script."""
    _on_signals(_leave_at_once)
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # Whoever started this had closed it, and wants nothing there.
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
    prepare(os.environ)
    try:
        code = guarded(run, sys.argv[1:])
    except SystemExit as ending:  # of a --help
        code = ending.code if isinstance(ending.code, int) else int(ending.code is not None)
    leave(code)


def leave(code: int) -> None:
    """Flush what was printed and end the process.

    After an interrupt at once: threads of XLA may still compute, and would crash in an interpreter that is
    taken down around them. All files are written by then.
    """
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except (OSError, ValueError) as error:  # a full device; a reader that has gone; closed already
            # What is left in the buffer would be tried again, with a traceback.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1 if stream is sys.stdout else 2)
            if code == 0 and stream is sys.stdout:
                code = 1
                if not isinstance(error, BrokenPipeError):
                    print(f"error: {_unwritten(error)}", file=sys.stderr)
    if code in STOPPED:
        os._exit(code)
    sys.exit(code)


class Terminated(KeyboardInterrupt):
    """SIGTERM: files are made safe as after Ctrl-C."""


def _on_signals(handler: Callable[[int, FrameType | None], None]) -> None:
    """Let Ctrl-C and SIGTERM be handled; a process that was started to ignore them goes on doing so."""
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, handler)


def _leave_at_once(number: int, frame: FrameType | None) -> None:
    """While modules are imported nothing has begun, and Python would show where the import was."""
    del frame
    os.write(2, b"interrupted\n")
    os._exit(128 + number)


def _raise(number: int, frame: FrameType | None) -> None:
    """While a command runs: KeyboardInterrupt, so that it makes its files safe."""
    del frame
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _raise_again(lost: "sys.UnraisableHookArgs") -> None:
    """Compilers swallow what is raised while they call back: an interrupt comes again until it is heard."""
    if not isinstance(lost.exc_value, KeyboardInterrupt):
        sys.__unraisablehook__(lost)
        return
    number = signal.SIGTERM if isinstance(lost.exc_value, Terminated) else signal.SIGINT
    again = threading.Timer(0.1, os.kill, (os.getpid(), number))
    again.daemon = True
    again.start()


def _unwritten(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else None
    name = (error.filename if isinstance(error, OSError) else None) or "output"
    return f"{name} could not be written or read: {reason or error} [storage.write]"


def run(arguments: list[str]) -> int:
    """Run a command line; returns its exit code."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage(), file=sys.stdout if arguments else sys.stderr)
        return 0 if arguments else 2
    if arguments[0] == "--version":
        from nhc import __version__

        print(f"nhc {__version__}")
        return 0
    if arguments[0] not in COMMANDS:
        expected = f"expected one of {', '.join(COMMANDS)}; found {arguments[0]!r}"
        return told(ConfigError("cli.command", expected))
    return guarded(partial(_started, arguments[0]), arguments[1:])


def command(name: str) -> Callable[[list[str]], int]:
    """The function behind a command; its module, and with it JAX, is imported only now."""
    module = importlib.import_module(f"nhc.cli.{name}_command")
    found: Callable[[list[str]], int] = module.run
    return found


def _started(name: str, arguments: list[str]) -> int:
    """Run a command. Once it is imported, an interrupt lets it make its files safe."""
    function = command(name)
    if _leave_at_once in (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)):
        _on_signals(_raise)
        sys.unraisablehook = _raise_again
    return function(arguments)


def guarded(function: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Call a command and turn errors into a line on stderr and an exit code."""
    try:
        return function(arguments)
    except NhcError as error:
        return told(error)
    except KeyboardInterrupt as stop:
        print("interrupted", file=sys.stderr)
        return 128 + (signal.SIGTERM if isinstance(stop, Terminated) else signal.SIGINT)
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except OSError as error:
        print(f"error: {_unwritten(error)}", file=sys.stderr)
        return 1
    except (RuntimeError, AssertionError):
        if has_device():
            raise
        wanted = os.environ.get("JAX_PLATFORMS", "")
        return told(ConfigError("cli.device", f"JAX has no device for JAX_PLATFORMS={wanted}"))


def told(error: NhcError) -> int:
    """Show an error; returns its exit code."""
    print(f"error: {error}", file=sys.stderr)
    return error.exit_code


def usage() -> str:
    """The overview that `nhc --help` prints."""
    lines = ["usage: nhc COMMAND [OPTIONS]", "", "A neural computer that learns algorithms by evolution.", ""]
    width = max(map(len, COMMANDS))
    lines += [f"  {name:<{width}} {text}" for name, text in COMMANDS.items()]
    return "\n".join([*lines, "", EXAMPLES])

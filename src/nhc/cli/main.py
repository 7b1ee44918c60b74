"""`nhc`: finds the command, and turns what it raises into messages and exit codes.

Exit 0 done, 1 not solved or not written, 2 bad input, 130 interrupted. Data to stdout, messages to stderr.
"""

import importlib
import os
import sys
from collections.abc import Callable

from nhc.cli.start import has_device, prepare
from nhc.errors import ConfigError, NhcError, StorageError

COMMANDS = {
    "demo": "Train a planner from scratch and watch it solve an unseen level.",
    "train": "Train a machine to search or to plan.",
    "solve": "Solve a planning task with a trained machine.",
    "eval": "Evaluate a trained machine on many sampled tasks of each level.",
    "transfer": "Run a trained machine, unchanged, in other worlds.",
    "certify": "Prove that a trained machine is the algorithm, for every task size.",
    "check": "Verify a certificate independently.",
    "program": "Print the program that a machine learned, or compare machines.",
    "run": "Run the learned program for millions of ticks.",
    "modules": "Learn the data modules of a world from samples, and check them.",
    "zoo": "List the trained models that ship with nhc.",
    "reproduce": "Repeat the paper's experiments and set ours beside its statements.",
    "bench": "Measure speed as ratios against naive twins.",
    "doctor": "Check the installation: versions, device, a self-test.",
}

EXAMPLES = """\
examples:
  nhc demo                                    half a minute from nothing to a solved level
  nhc train plan --seeds 0..14                fifteen runs over all cores, one table, one picture
  nhc solve zoo:plan level.xsb                plan for your own level
  nhc solve zoo:plan --sample level=8         plan for a random task that needs 32 nodes or so
  nhc eval zoo:plan --domain sokoban-8x8      does it work in bigger worlds?

Each command has its own --help."""


def main() -> None:
    """Entry point of the `nhc` script."""
    prepare(os.environ)
    code: int | str | None
    try:
        try:
            code = run(sys.argv[1:])
        except SystemExit as ending:  # of a --help
            code = ending.code
        sys.stdout.flush()
    except OSError as error:
        if error.filename is not None:
            raise
        code = lost(error)
    sys.exit(code)


def lost(error: OSError) -> int:
    """Tell that stdout takes no more, and drop what is left for it: at the exit it would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return told(StorageError("cli.output", f"stdout: {error.strerror}"))


def told(error: NhcError) -> int:
    """Show an error; returns its exit code."""
    print(f"error: {error}", file=sys.stderr)
    return error.exit_code


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
    return guarded(command(arguments[0]), arguments[1:])


def command(name: str) -> Callable[[list[str]], int]:
    """The function behind a command; its module, and with it JAX, is imported only now."""
    module = importlib.import_module(f"nhc.cli.{name}_command")
    found: Callable[[list[str]], int] = module.run
    return found


def guarded(function: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Call a command and turn errors into a line on stderr and an exit code."""
    try:
        return function(arguments)
    except NhcError as error:
        return told(error)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        sys.stderr.close()
        return 1
    except (RuntimeError, AssertionError):
        if has_device():
            raise
        wanted = os.environ.get("JAX_PLATFORMS", "")
        return told(ConfigError("cli.device", f"JAX has no device for JAX_PLATFORMS={wanted}"))


def usage() -> str:
    """The overview that `nhc --help` prints."""
    lines = ["usage: nhc COMMAND [OPTIONS]", "", "A neural computer that learns algorithms by evolution.", ""]
    width = max(map(len, COMMANDS))
    lines += [f"  {name:<{width}} {text}" for name, text in COMMANDS.items()]
    return "\n".join([*lines, "", EXAMPLES])

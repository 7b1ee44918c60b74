"""`nhc modules`: learned data modules; each part is a file of its own that is imported when it is used."""

import importlib
import sys
from collections.abc import Callable

from nhc.errors import ConfigError

PARTS = {
    "train": "Learn the data modules of a world from samples, or go on from those of a file.",
    "check": "Run learned data modules on every state of their family.",
    "show": "Draw how the data modules handle one state.",
}
"""Part -> what it does; `nhc.cli.modules_PART` has its `run`."""


EXAMPLES = """\
Examples:

nhc modules train sliding-3x3

nhc modules check zoo:sokoban-6x6 --samples 100000

nhc modules show zoo:sliding-3x3 --sample 3 --op right"""


def run(arguments: list[str]) -> int:
    """Run a part. Raises ConfigError (`cli.options`) if there is none of that name."""
    if not arguments or arguments[0] in ("-h", "--help"):
        print(usage(), file=sys.stdout if arguments else sys.stderr)
        if arguments:
            raise SystemExit(0)
        return 2
    if arguments[0] not in PARTS:
        names = ", ".join(PARTS)
        raise ConfigError("cli.options", f"nhc modules: expected one of {names}; found {arguments[0]!r}")
    return part(arguments[0])(arguments[1:])


def part(name: str) -> Callable[[list[str]], int]:
    """The function behind a part."""
    found: Callable[[list[str]], int] = importlib.import_module(f"nhc.cli.modules_{name}").run
    return found


def usage() -> str:
    """What `nhc modules --help` prints."""
    lines = [f"  {name:<8} {text}" for name, text in PARTS.items()]
    return "\n".join(
        ["usage: nhc modules PART [OPTIONS]", "", *lines, "", EXAMPLES, "", "Each part has its own --help."]
    )

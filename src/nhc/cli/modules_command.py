"""`nhc modules`: learned data modules."""

from nhc.cli import modules_check, modules_show, modules_train
from nhc.cli.parse import run_part

PARTS = {
    "train": (
        modules_train.run,
        "Learn the data modules of a world from samples, or go on from those of a file.",
    ),
    "check": (modules_check.run, "Run learned data modules on every state of their family."),
    "show": (modules_show.run, "Draw how the data modules handle one state."),
}
EXAMPLES = """
nhc modules train sliding-3x3
nhc modules check zoo:sokoban-6x6 --samples 100000
nhc modules show zoo:sliding-3x3 --sample 3 --op right
"""


def run(arguments: list[str]) -> int:
    """Run a part. Raises ConfigError (`cli.options`)."""
    return run_part("modules", PARTS, EXAMPLES, arguments)

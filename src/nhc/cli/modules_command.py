"""`nhc modules`: learned data modules."""

from nhc.cli.parts import Parts

PARTS = Parts(
    "modules",
    {
        "train": "Learn the data modules of a world from samples, or go on from those of a file.",
        "check": "Run learned data modules on every state of their family.",
        "show": "Draw how the data modules handle one state.",
    },
    """
nhc modules train sliding-3x3

nhc modules check zoo:sokoban-6x6 --samples 100000

nhc modules show zoo:sliding-3x3 --sample 3 --op right""",
)


def run(arguments: list[str]) -> int:
    """Run a part. Raises ConfigError (`cli.options`)."""
    return PARTS.run(arguments)

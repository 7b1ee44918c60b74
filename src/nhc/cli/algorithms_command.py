"""`nhc algorithms`: what a machine can learn, and how inputs are written. Needs no JAX."""

from dataclasses import dataclass

from nhc.cli.parse import parse
from nhc.cli.tables import print_lines, print_table

IN_WORLDS = "a task file: see nhc solve"


@dataclass
class AlgorithmsOptions:
    """List the algorithms that a machine can learn: what control has to find out, and what is done for it.

    Control sees signals, chooses operations, and steers the memory. What an operation does to data, and what
    the signals say about them, is the business of Input and ALU, which are given.

    Examples:
    nhc algorithms
    nhc algorithms --json
    """

    json: bool = False
    """One JSON object an algorithm."""


def run(arguments: list[str]) -> int:
    """Print the lists."""
    options = parse(AlgorithmsOptions, arguments, name="algorithms")
    rows = algorithm_rows()
    if options.json:
        print_lines(rows)
        return 0
    told = [[str(row[key]) for key in ("algorithm", "control", "alu")] for row in rows]
    print_table(
        "What is learned, and what is given", ["algorithm", "control finds out", "ALU"], told, numbers=False
    )
    seen = [
        [str(row["algorithm"]), ", ".join(row["signals"]), ", ".join(row["operations"]), str(row["input"])]
        for row in rows
    ]
    columns = ["algorithm", "signals", "operations", "input of nhc run"]
    print_table("What control sees and chooses", columns, seen, numbers=False)
    return 0


def algorithm_rows() -> list[dict[str, str | list[str]]]:
    """What is known about each algorithm."""
    from nhc.algorithms.registry import ALGORITHMS
    from nhc.algorithms.sequence.grammar import NOTATIONS

    return [
        {
            "algorithm": name,
            "signals": [*algorithm.signals],
            "operations": [*algorithm.ops],
            "control": algorithm.control,
            "alu": algorithm.alu,
            "input": NOTATIONS[name].usage if name in NOTATIONS else IN_WORLDS,
            "example": NOTATIONS[name].example if name in NOTATIONS else "",
        }
        for name, algorithm in ALGORITHMS.items()
    ]

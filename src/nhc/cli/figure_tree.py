"""`nhc figure tree`: the tree that a search has grown."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from nhc.cli.figure_options import RunFigureOptions, drawn_part, drawn_run
from nhc.cli.parse import parse
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.runs.behaviour import Tree
    from nhc.runs.trace import Trace

EXAMPLES = """
nhc figure tree zoo:plan --sample level=12 --out tree.svg
nhc figure tree zoo:search --sample level=3 --columns 1 --out tree.pdf
"""


@dataclass(kw_only=True)
class TreeOptions(RunFigureOptions):
    """Draw the tree that a run of search or plan has grown, and the way to the goal.

    With --last it is the tree as it was after that tick. Without a task there is an example.
    """


def run(arguments: list[str]) -> int:
    """Run and draw; exit 0. Raises ConfigError (`figure.tree`) for an algorithm that grows none."""
    options = parse(TreeOptions, arguments, name="figure tree", examples=EXAMPLES)
    width = options.inches()
    if options.first != 1:
        raise ConfigError("figure.window", f"expected a tree from tick 1 on, found --first {options.first}")
    from nhc.runs.tree_figure import tree_figure

    run = drawn_run(options)
    tree = grown(drawn_part(options, run.made))
    if tree is None:
        raise ConfigError("figure.tree", f"expected a machine for search or plan, found {options.model}")
    return options.save(tree_figure(tree, width=width))


def grown(part: "Trace") -> "Tree | None":
    """The tree of a run from its first tick on; None if it is no search."""
    from nhc.computer.trace import TaskTrace
    from nhc.runs.behaviour import tree_of

    return tree_of(part.op, part.read, part.written, part.met) if isinstance(part, TaskTrace) else None

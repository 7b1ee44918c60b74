"""`nhc figure`: pictures for papers, in vector form and as wide as a column."""

from nhc.cli.parts import Parts

PARTS = Parts(
    "figure",
    {
        "behaviour": "A run tick by tick: tree, words read, operations, read mechanisms.",
        "tree": "The tree that a search has grown, with the way to the goal.",
        "attention": "How strongly each read mechanism asks, tick by tick, and which one wins.",
        "program": "The program that a machine learned, as a diagram or as rules.",
        "curve": "The learning curve of a run, or of several runs by level.",
    },
    """
nhc figure behaviour zoo:plan --sample level=3 --out behaviour.pdf

nhc figure program zoo:brackets --columns 1 --out program.svg

nhc figure curve runs/plan-seed0 --out curve.pdf""",
)


def run(arguments: list[str]) -> int:
    """Run a part. Raises ConfigError (`cli.options`)."""
    return PARTS.run(arguments)

"""`nhc figure attention`: the read mechanisms over time."""

from dataclasses import dataclass

from nhc.cli.figure_options import RunFigureOptions, behaviour_of, drawn_part, drawn_run
from nhc.cli.parse import parse

EXAMPLES = """
nhc figure attention zoo:plan --sample level=12 --out attention.pdf
nhc figure attention zoo:postfix '3 4 + 2 *' --columns 1 --out attention.svg
"""


@dataclass(kw_only=True)
class AttentionOptions(RunFigureOptions):
    """Draw how strongly each read mechanism asks at each tick, and a frame around the one that wins.

    The strongest that names a cell wins. Without a task there is an example.
    """


def run(arguments: list[str]) -> int:
    """Run and draw; exit 0."""
    options = parse(AttentionOptions, arguments, name="figure attention", examples=EXAMPLES)
    width = options.inches()
    from nhc.runs.behaviour_figure import attention_figure

    run = drawn_run(options)
    drawn = behaviour_of(run, drawn_part(options, run.made), options.first)
    return options.save(attention_figure(drawn, width=width))

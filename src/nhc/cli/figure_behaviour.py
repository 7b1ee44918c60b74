"""`nhc figure behaviour`: a run tick by tick."""

from dataclasses import dataclass

from nhc.cli.figure_options import RunFigureOptions, behaviour_of, drawn_part, drawn_run
from nhc.cli.parse import parse

EXAMPLES = """
nhc figure behaviour zoo:plan --sample level=3 --out behaviour.pdf
nhc figure behaviour zoo:brackets '([]{})' --columns 1 --out brackets.svg
nhc figure behaviour runs/plan-seed0 level.xsb --first 1 --last 20 --out begin.pdf
"""


@dataclass(kw_only=True)
class BehaviourOptions(RunFigureOptions):
    """Draw a run tick by tick: the words read, the operations, and which read mechanism won.

    Above a search stands its tree. Where there is no room for a column a tick, the picture shows the cells
    read over ticks instead. Without a task there is an example.
    """


def run(arguments: list[str]) -> int:
    """Run and draw; exit 0."""
    options = parse(BehaviourOptions, arguments, name="figure behaviour", examples=EXAMPLES)
    width = options.inches()
    from nhc.cli.figure_tree import grown
    from nhc.runs.behaviour_figure import behaviour_figure, fits
    from nhc.runs.trace_figure import trace_figure

    run = drawn_run(options)
    part = drawn_part(options, run.made)
    if not fits(part.ticks, width=width):
        return options.save(trace_figure(part, width=width, first=options.first))
    tree = grown(part) if options.first == 1 else None
    return options.save(behaviour_figure(behaviour_of(run, part, options.first), tree, width=width))

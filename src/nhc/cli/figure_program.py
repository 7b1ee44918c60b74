"""`nhc figure program`: what a machine learned, as a diagram or as rules."""

from dataclasses import dataclass

from nhc.cli.figure_options import FileOptions, Model
from nhc.cli.parse import parse

EXAMPLES = """
nhc figure program zoo:plan --out program.pdf
nhc figure program zoo:brackets --columns 1 --out rules.svg
"""


@dataclass(kw_only=True)
class ProgramFigureOptions(FileOptions):
    """Draw the program that a machine learned, minimised, as `nhc program` prints it.

    Over two columns search and plan are drawn as state diagrams; everything else as rules in words.
    """

    model: Model
    """Model file, directory of a run, or a name of the zoo such as zoo:plan."""


def run(arguments: list[str]) -> int:
    """Draw; exit 0. Raises ConfigError (`program.unproved`) and what else `program_of` raises."""
    options = parse(ProgramFigureOptions, arguments, name="figure program", examples=EXAMPLES)
    width = options.inches()
    from nhc.model import load_model
    from nhc.program.diagram_figure import diagram_figure
    from nhc.program.listing_figure import listing_figure
    from nhc.viewer.learned import program_of

    found = program_of(load_model(options.model))
    figure = None if found.diagram is None else diagram_figure(found.diagram, width=width)
    return options.save(listing_figure(found.text, width=width) if figure is None else figure)

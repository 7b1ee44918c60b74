"""`nhc show`: a page that runs a machine in the browser, tick by tick."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from nhc.cli.parse import message, parse
from nhc.errors import ConfigError

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.algorithms.sequence.notation import AnyAsked
    from nhc.tasks.planning import PlanningTask


@dataclass
class GivenOptions:
    """A model, and a task or an input for it."""

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    task: tyro.conf.Positional[tuple[str, ...]] = ()
    """What `nhc run` or `nhc solve` take: an input, or a task file. Without one, an example."""
    file: Path | None = None
    """Read the input from a file."""
    level: int = 1
    """Which level of a file of several."""
    sample: str | None = None
    """Instead of a task file: level=L for a random task of a level, node=N for a goal at node N."""
    domain: str = "sokoban-6x6"
    """Where --sample draws."""
    seed: int = 0
    """Decides the sample."""


@dataclass
class ShowOptions(GivenOptions):
    """Write a page that runs a machine and shows what it does: one file, to open by double click.

    The page needs no network. It holds the weights and computes every tick itself: what was shown, written,
    read and done, the search tree or the tapes, the cells of memory with their links, and the program with
    the line that is executed. The task can be changed in the page, and run again. Of the directory of a run
    it shows how the machine was learned, too: a slider goes through weights along the way.

    Examples:
    nhc show zoo:plan --out plan.html
    nhc show zoo:plan level.xsb --out level.html
    nhc show zoo:plan --sample level=12 --domain sliding-3x3 --out sliding.html
    nhc show zoo:brackets '([]{})' --out brackets.html
    nhc show runs/plan-seed0 --out learned.html
    nhc show runs/plan-seed0/model.safetensors --beside zoo:plan --out both.html
    """

    out: Path | None = None
    """The page. Without it NAME.html in this folder, by the name of the algorithm."""
    beside: str | None = None
    """A second model for the same algorithm, shown beside the first; the first difference is marked."""
    domain: str = "sokoban-6x6"
    """Where --sample draws: Sokoban, sliding-3x3 or free-tree."""


def run(arguments: list[str]) -> int:
    """Write the page; exit 0."""
    options = parse(ShowOptions, arguments, name="show")
    from nhc.viewer.machine_json import PLANNERS
    from nhc.viewer.show import opened, page_of

    model, learning = opened(options.model)
    others = {} if options.beside is None else {options.beside: opened(options.beside)[0]}
    name = model.algorithm.name
    task = given_task(options) if name in PLANNERS else given_input(options, name)[0]
    page = page_of({options.model: model, **others}, task, learning)
    out = page.save(f"{name}.html" if options.out is None else options.out)
    message(f"Written to {out}: {len(page.html.encode()) / 1000:,.0f} kB. Open it in a browser.")
    return 0


def given_task(options: GivenOptions) -> "PlanningTask":
    """A task of a file or a sample; without one, the example.

    Raises ConfigError (`show.task`) for more than one task, and what `chosen_task` raises.
    """
    from nhc.cli.solve_command import SolveOptions, chosen_task
    from nhc.tasks.files import parse_task
    from nhc.viewer.show import EXAMPLE

    given = [*options.task, *([] if options.file is None else [str(options.file)])]
    if len(given) + (options.sample is not None) > 1:
        raise ConfigError("show.task", "expected one of a task file and --sample, found several")
    if not given and options.sample is None:
        return parse_task(EXAMPLE.encode())
    asked = SolveOptions(
        options.model, (*given,), str(options.level), options.sample, options.domain, options.seed
    )
    task = chosen_task(asked)
    for note in task.warnings:
        message(f"warning: {note}")
    return task


def given_input(options: GivenOptions, name: str) -> "tuple[str, AnyAsked]":
    """An input of the command line or of a file, as the page writes it; without one, the notation's example.

    Raises ConfigError (`show.task`) for two of them, or for a sample, and what `input_text` raises.
    """
    from nhc.viewer.show import input_text

    if options.sample is not None or (options.task and options.file is not None):
        raise ConfigError("show.task", f"{name}: expected one input, or --file, and no --sample")
    return input_text(name, options.task if options.file is None else options.file)

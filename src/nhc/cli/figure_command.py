"""`nhc figure`: pictures for papers, in vector form and as wide as a column."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse, run_part
from nhc.cli.trace_command import WindowOptions, traced_run
from nhc.errors import ConfigError

if TYPE_CHECKING:  # matplotlib and JAX are slow to import, and --help needs neither.
    from matplotlib.figure import Figure

    from nhc.evolve.config import TrainConfig
    from nhc.runs.behaviour import Behaviour, Tree
    from nhc.runs.history import Record
    from nhc.runs.trace import Trace
    from nhc.viewer.replay import Replay

MOST_TICKS = 2_000
"""Of one picture: more are a surface of ink."""


@dataclass(kw_only=True)
class FileOptions:
    """Where a picture goes."""

    out: Path
    """The file: .svg or .pdf. Its text is text, in a PDF with the font (TrueType) inside."""
    columns: Literal[1, 2] = 2
    """How many columns of a page it is wide: 1 is 89 mm, 2 are 183 mm."""

    def inches(self) -> float:
        """The width. Raises ConfigError (`figure.format`) if the name of the file has another ending."""
        from nhc.runs.figure import COLUMN_MM, MM, require_vector

        require_vector(self.out)
        return COLUMN_MM[self.columns] * MM

    def save(self, figure: "Figure") -> int:
        """Write the file and say so; exit code 0. Raises StorageError (`storage.write`)."""
        from nhc.runs.figure import MM, write_vector

        write_vector(figure, self.out)
        width, height = figure.get_size_inches() / MM
        message(f"Drawn to {self.out}: {width:.0f} x {height:.0f} mm")
        return 0


@dataclass(kw_only=True)
class RunFigureOptions(FileOptions, WindowOptions):
    """A run and where its picture goes; `model` and `task` are those of `nhc trace`."""


@dataclass(kw_only=True)
class BehaviourOptions(RunFigureOptions):
    """Draw a run tick by tick: the words read, the operations, and which read mechanism won.

    Above a search stands its tree. Where there is no room for a column a tick, the picture shows the cells
    read over ticks instead. Without a task there is an example.

    Examples:
    nhc figure behaviour zoo:plan --sample level=3 --out behaviour.pdf
    nhc figure behaviour zoo:brackets '([]{})' --columns 1 --out brackets.svg
    nhc figure behaviour runs/plan-seed0 level.xsb --first 1 --last 20 --out begin.pdf
    """


def behaviour(arguments: list[str]) -> int:
    """Run and draw tick by tick; exit 0."""
    options = parse(BehaviourOptions, arguments, name="figure behaviour")
    width = options.inches()
    from nhc.runs.behaviour_figure import behaviour_figure, fits
    from nhc.runs.trace_figure import trace_figure

    run, part = drawn(options)
    if not fits(part.ticks, width=width):
        return options.save(trace_figure(part, width=width, first=options.first))
    above = grown(part) if options.first == 1 else None
    return options.save(behaviour_figure(behaviour_of(run, part, options.first), above, width=width))


@dataclass(kw_only=True)
class TreeOptions(RunFigureOptions):
    """Draw the tree that a run of search or plan has grown, and the way to the goal.

    With --last it is the tree as it was after that tick. Without a task there is an example.

    Examples:
    nhc figure tree zoo:plan --sample level=12 --out tree.svg
    nhc figure tree zoo:search --sample level=3 --columns 1 --out tree.pdf
    """


def tree(arguments: list[str]) -> int:
    """Run and draw the tree; exit 0. Raises ConfigError (`figure.tree`) for an algorithm that grows none."""
    options = parse(TreeOptions, arguments, name="figure tree")
    width = options.inches()
    if options.first != 1:
        raise ConfigError("figure.window", f"expected a tree from tick 1 on, found --first {options.first}")
    from nhc.runs.tree_figure import tree_figure

    found = grown(drawn(options)[1])
    if found is None:
        raise ConfigError("figure.tree", f"expected a machine for search or plan, found {options.model}")
    return options.save(tree_figure(found, width=width))


@dataclass(kw_only=True)
class AttentionOptions(RunFigureOptions):
    """Draw how strongly each read mechanism asks at each tick, and a frame around the one that wins.

    The strongest that names a cell wins. Without a task there is an example.

    Examples:
    nhc figure attention zoo:plan --sample level=12 --out attention.pdf
    nhc figure attention zoo:postfix '3 4 + 2 *' --columns 1 --out attention.svg
    """


def attention(arguments: list[str]) -> int:
    """Run and draw the read mechanisms over time; exit 0."""
    options = parse(AttentionOptions, arguments, name="figure attention")
    width = options.inches()
    from nhc.runs.behaviour_figure import attention_figure

    return options.save(attention_figure(behaviour_of(*drawn(options), options.first), width=width))


def drawn(options: RunFigureOptions) -> "tuple[Replay, Trace]":
    """The run, and the ticks of it that are drawn.

    Raises ConfigError (`figure.window`) for none or too many, and what `traced_run` raises.
    """
    from nhc.model import load_model

    first, last = options.window()
    run = traced_run(options, load_model(options.model))[1].replay
    part = run.made.part(first, last)
    if not 1 <= part.ticks <= MOST_TICKS:
        wanted = f"expected 1..{MOST_TICKS:,} ticks of the run's {run.made.ticks:,}, by --first and --last"
        raise ConfigError("figure.window", f"{wanted}, found {part.ticks:,}")
    return run, part


def grown(part: "Trace") -> "Tree | None":
    """The tree of a run from its first tick on; None if it is no search."""
    from nhc.computer.trace import TaskTrace
    from nhc.runs.behaviour import tree_of

    return tree_of(part.op, part.read, part.written, part.met) if isinstance(part, TaskTrace) else None


def behaviour_of(run: "Replay", part: "Trace", first: int) -> "Behaviour":
    """What is drawn of a part of the run."""
    import numpy as np
    from scipy.special import softmax

    from nhc.computer.trace import TaskTrace
    from nhc.planning.states import decoded_states
    from nhc.runs.behaviour import ARROWS, Behaviour
    from nhc.viewer.replay import PlanningReplay

    words, met, ops = list(map(str, part.data)), np.zeros(part.ticks, bool), part.ops
    if isinstance(part, TaskTrace) and isinstance(run, PlanningReplay):
        world = run.task.world
        words = [world.draw(state) for state in decoded_states(world, part.data)]
        met, ops = part.met, ARROWS
    shares = softmax(part.strengths, axis=1)
    return Behaviour(part.op, part.read, part.winner, shares, met, words, ops, first)


@dataclass(kw_only=True)
class ProgramFigureOptions(FileOptions):
    """Draw the program that a machine learned, minimised, as `nhc program` prints it.

    Over two columns search and plan are drawn as state diagrams; everything else as rules in words.

    Examples:
    nhc figure program zoo:plan --out program.pdf
    nhc figure program zoo:brackets --columns 1 --out rules.svg
    """

    model: tyro.conf.Positional[str]
    """Model file, directory of a run, or a name of the zoo such as zoo:plan."""


def program(arguments: list[str]) -> int:
    """Draw; exit 0. Raises ConfigError (`program.unproved`) and what else `program_of` raises."""
    options = parse(ProgramFigureOptions, arguments, name="figure program")
    width = options.inches()
    from nhc.model import load_model
    from nhc.program.diagram_figure import diagram_figure
    from nhc.program.listing_figure import listing_figure
    from nhc.viewer.learned import program_of

    found = program_of(load_model(options.model))
    figure = None if found.diagram is None else diagram_figure(found.diagram, width=width)
    return options.save(listing_figure(found.text, width=width) if figure is None else figure)


@dataclass(kw_only=True)
class CurveOptions(FileOptions):
    """Draw the learning curve of a run: fitness over iterations, level by level.

    Of several runs: how much was learned on each level and how many runs solved it, one colour an algorithm.

    Examples:
    nhc figure curve runs/plan-seed0 --out curve.pdf
    nhc figure curve runs/search-seed0 runs/search-seed1 runs/plan-seed0 --columns 1 --out seeds.svg
    """

    runs: tyro.conf.Positional[tuple[Path, ...]]
    """Directories of runs of `nhc train`."""


def curve(arguments: list[str]) -> int:
    """Draw; exit 0. Raises ConfigError (`run.missing`) for what is no directory of a run."""
    options = parse(CurveOptions, arguments, name="figure curve")
    width = options.inches()
    if not options.runs:
        raise ConfigError("run.missing", "expected at least one directory of a run, found none")
    from nhc.runs.seeds_figure import outcome, seeds_figure
    from nhc.training.picture import learning_curve
    from nhc.training.session import course_of

    logs = list(map(logged, options.runs))
    if len(logs) == 1:
        ((config, records),) = logs
        return options.save(learning_curve(course_of(config), records, width=width, titled=False))
    levels = max(config.last_level for config, _ in logs)
    groups = {
        task: [outcome(records, levels) for config, records in logs if config.task == task]
        for task in dict.fromkeys(config.task for config, _ in logs)
    }
    return options.save(seeds_figure(groups, width=width))


def logged(path: Path) -> "tuple[TrainConfig, list[Record]]":
    """Configuration and log of a run."""
    from nhc.runs.directory import RunDirectory
    from nhc.training.config import validated

    directory = RunDirectory.open(path)
    return validated(directory.read_config(), directory.config_file), list(directory.metrics.read())


PARTS = {
    "behaviour": (behaviour, "A run tick by tick: tree, words read, operations, read mechanisms."),
    "tree": (tree, "The tree that a search has grown, with the way to the goal."),
    "attention": (attention, "How strongly each read mechanism asks, tick by tick, and which one wins."),
    "program": (program, "The program that a machine learned, as a diagram or as rules."),
    "curve": (curve, "The learning curve of a run, or of several runs by level."),
}
EXAMPLES = """
nhc figure behaviour zoo:plan --sample level=3 --out behaviour.pdf
nhc figure program zoo:brackets --columns 1 --out program.svg
nhc figure curve runs/plan-seed0 --out curve.pdf
"""


def run(arguments: list[str]) -> int:
    """Draw a part. Raises ConfigError (`cli.options`)."""
    return run_part("figure", PARTS, EXAMPLES, arguments)

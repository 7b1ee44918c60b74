"""What all parts of `nhc figure` share: the file with its width, and the run that is drawn."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message
from nhc.cli.trace_command import WindowOptions, traced_run
from nhc.errors import ConfigError

if TYPE_CHECKING:  # matplotlib and JAX are slow to import, and --help needs neither.
    from matplotlib.figure import Figure

    from nhc.runs.behaviour import Behaviour
    from nhc.runs.trace import Trace
    from nhc.viewer.replay import Replay

Model = tyro.conf.Positional[str]
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


def drawn_run(options: RunFigureOptions) -> "Replay":
    """The run, of which the options name the ticks that are drawn. Raises what `traced_run` raises."""
    from nhc.model import load_model

    options.window()
    _, traced = traced_run(options, load_model(options.model))
    return traced.replay


def drawn_part(options: RunFigureOptions, made: "Trace") -> "Trace":
    """The ticks that are drawn. Raises ConfigError (`figure.window`) for none or too many."""
    part = made.part(*options.window())
    if not 1 <= part.ticks <= MOST_TICKS:
        wanted = f"expected 1..{MOST_TICKS:,} ticks of the run's {made.ticks:,}, by --first and --last"
        raise ConfigError("figure.window", f"{wanted}, found {part.ticks:,}")
    return part


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

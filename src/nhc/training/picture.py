"""The picture of a training run."""

from collections.abc import Sequence

from matplotlib.figure import Figure

from nhc.evolve.course import Course
from nhc.runs.curve import curve_figure
from nhc.runs.figure import WIDTH
from nhc.runs.history import Record


def learning_curve(
    course: Course, records: Sequence[Record], *, width: float = WIDTH, titled: bool = True
) -> Figure:
    """Fitness over iterations, level by level. Raises InputError (`run.empty`, `run.damaged`)."""
    config = course.config
    title = f"Learning to {config.task}, seed {config.seed}, fitness {config.fitness}"
    return curve_figure(
        records,
        maximum=course.algorithm.maximum,
        ticks_per_level={level: course.ticks_at(level) for level in range(1, config.last_level + 1)},
        title=title if titled else "",
        width=width,
    )

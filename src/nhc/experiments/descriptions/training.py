"""What all descriptions of training runs share: their variants, tables and pictures."""

import math
import statistics
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from nhc.errors import ConfigError
from nhc.experiments.compare import costs, is_mastered
from nhc.experiments.description import (
    QUICK_CURRICULUM,
    Columns,
    Finished,
    Labelled,
    Results,
    Settings,
    Table,
    Variant,
)
from nhc.experiments.figures import draw_levels
from nhc.experiments.job import table, whole, wholes
from nhc.experiments.kinds import Changes, training_values
from nhc.runs.directory import RunDirectory
from nhc.runs.figure import save_figure
from nhc.runs.history import Record
from nhc.runs.seeds_figure import Outcome, seeds_figure
from nhc.training.config import validated
from nhc.training.picture import learning_curve
from nhc.training.session import course_of

RUNS, BUDGET = 15, 10_000
"""The paper's runs of each variant, and iterations of each run."""
MACHINE = (
    "All training here is of the default machine (`mix` winner, `words` bits) on exact data: its control "
    "never sees any."
)
FIRST_LEVELS = 3
"""Levels in which learning happens in the paper."""
GROUPS = 3
"""Variants that stay legible in one picture."""

NO_RESTARTS: Changes = {"restart": {"rule": "never"}}
"""The supplement compares without restarts, unless they are what is compared."""


def trained(label: str, task: str, settings: Settings, *changes: Changes, runs: int = RUNS) -> Variant:
    """Training runs that differ from the defaults in all `changes`, of which later ones count."""
    common: dict[str, object] = {"budget": settings.budget_of(BUDGET)}
    if settings.quick:
        common["curriculum"] = QUICK_CURRICULUM
    seeds = range(settings.seed, settings.seed + settings.runs_of(runs))
    try:
        values = [training_values(task, common, *changes, {"seed": seed}) for seed in seeds]
    except ConfigError as error:
        return Variant(label, (), f"not available in this version ({error.message})")
    return Variant.of(label, "train", values)


def metrics(run: Finished) -> list[Record]:
    """The log of a run."""
    return list(RunDirectory.open(run.folder).metrics.read())


def draw_groups(results: Results, folder: Path, name: str, title: str) -> list[Path]:
    """Learning iterations and runs by level, at most three variants a picture, and where each run ended.

    The first variant stands in every picture: it is what the others are compared with.
    """
    groups = {label: runs for label, runs in results.finished.items() if runs}
    if not groups:
        return []
    first, *others = groups
    # The last level, which draws from all of them, included.
    curricula = [table(runs[0].job.values, "curriculum") for runs in groups.values()]
    levels = max(whole(curriculum, "levels") for curriculum in curricula) + 1
    pictures = []
    step = GROUPS - 1
    parts = [others[at : at + step] for at in range(0, len(others), step)] or [[]]
    for number, part in enumerate(parts, start=1):
        shown = {label: [outcome_of(run, levels) for run in groups[label]] for label in (first, *part)}
        stem = folder / (name if len(parts) == 1 else f"{name}-{number}")
        pictures.append(save_figure(seeds_figure(shown, title), stem)[0])
    ended = {
        label: [(whole(run.result, "learning_iterations"), ended_at(run)) for run in runs]
        for label, runs in groups.items()
    }
    return [*pictures, draw_levels(ended, levels=levels, title=title, stem=folder / f"{name}-ended")]


def outcome_of(run: Finished, levels: int) -> Outcome:
    """What the record of a run says, which has been on every level up to the one on which it ended."""
    learned = np.array(per_level(run), np.int64)
    solved = np.arange(1, levels + 1) < ended_at(run)
    return Outcome(np.pad(learned, (0, levels - len(learned))), solved)


def ended_at(run: Finished) -> int:
    """The level on which a run ended; one more than there are for one that mastered all."""
    return whole(run.result, "level") + is_mastered(run)


def draw_curves(results: Results, folder: Path, name: str) -> list[Path]:
    """The learning curve of each variant's first run."""
    pictures = []
    for label, runs in results.finished.items():
        if runs:
            course = course_of(validated(runs[0].job.values))
            figure = learning_curve(course, metrics(runs[0]))
            pictures.append(save_figure(figure, folder / f"{name}-{label}")[0])
    return pictures


def per_level(run: Finished) -> list[int]:
    """Learning iterations on each level, from Level 1."""
    return wholes(run.result, "learned_per_level")


def last_learned(run: Finished) -> int:
    """The last level that triggered learning; 0 if none did."""
    return max((level for level, count in enumerate(per_level(run), start=1) if count), default=0)


def run_table(results: Results, name: str, title: str) -> Table:
    """A row a run."""
    columns: Columns[Labelled] = {
        "variant": lambda item: item[0],
        "seed": lambda item: item[1].job.values["seed"],
        "mastered": lambda item: "yes" if is_mastered(item[1]) else "no",
        "level": lambda item: item[1].result["level"],
        "iterations": lambda item: item[1].result["iterations"],
        "learning iterations": lambda item: item[1].result["learning_iterations"],
        "last learned": lambda item: last_learned(item[1]),
        "restarts": lambda item: item[1].result["restarts"],
    }
    return Table.of(name, title, columns, results.labelled)


def level_table(results: Results, name: str, title: str) -> Table:
    """Learning iterations by level, mean over the runs, and how many runs learned there."""
    most = max((len(per_level(run)) for _, run in results.labelled), default=0)
    columns = ("variant", "level", "mean learning iterations", "runs that learned", "runs")
    rows = []
    for label, runs in results.finished.items():
        for level in range(most if runs else 0):
            counts = [per_level(run)[level] for run in runs if level < len(per_level(run))]
            learned = sum(count > 0 for count in counts)
            mean = f"{sum(counts) / len(runs):.1f}"
            rows.append((label, f"{level + 1}", mean, f"{learned}", f"{len(runs)}"))
    return Table(name, title, columns, tuple(rows))


def variant_table(results: Results, name: str, title: str) -> Table:
    """A row a variant."""

    def solved(label: str) -> list[float]:
        return [value for value in costs(results, label) if math.isfinite(value)]

    def learned(label: str) -> str:
        counts = results.numbers(label, "learning_iterations")
        # A run that gave up early would have learned more.
        least = "at least " if len(solved(label)) < len(counts) else ""
        return f"{least}{statistics.fmean(counts):.0f}" if counts else "-"

    columns: Columns[str] = {
        "variant": lambda label: label,
        "runs": lambda label: f"{len(results.of(label))} of {results.wanted[label]}",
        "mastered": lambda label: len(solved(label)),
        "median learning iterations of those": lambda label: (
            f"{statistics.median(solved(label)):.0f}" if solved(label) else "-"
        ),
        "mean learning iterations of all": learned,
        "lowest level reached": lambda label: min(results.numbers(label, "level"), default=0),
    }
    return Table.of(name, title, columns, results.finished)


def all_tables(results: Results, name: str, title: str) -> list[Table]:
    """By variant, by level and by run."""
    return [
        variant_table(results, name, title),
        level_table(results, f"{name}-levels", f"{title}, by level"),
        run_table(results, f"{name}-runs", f"{title}, run by run"),
    ]


def first_of_seed(results: Results, label: str) -> Finished:
    """The run of the first seed, or if it is missing any: claims on it wait for all runs."""
    runs: Sequence[Finished] = results.of(label)
    of_seed = [run for run in runs if whole(run.job.values, "seed") == results.settings.seed]
    return (of_seed or runs)[0]

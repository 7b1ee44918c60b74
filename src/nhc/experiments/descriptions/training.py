"""What all descriptions of training runs share: their variants, tables and pictures."""

import math
import shutil
import statistics
from collections.abc import Mapping, Sequence
from pathlib import Path

from nhc.errors import ConfigError
from nhc.evolve.presets import merged
from nhc.experiments.compare import cost
from nhc.experiments.description import Finished, Results, Table, Variant, variant
from nhc.experiments.fields import field, table, whole, wholes
from nhc.experiments.levels_figure import draw_levels
from nhc.experiments.settings import QUICK_CURRICULUM, Settings
from nhc.runs.directory import RunDirectory
from nhc.runs.history import Record
from nhc.runs.seeds_figure import draw_seeds
from nhc.training.config import run_config

RUNS, BUDGET = 15, 10_000
"""The paper's runs of each variant, and iterations of each run."""
MACHINE = (
    "All training here is of the default machine (`mix` winner, `words` bits) on exact data: its control "
    "never sees any."
)
GROUPS = 3
"""Variants that stay legible in one picture."""

NO_RESTARTS: dict[str, object] = {"restart": {"rule": "never"}}
"""The supplement compares without restarts, unless they are what is compared."""


def trained(
    label: str,
    task: str,
    settings: Settings,
    changes: Mapping[str, object] | None = None,
    *,
    runs: int = RUNS,
) -> Variant:
    """Training runs that differ from the defaults in `changes`."""
    common: dict[str, object] = {"budget": settings.budget_of(BUDGET)}
    if settings.quick:
        common["curriculum"] = QUICK_CURRICULUM
    values = merged(common, changes or {})
    seeds = range(settings.seed, settings.seed + settings.runs_of(runs))
    try:
        configs = [run_config(task, overrides={**values, "seed": seed}) for seed in seeds]
    except ConfigError as error:
        return Variant(label, (), f"not available in this version ({error.message})")
    return variant(label, "train", [config.model_dump(mode="json") for config in configs])


def metrics(runs: Sequence[Finished]) -> list[list[Record]]:
    """The logs of runs."""
    return [list(RunDirectory.open(run.folder).metrics.read()) for run in runs]


def levels_of(run: Finished) -> int:
    """Levels of a run's curriculum, the last one that draws from all of them included."""
    return whole(table(run.job.values, "curriculum"), "levels") + 1


def draw_groups(results: Results, folder: Path, name: str, title: str) -> list[Path]:
    """Learning iterations and runs by level, at most three variants a picture, and where each run ended.

    The first variant stands in every picture: it is what the others are compared with.
    """
    groups = {label: runs for label, runs in results.finished.items() if runs}
    if not groups:
        return []
    first, *others = groups
    levels = max(levels_of(runs[0]) for runs in groups.values())
    pictures = []
    step = GROUPS - 1
    parts = [others[at : at + step] for at in range(0, len(others), step)] or [[]]
    for number, part in enumerate(parts, start=1):
        shown = {label: metrics(groups[label]) for label in (first, *part)}
        stem = folder / (name if len(parts) == 1 else f"{name}-{number}")
        pictures.append(draw_seeds(shown, levels=levels, title=title, path_stem=stem)[0])
    ended = {
        label: [(whole(run.result, "learning_iterations"), ended_at(run)) for run in runs]
        for label, runs in groups.items()
    }
    pictures.append(draw_levels(ended, levels=levels, title=title, path_stem=folder / f"{name}-ended")[0])
    return pictures


def ended_at(run: Finished) -> int:
    """The level on which a run ended; one more than there are for one that mastered all."""
    return whole(run.result, "level") + field(run.result, "mastered", bool)


def draw_curves(results: Results, folder: Path, name: str) -> list[Path]:
    """The learning curve of each variant's first run, as the run has drawn it."""
    pictures = []
    for label, runs in results.finished.items():
        if runs:
            source = runs[0].folder / "figures" / "learning_curve"
            for suffix in (".png", ".svg"):
                shutil.copyfile(source.with_suffix(suffix), folder / f"{name}-{label}{suffix}")
            pictures.append(folder / f"{name}-{label}.png")
    return pictures


def run_table(results: Results, name: str, title: str) -> Table:
    """A row a run."""
    columns = (
        "variant",
        "seed",
        "mastered",
        "level",
        "iterations",
        "learning iterations",
        "last learned",
        "restarts",
    )
    rows = [
        (
            label,
            f"{run.job.values['seed']}",
            "yes" if run.result["mastered"] else "no",
            f"{run.result['level']}",
            f"{run.result['iterations']}",
            f"{run.result['learning_iterations']}",
            f"{last_learned(run)}",
            f"{run.result['restarts']}",
        )
        for label, runs in results.finished.items()
        for run in runs
    ]
    return Table(name, title, columns, tuple(rows))


def level_table(results: Results, name: str, title: str) -> Table:
    """Learning iterations by level, mean over the runs, and how many runs learned there."""
    most = max((len(per_level(run)) for runs in results.finished.values() for run in runs), default=0)
    rows = []
    for label, runs in results.finished.items():
        for number in range(most if runs else 0):
            counts = [per_level(run)[number] for run in runs if number < len(per_level(run))]
            learned = sum(count > 0 for count in counts)
            rows.append(
                (label, f"{number + 1}", f"{sum(counts) / len(runs):.1f}", f"{learned}", f"{len(runs)}")
            )
    columns = ("variant", "level", "mean learning iterations", "runs that learned", "runs")
    return Table(name, title, columns, tuple(rows))


def variant_table(results: Results, name: str, title: str) -> Table:
    """A row a variant."""
    rows = []
    for label, runs in results.finished.items():
        solved = [cost(run) for run in runs if math.isfinite(cost(run))]
        learned = [whole(run.result, "learning_iterations") for run in runs]
        rows.append(
            (
                label,
                f"{len(runs)} of {results.wanted[label]}",
                f"{len(solved)}",
                f"{statistics.median(solved):.0f}" if solved else "-",
                # A run that gave up early would have learned more.
                ("at least " if len(solved) < len(runs) else "") + f"{sum(learned) / len(learned):.0f}"
                if learned
                else "-",
                f"{min((whole(run.result, 'level') for run in runs), default=0)}",
            )
        )
    columns = (
        "variant",
        "runs",
        "mastered",
        "median learning iterations of those",
        "mean learning iterations of all",
        "lowest level reached",
    )
    return Table(name, title, columns, tuple(rows))


def per_level(run: Finished) -> list[int]:
    """Learning iterations on each level, from Level 1."""
    return wholes(run.result, "learned_per_level")


def last_learned(run: Finished) -> int:
    """The last level that triggered learning."""
    return max((level for level, count in enumerate(per_level(run), start=1) if count), default=0)


def all_tables(results: Results, name: str, title: str) -> list[Table]:
    """By variant, by level and by run."""
    return [
        variant_table(results, name, title),
        level_table(results, f"{name}-levels", f"{title}, by level"),
        run_table(results, f"{name}-runs", f"{title}, run by run"),
    ]

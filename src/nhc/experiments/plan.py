"""Which runs the chosen figures need, which of them are done, and how long the others will take."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.code import code_version
from nhc.experiments.description import (
    Description,
    Environment,
    Finished,
    Results,
    Variant,
    compared_extents,
)
from nhc.experiments.fields import number, table
from nhc.experiments.index import Index
from nhc.experiments.job import Job, Record, Task, key_of
from nhc.experiments.kinds.registry import kind_of
from nhc.experiments.settings import Settings
from nhc.experiments.worker import RUN, finished_record

RUNS = "runs"
KEY_DIGITS = 20


class Figure(NamedTuple):
    """A description with its settings and the runs that they ask for."""

    description: Description
    settings: Settings
    variants: tuple[Variant, ...]


class Plan(NamedTuple):
    """All figures, and each run once, whoever needs it."""

    figures: tuple[Figure, ...]
    tasks: Mapping[Job, Task]
    names: Mapping[str, str]
    """Key of a task -> what a person calls it."""

    def waiting(self, index: Index) -> list[Task]:
        """The tasks that are not done, in the order of the figures."""
        return [task for task in self.tasks.values() if record_of(task, index) is None]


def figure_of(description: Description, settings: Settings) -> Figure:
    """The figure with its runs. Raises ConfigError for settings that no run can have."""
    return Figure(description, settings, tuple(description.variants(settings)))


def plan_of(figures: Sequence[Figure], out: Path) -> Plan:
    """The runs of figures; their folders lie in `out`."""
    tasks: dict[Job, Task] = {}
    names: dict[str, str] = {}
    for figure in figures:
        for variant in figure.variants:
            for count, one in enumerate(variant.jobs):
                if one not in tasks:
                    task = tasks[one] = task_of(one, out)
                    names[task.key] = name_of(figure.description.name, variant, count, one)
    return Plan(tuple(figures), tasks, names)


def name_of(figure: str, variant: Variant, count: int, one: Job) -> str:
    """`fig3d, search, seed 3`."""
    seed = one.values.get("seed")
    which = f", seed {seed}" if len(variant.jobs) > 1 and one.kind in ("train", "modules") else ""
    which = f", {count + 1} of {len(variant.jobs)}" if len(variant.jobs) > 1 and not which else which
    return f"{figure}, {variant.label}{which}"


def task_of(one: Job, out: Path) -> Task:
    """The task by which a run is done; its folder is named by its key."""
    kind = kind_of(one.kind)
    code = code_version(kind.modules, kind.data)
    key = key_of(one, code)
    return Task(key, one, code, str((out / RUNS / key[:KEY_DIGITS]).resolve()))


def record_of(task: Task, index: Index) -> Record | None:
    """The record of a finished run; None if the index does not know it as finished or its folder is gone."""
    entry = index.entry(task.key)
    return finished_record(task.path) if entry is not None and entry.status == "finished" else None


def expected_seconds(task: Task) -> float:
    """About how long a run takes on one core, without what a checkpoint has of it."""
    kind = kind_of(task.job.kind)
    done = kind.fraction(task.job.values, task.path / RUN)
    return kind.seconds(task.job.values) * max(0.0, 1.0 - done)


def results_of(figure: Figure, plan: Plan, index: Index) -> Results:
    """What there is of a figure's runs."""
    finished: dict[str, list[Finished]] = {}
    outdated: dict[str, int] = {}
    for variant in figure.variants:
        found = finished.setdefault(variant.label, [])
        for one in variant.jobs:
            task = plan.tasks[one]
            record = record_of(task, index)
            if record is not None:
                result, seconds = table(record, "result"), number(record, "seconds")
                found.append(Finished(one, result, seconds, task.path / RUN, environment_of(record)))
            elif index.made_otherwise(task):
                outdated[variant.label] = outdated.get(variant.label, 0) + 1
    own = figure.description.variants(Settings(seed=figure.settings.seed))
    smaller, larger = compared_extents(figure.variants, own)
    return Results(
        finished,
        {variant.label: len(variant.jobs) for variant in figure.variants},
        {variant.label: variant.missing for variant in figure.variants if variant.missing},
        figure.settings,
        smaller,
        larger,
        outdated,
    )


def environment_of(record: Record) -> Environment:
    """On what a run was made, by its record."""
    found = table(record, "environment")
    return Environment(*(str(found.get(name) or "unknown") for name in Environment._fields))

"""Which runs the chosen figures need, which of them are done, and how long the others will take."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.description import Description, Finished, Results, Settings, Variant, compared_extents
from nhc.experiments.job import Environment, Job, Record, Task, field, job, key_of, number, table
from nhc.experiments.kinds import KINDS, kind_of
from nhc.experiments.worker import RECORD, RUN, finished_record

RUNS = "runs"
KEY_DIGITS = 20


class Figure(NamedTuple):
    """A description with its settings and the runs that they ask for."""

    description: Description
    settings: Settings
    variants: tuple[Variant, ...]

    @classmethod
    def of(cls, description: Description, settings: Settings) -> "Figure":
        """The figure with its runs. Raises ConfigError for settings that no run can have."""
        return cls(description, settings, tuple(description.variants(settings)))


def tasks_of(figures: Sequence[Figure], out: Path) -> dict[Job, Task]:
    """The runs of figures in their order, each once, whoever needs it; their folders lie in `out`."""
    tasks: dict[Job, Task] = {}
    for figure in figures:
        for variant in figure.variants:
            for count, one in enumerate(variant.jobs, start=1):
                if one not in tasks:
                    tasks[one] = task_of(one, out, name_of(figure.description.name, variant, count, one))
    return tasks


def name_of(figure: str, variant: Variant, count: int, one: Job) -> str:
    """`fig3d, search, seed 3`, or `r1, network, 2 of 9` where seeds do not tell the runs apart."""
    total, name = len(variant.jobs), f"{figure}, {variant.label}"
    if total == 1:
        return name
    seed = one.values.get("seed")
    return f"{name}, seed {seed}" if one.kind in ("train", "modules") else f"{name}, {count} of {total}"


def task_of(one: Job, out: Path, name: str = "") -> Task:
    """The task by which a run is done; its folder is named by its key."""
    code = kind_of(one.kind).version
    key = key_of(one, code)
    return Task(key, one, code, (out / RUNS / key[:KEY_DIGITS]).resolve(), name)


def expected_seconds(task: Task) -> float:
    """About how long a run takes on one core, without what a checkpoint has of it."""
    kind = kind_of(task.job.kind)
    done = kind.fraction(task.job.values, task.path / RUN)
    return kind.seconds(task.job.values) * max(0.0, 1.0 - done)


def expected_wall(seconds: Sequence[float], workers: int) -> float:
    """About how long runs take that need so many seconds each, `workers` at a time."""
    return max([sum(seconds) / max(1, min(workers, len(seconds))), *seconds], default=0.0)


def outdated_jobs(out: Path) -> set[Job]:
    """The runs in a folder that were finished by another version of their kind.

    Raises ConfigError (`run.damaged`).
    """
    found: set[Job] = set()
    for path in (out / RUNS).glob(f"*/{RECORD}"):
        record = finished_record(path.parent) or {}
        kind = KINDS.get(field(record, "kind", str))
        if kind is not None:
            one = job(kind.name, table(record, "config"))
            if record["key"] != key_of(one, kind.version):
                found.add(one)
    return found


def results_of(
    figure: Figure, finished: Mapping[Job, Finished], outdated: AbstractSet[Job] = frozenset()
) -> Results:
    """What there is of a figure's runs, by those that are done."""
    own = figure.description.variants(Settings(seed=figure.settings.seed))
    smaller, larger = compared_extents(figure.variants, own)
    jobs = {variant.label: variant.jobs for variant in figure.variants}
    old = outdated - finished.keys()
    missing = {label: sum(one in old for one in every) for label, every in jobs.items()}
    return Results(
        {label: [finished[one] for one in every if one in finished] for label, every in jobs.items()},
        {label: len(every) for label, every in jobs.items()},
        {variant.label: variant.missing for variant in figure.variants if variant.missing},
        figure.settings,
        smaller,
        larger,
        {label: count for label, count in missing.items() if count},
    )


def finished_run(one: Job, record: Record, folder: Path) -> Finished:
    """A run by its record. Raises ConfigError (`run.damaged`)."""
    result, seconds = table(record, "result"), number(record, "seconds")
    return Finished(one, result, seconds, folder, Environment.of(record))

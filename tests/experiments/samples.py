"""Small runs and made-up results."""

from pathlib import Path

from nhc.experiments.description import Claim, Finished, Results, Settings
from nhc.experiments.engine import Report, answer
from nhc.experiments.job import Job, Record, Task, job, key_of
from nhc.experiments.kinds import kind_of
from nhc.training import keeping
from nhc.training.config import run_config

STUBBORN: dict[str, object] = {
    "domain": "free-tree",
    "budget": 1_500,
    "batch": 4,
    "es": {"learning_rate": 1e-6, "population": 6},
    "curriculum": {"levels": 2, "solved_after": 20},
    "restart": {"rule": "never"},
}
"""Learns nothing, so that it lasts long enough to be killed."""


def answer_with_many_checkpoints(task: Task) -> str:
    """What a worker does, but it writes a checkpoint ten times a second."""
    keeping.CHECKPOINT_SECONDS = 0.1
    return answer(task)


def stubborn_job(seed: int = 3, **changes: object) -> Job:
    """A run of a second or some, by its budget."""
    return job(
        "train", run_config("search", overrides={**STUBBORN, "seed": seed, **changes}).model_dump(mode="json")
    )


def task(one: Job, folder: Path) -> Task:
    """The task of a job."""
    code = kind_of(one.kind).version
    return Task(key_of(one, code), one, code, folder)


def trained(
    learned: int,
    *,
    mastered: bool = True,
    per_level: tuple[int, ...] = (),
    seed: int = 0,
    level: int | None = None,
    iterations: int | None = None,
) -> Finished:
    """A finished training run that nobody made."""
    counts = list(per_level or (learned, 0, 0, 0))
    result: Record = {
        "mastered": mastered,
        "level": level if level is not None else 4 if mastered else 2,
        "iterations": learned + 100 if iterations is None else iterations,
        "learning_iterations": learned,
        "restarts": 0,
        "learned_per_level": counts,
    }
    made = job("train", {"seed": seed, "budget": 1_000, "curriculum": {"levels": 3}})
    return Finished(made, result, 1.5, Path("nowhere"))


def results(settings: Settings | None = None, **runs: list[Finished]) -> Results:
    """Results of variants; `_` in a name stands for a blank."""
    finished = {name.replace("_", " "): list(part) for name, part in runs.items()}
    wanted = {name: len(part) for name, part in finished.items()}
    return Results(finished, wanted, {}, settings or Settings())


def claim(name: str, of: tuple[Claim, ...]) -> Claim:
    """The claim of that name."""
    return next(one for one in of if one.name == name)


class Notes(list[Report]):
    """Takes note of everything."""

    def events(self, key: str) -> list[str]:
        """What happened to a task."""
        return [str(report.event) for report in self if report.task.key == key]

"""Several runs over the cores, for example one a seed: one directory a run, and one picture of all."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from nhc.evolve.config import TrainConfig
from nhc.runs import seeds_figure
from nhc.runs.directory import RunDirectory
from nhc.runs.figure import save_figure
from nhc.runs.pool import completed
from nhc.runs.progress import SilentProgress
from nhc.training.keeping import (
    LogName,
    Summary,
    finished_summary,
    resume_in_directory,
    summary_of,
    train_in_directory,
)


class Job(NamedTuple):
    """One run to be done: in `path`, from where it stopped if `resume` and it was begun."""

    config: TrainConfig
    path: Path
    resume: bool
    overwrite: bool
    log: LogName = "none"


def run_job(job: Job) -> Summary:
    """Do one run without showing progress; a finished one is not repeated.

    Raises what `train_in_directory` and `resume_in_directory` raise.
    """
    if not (job.resume and RunDirectory(job.path).is_begun):
        quiet = SilentProgress()
        result = train_in_directory(job.config, job.path, quiet, overwrite=job.overwrite, log=job.log)
        return summary_of(result, job.path)
    done = finished_summary(job.path, job.config)
    if done is not None:
        return done
    return summary_of(resume_in_directory(job.path, SilentProgress(), job.config, log=job.log), job.path)


def run_jobs(
    jobs: Sequence[Job],
    workers: int,
    on_done: Callable[[Summary], None],
    on_lost: Callable[[Job], None] = lambda job: None,
) -> list[Summary]:
    """Do all runs in `workers` processes; `on_done` is told of each. Returns them in the order of `jobs`.

    A run whose worker is killed goes on with another one; `on_lost` is told. After the first error no other
    run begins, and it is raised when all running ones have ended. On KeyboardInterrupt the workers write
    their checkpoints before this raises.
    """

    def lost(job: Job) -> Job:
        on_lost(job)
        return job._replace(resume=True, overwrite=True)  # it was begun, or may be begun anew

    return completed(run_job, jobs, workers, on_done, lost=lost)


def draw_jobs(jobs: Sequence[Job], path_stem: Path) -> tuple[Path, Path]:
    """One picture of all runs. Raises StorageError (`storage.write`)."""
    config = jobs[0].config
    runs = [
        seeds_figure.outcome(RunDirectory.open(job.path).metrics.read(), config.last_level) for job in jobs
    ]
    title = f"Learning to {config.task}, {len(jobs)} runs, fitness {config.fitness}"
    return save_figure(seeds_figure.seeds_figure({config.task: runs}, title), path_stem)

"""Several seeds over the cores: spawned processes, one core each, one directory a run."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from nhc.evolve.config import TrainConfig
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import SilentProgress
from nhc.runs.seeds import draw_seeds
from nhc.training.keeping import (
    Summary,
    finished_summary,
    resume_in_directory,
    summary_of,
    train_in_directory,
)

ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"


class Job(NamedTuple):
    """One run to be done: in `path`, from where it stopped if `resume` and it was begun."""

    config: TrainConfig
    path: Path
    resume: bool
    overwrite: bool


def run_job(job: Job) -> Summary:
    """Do one run without showing progress; a finished one is not repeated."""
    if not (job.resume and job.path.exists()):
        result = train_in_directory(job.config, job.path, SilentProgress(), overwrite=job.overwrite)
        return summary_of(result, job.path)
    done = finished_summary(job.path)
    if done is not None:
        return done
    return summary_of(resume_in_directory(job.path, SilentProgress()), job.path)


def run_jobs(jobs: Sequence[Job], workers: int, on_done: Callable[[Summary], None]) -> list[Summary]:
    """Do all runs in `workers` processes; `on_done` is told of each. Returns them in the order of `jobs`.

    The first error is raised when all running jobs have ended. On KeyboardInterrupt the workers write their
    checkpoints before this raises.
    """
    context = multiprocessing.get_context("spawn")
    cores = context.Queue()
    for core in range(workers):
        cores.put(core)
    summaries: dict[int, Summary] = {}
    with ProcessPoolExecutor(workers, mp_context=context, initializer=_pin, initargs=(cores,)) as pool:
        waiting = iter(enumerate(jobs))
        running: dict[Future[Summary], int] = {}
        # A job is handed over only when a worker is free, so that an interrupt begins no others.
        for number, job in islice(waiting, workers):
            running[pool.submit(run_job, job)] = number
        while running:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                summary = future.result()
                summaries[running.pop(future)] = summary
                on_done(summary)
                for number, job in islice(waiting, 1):
                    running[pool.submit(run_job, job)] = number
    return [summaries[number] for number in range(len(jobs))]


def draw_jobs(jobs: Sequence[Job], path_stem: Path) -> tuple[Path, Path]:
    """One picture of all runs."""
    config = jobs[0].config
    runs = [RunDirectory.open(job.path).metrics.read() for job in jobs]
    title = f"Learning to {config.task}, {len(jobs)} runs, fitness {config.fitness}"
    levels = config.curriculum.levels + 1
    return draw_seeds({config.task: runs}, levels=levels, title=title, path_stem=path_stem)


def pin(core: int) -> None:
    """Give this process one thread, and the core of that number among those it may use, before JAX starts."""
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[core % len(allowed)]})


def _pin(cores: "multiprocessing.Queue[int]") -> None:
    """Pin a worker to a core that no other worker has taken."""
    pin(cores.get())

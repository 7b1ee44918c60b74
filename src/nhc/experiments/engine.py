"""Engines work through tasks with several workers, on one machine or many, and survive the loss of some.

No result depends on the engine, the number of workers or the order.
"""

import logging
import os
from collections.abc import Callable, Sequence
from enum import StrEnum
from importlib.util import find_spec
from typing import TYPE_CHECKING, NamedTuple

from nhc.errors import ConfigError
from nhc.experiments.job import Task
from nhc.experiments.worker import attempts, finished_record, perform
from nhc.runs.pool import ONE_THREAD, RETRIES, outcomes

if TYPE_CHECKING:
    import ray

OBJECT_STORE = 100 * 2**20
"""Bytes: only tasks and short answers travel."""
PULSE_SECONDS = 1.0
THREADS = {"XLA_FLAGS": ONE_THREAD, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


class Event(StrEnum):
    """What became of a task."""

    STARTED = "started"
    LOST = "lost"
    """Its worker died; the task will go on with another one."""
    FINISHED = "finished"
    FAILED = "failed"
    """It raised an error, or lost too many workers."""


class Report(NamedTuple):
    """Told of each event, in the process that called the engine."""

    task: Task
    event: Event
    reason: str = ""


class LocalEngine:
    """Worker processes on this machine, `workers` at a time."""

    name = "local"

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def prepare(self) -> None:
        """Find the workers, so that their number is known: here they start when there is work."""

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        """Do all tasks; prepares itself if need be. `pulse` is called about once a second.

        A task that fails is reported and the others go on. On KeyboardInterrupt the workers write their
        checkpoints before this raises.
        """

        def lost(task: Task) -> Task:
            note(Report(task, Event.LOST, "its worker was lost"))
            return task

        for outcome in outcomes(
            answer,
            tasks,
            self.workers,
            started=lambda task: note(Report(task, Event.STARTED)),
            lost=lost,
            pulse=pulse,
        ):
            reason = outcome.result if outcome.error is None else first_line(outcome.error)
            note(Report(outcome.item, Event.FAILED if reason else Event.FINISHED, reason or ""))


class RayEngine:
    """Workers of a cluster at `address`, or of a Ray of its own on this machine; needs the extra `[sweep]`.

    All machines must see the output folder under the same path: runs and their checkpoints live there. Ray
    itself begins the task of a lost worker again, and the task goes on from its last checkpoint.
    """

    name = "ray"

    def __init__(self, workers: int, address: str | None = None) -> None:
        """Raises ConfigError (`reproduce.engine`) if Ray is not installed."""
        if find_spec("ray") is None:
            raise ConfigError("reproduce.engine", "expected Ray; install it with pip install 'nhc[sweep]'")
        self.workers = workers
        self._address = address

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        """As `LocalEngine.run` does."""
        import ray

        self.prepare()
        try:
            remote = ray.remote(num_cpus=1, max_retries=RETRIES, retry_exceptions=False)(answer)
            running = {remote.remote(task): task for task in tasks}
            try:
                _watch(running, note, pulse)
            except BaseException:
                _cancel(list(running))
                raise
        finally:
            ray.shutdown()

    def prepare(self) -> None:
        """Connect: a cluster has as many workers as cores, whatever was asked for.

        Raises ConfigError (`reproduce.engine`) if there is no cluster at the address.
        """
        # Ray tells its makers about its use unless it is told not to.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        import ray

        if ray.is_initialized():
            return
        settings = {"env_vars": THREADS}
        try:
            if self._address is None:
                ray.init(
                    num_cpus=self.workers,
                    include_dashboard=False,
                    object_store_memory=OBJECT_STORE,
                    log_to_driver=False,
                    logging_level=logging.ERROR,
                    runtime_env=settings,
                )
            else:
                ray.init(address=self._address, log_to_driver=False, runtime_env=settings)
                self.workers = int(ray.cluster_resources().get("CPU", 1))
        except (ConnectionError, RuntimeError, ValueError) as error:
            message = f"Ray did not start at {self._address or 'this machine'}: {first_line(error)}"
            raise ConfigError("reproduce.engine", message) from error


Engine = LocalEngine | RayEngine


def answer(task: Task) -> str:
    """In a worker: do a task; empty, or the reason of a failure. Whatever a run raises, the others go on."""
    try:
        perform(task)
    except Exception as error:
        return first_line(error)
    return ""


def first_line(error: BaseException) -> str:
    """An error as a reason of one line."""
    text = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {text[0]}"


def _watch(
    running: "dict[ray.ObjectRef[str], Task]", note: Callable[[Report], None], pulse: Callable[[], None]
) -> None:
    """Report until all tasks have ended; removes those from `running`."""
    import ray

    # Workers write an attempt into the folder of a task when they begin or go on with it.
    seen, started = {task.key: attempts(task.path) for task in running.values()}, set[str]()
    while running:
        done, _ = ray.wait(list(running), num_returns=1, timeout=PULSE_SECONDS)
        for task in running.values():
            for _ in range(attempts(task.path) - seen[task.key]):
                if task.key in started:
                    note(Report(task, Event.LOST, "its worker was lost"))
                note(Report(task, Event.STARTED))
                started.add(task.key)
                seen[task.key] += 1
        for reference in done:
            task = running.pop(reference)
            try:
                reason = str(ray.get(reference))
            except ray.exceptions.RayError as error:
                reason = first_line(error)
            if not reason and finished_record(task.path) is None:
                reason = "its record is not in the output folder: do all machines see it under this path?"
            note(Report(task, Event.FAILED if reason else Event.FINISHED, reason))
        pulse()


def _cancel(references: "list[ray.ObjectRef[str]]") -> None:
    """Ctrl-C in every worker: runs write their checkpoints; tasks that wait do not begin."""
    import ray

    for reference in references:
        ray.cancel(reference, force=False, recursive=True)
    ray.wait(references, num_returns=len(references), timeout=30.0)

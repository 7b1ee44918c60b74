"""What every engine does: it works through tasks with several workers and survives the loss of some.

The engine of one machine is here: the pool of worker processes, with a task as an item.
"""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from nhc.experiments.job import Task
from nhc.experiments.worker import perform
from nhc.runs.pool import outcomes


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


@runtime_checkable
class Engine(Protocol):
    """Runs tasks; no result depends on the engine, the number of workers or the order."""

    @property
    def name(self) -> str:
        """`local` or `ray`."""
        ...

    @property
    def workers(self) -> int:
        """Tasks at a time."""
        ...

    def prepare(self) -> None:
        """Find the workers, so that their number is known. Raises ConfigError (`reproduce.engine`)."""
        ...

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        """Do all tasks; prepares itself if need be. `pulse` is called about once a second.

        A task that fails is reported and the others go on. On KeyboardInterrupt the workers write their
        checkpoints before this raises.
        """
        ...


def first_line(error: BaseException) -> str:
    """An error as a reason of one line."""
    text = str(error).strip().splitlines() or [""]
    return f"{type(error).__name__}: {text[0]}"


class LocalEngine:
    """Processes on this machine."""

    name = "local"

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def prepare(self) -> None:
        """Nothing: processes start when there is work."""

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        """See `Engine.run`."""

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


def answer(task: Task) -> str:
    """In a worker: do a task; empty, or the reason of a failure. Whatever a run raises, the others go on."""
    try:
        perform(task)
    except Exception as error:
        return first_line(error)
    return ""

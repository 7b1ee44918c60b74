"""What every engine does: it works through tasks with several workers and survives the loss of some."""

from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol, runtime_checkable

from nhc.experiments.job import Task


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

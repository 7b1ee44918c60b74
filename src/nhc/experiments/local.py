"""The engine of one machine: the pool of worker processes, with a task of a reproduction as an item."""

from collections.abc import Callable, Sequence

from nhc.experiments.engine import RETRIES, Event, Report, first_line
from nhc.experiments.job import Task
from nhc.experiments.worker import perform
from nhc.runs.pool import outcomes


class LocalEngine:
    """Processes on this machine."""

    name = "local"

    def __init__(self, workers: int, retries: int = RETRIES) -> None:
        self.workers = workers
        self._retries = retries

    def prepare(self) -> None:
        """Nothing: processes start when there is work."""

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        """See `nhc.experiments.engine.Engine.run`."""

        def lost(task: Task) -> Task:
            note(Report(task, Event.LOST, "its worker was lost"))
            return task

        for outcome in outcomes(
            answer,
            tasks,
            self.workers,
            retries=self._retries,
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

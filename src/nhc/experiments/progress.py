"""Progress over all runs, with the time left."""

import time
from collections.abc import Callable, Sequence

from nhc.experiments.engine import Event, Report
from nhc.experiments.job import Task
from nhc.experiments.kinds import kind_of
from nhc.experiments.plan import expected_seconds, expected_wall
from nhc.experiments.worker import RUN, finished_record
from nhc.runs.progress import Clock, duration

INTERVAL = 15.0
"""Seconds between two lines while nothing happens."""


class SweepProgress:
    """Says what happens to runs, and how long the others will take, line by line.

    Expected times are corrected by what finished runs of the same kind took.
    """

    def __init__(
        self, tasks: Sequence[Task], workers: int, say: Callable[[str], None], clock: Clock = time.monotonic
    ) -> None:
        self._left = {task.key: task for task in tasks}
        self._running: dict[str, Task] = {}
        self._expected = {task.key: expected_seconds(task) for task in tasks}
        self._taken: dict[str, tuple[float, float]] = {}
        """Kind -> seconds that finished runs took, and that had been expected of them."""
        self._total, self._workers = len(tasks), workers
        self._say, self._clock = say, clock
        self._said_at = clock()

    def note(self, report: Report) -> None:
        """Take note of an event and say so."""
        task = report.task
        if report.event == Event.STARTED:
            self._running[task.key] = task
            return
        self._running.pop(task.key, None)
        if report.event == Event.LOST:
            self._line(f"{task.name}: {report.reason}; it goes on from its last checkpoint")
            return
        self._left.pop(task.key, None)
        failed = report.event == Event.FAILED
        ended = f"failed: {report.reason}" if failed else f"done in {self._measured(task):.0f} s"
        self._line(f"{task.name}: {ended}")

    def pulse(self) -> None:
        """Say where the runs are, now and then."""
        if self._clock() - self._said_at >= INTERVAL:
            running = [self._where(task) for task in self._running.values()]
            self._line("; ".join(running) if running else "waiting for workers")

    def left(self) -> float:
        """Seconds until all is done."""
        each = [self._pace(task.job.kind) * expected_seconds(task) for task in self._left.values()]
        return expected_wall(each, self._workers)

    def _measured(self, task: Task) -> float:
        record = finished_record(task.path) or {}
        seconds = float(str(record.get("seconds", 0.0)))
        taken, expected = self._taken.get(task.job.kind, (0.0, 0.0))
        self._taken[task.job.kind] = (taken + seconds, expected + self._expected[task.key])
        return seconds

    def _pace(self, kind: str) -> float:
        taken, expected = self._taken.get(kind, (0.0, 0.0))
        return taken / expected if expected > 0 else 1.0

    def _where(self, task: Task) -> str:
        done = kind_of(task.job.kind).fraction(task.job.values, task.path / RUN)
        return task.name + (f" {done:.0%}" if done else "")

    def _line(self, text: str) -> None:
        done = self._total - len(self._left)
        self._say(f"  {done}/{self._total} runs, about {duration(self.left())} left | {text}")
        self._said_at = self._clock()

"""The engine of one machine: spawned processes, one core and one thread each, that may die at any time.

`concurrent.futures` gives up all running work when one of its processes dies. Here each worker has a pipe of
its own: only the task of the dead worker begins again, with a new worker, at its last checkpoint.
"""

import multiprocessing
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import NamedTuple

from nhc.experiments.engine import RETRIES, Event, Report
from nhc.experiments.job import Task
from nhc.experiments.local_worker import serve, signals_held

PULSE_SECONDS = 1.0
STOP_SECONDS = 30.0
"""For the last checkpoint after Ctrl-C."""


class _Attempt(NamedTuple):
    task: Task
    lost: int
    """Workers that died on it."""


class _Worker:
    """A process and what it works on."""

    def __init__(self, core: int) -> None:
        self.core = core
        self.attempt: _Attempt | None = None
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process: SpawnProcess = context.Process(target=serve, args=(theirs, self.core), daemon=False)
        # A worker must not see the Ctrl-C of the terminal: it is told to stop, once.
        with signals_held():
            self.process.start()
        theirs.close()

    def begin(self, attempt: _Attempt) -> bool:
        """Hand over a task; False if the worker has died."""
        try:
            self.connection.send(attempt.task)
        except OSError:
            return False
        self.attempt = attempt
        return True

    def restart(self) -> str:
        """Replace a dead process; returns how it ended."""
        self.process.join()
        ended = ending(self.process.exitcode)
        self.close()
        self._start()
        return ended

    def answer(self) -> str | None:
        """The worker's answer, empty or the reason of a failure; None if there is none and will be none."""
        try:
            return str(self.connection.recv()) if self.connection.poll() else None
        except (EOFError, OSError):
            return None

    def close(self) -> None:
        """Let an idle worker end."""
        self.attempt = None
        self.connection.close()


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
        waiting = deque(_Attempt(task, 0) for task in tasks)
        workers: list[_Worker] = []
        try:
            for core in range(min(self.workers, len(tasks))):
                workers.append(_Worker(core))
            while waiting or any(worker.attempt for worker in workers):
                self._hand_out(workers, waiting, note)
                self._collect(workers, waiting, note)
                pulse()
        except BaseException:
            _stop(workers)
            raise
        for worker in workers:
            worker.close()
        _join(workers, time.monotonic() + STOP_SECONDS)

    def _hand_out(
        self, workers: list[_Worker], waiting: deque[_Attempt], note: Callable[[Report], None]
    ) -> None:
        for worker in workers:
            if worker.attempt is None and waiting:
                while not worker.begin(waiting[0]):  # it died idle
                    worker.restart()
                note(Report(waiting.popleft().task, Event.STARTED))

    def _collect(
        self, workers: list[_Worker], waiting: deque[_Attempt], note: Callable[[Report], None]
    ) -> None:
        busy = [worker for worker in workers if worker.attempt is not None]
        sources: list[Connection | int] = [worker.connection for worker in busy]
        sources += [worker.process.sentinel for worker in busy]
        wait(sources, timeout=PULSE_SECONDS)
        for worker in busy:
            attempt = worker.attempt
            if attempt is None:
                continue
            alive = worker.process.is_alive()  # asked first: a worker may answer and then end
            answer = worker.answer()
            if answer is not None:
                worker.attempt = None
                event = Event.FAILED if answer else Event.FINISHED
                note(Report(attempt.task, event, answer))
            elif not alive:
                self._lose(worker, attempt, waiting, note)

    def _lose(
        self,
        worker: _Worker,
        attempt: _Attempt,
        waiting: deque[_Attempt],
        note: Callable[[Report], None],
    ) -> None:
        reason = f"its worker ended with {worker.restart()}"
        if attempt.lost < self._retries:
            waiting.appendleft(_Attempt(attempt.task, attempt.lost + 1))
            note(Report(attempt.task, Event.LOST, reason))
        else:
            note(Report(attempt.task, Event.FAILED, f"{reason}, the {attempt.lost + 1}. time"))


def ending(code: int | None) -> str:
    """How a process ended, in words."""
    if code is not None and code < 0:
        return signal.Signals(-code).name
    return f"exit code {code}"


def _stop(workers: list[_Worker]) -> None:
    """Ask the workers to write their checkpoints and end; end those that do not."""
    for worker in workers:
        if worker.process.is_alive():
            worker.process.terminate()
    _join(workers, time.monotonic() + STOP_SECONDS)


def _join(workers: list[_Worker], until: float) -> None:
    for worker in workers:
        worker.process.join(max(0.0, until - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.close()

"""One pool of worker processes: spawned, one core and one thread each, and they may die at any time.

An executor gives up all its work when one of its processes dies. So each worker is an executor of its own:
only the item of the dead worker begins again, with a new one; work that keeps checkpoints goes on from them.

A worker holds one end of a pipe, its lifeline. When the other end closes, because the work is over or
because this process is gone, killed too, the worker is interrupted as by Ctrl-C: what it does is kept.
"""

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import takewhile
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from types import FrameType
from typing import Generic, NamedTuple, TypeVar, cast

from nhc.errors import WorkError

ItemT = TypeVar("ItemT")
ResultT = TypeVar("ResultT")

RETRIES = 3
"""An item whose worker is lost goes on with another one this many times."""
PULSE_SECONDS = 1.0
STOP_SECONDS = 30.0
"""For a last checkpoint when a worker is told to stop."""
ONE_THREAD = "--xla_cpu_multi_thread_eigen=false"
THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


class Outcome(NamedTuple, Generic[ItemT, ResultT]):
    """What became of an item: a result, or the error that it ended with."""

    number: int
    """Of the item, from 0 on."""
    item: ItemT
    result: ResultT | None
    error: Exception | None


class _Attempt(NamedTuple, Generic[ItemT]):
    number: int
    item: ItemT
    lost: int
    """Workers that died on it."""


def outcomes(
    function: Callable[[ItemT], ResultT],
    items: Iterable[ItemT],
    workers: int,
    *,
    started: Callable[[ItemT], None] = lambda item: None,
    lost: Callable[[ItemT], ItemT] = lambda item: item,
    pulse: Callable[[], None] = lambda: None,
) -> Iterator[Outcome[ItemT, ResultT]]:
    """`function` of every item over `workers` processes, each outcome as soon as it is there.

    An item is taken and handed over only when a worker is free. `started` and `lost` are told of items here,
    `lost` returns the item to go on with, `pulse` is called about once a second. An item that takes `RETRIES`
    + 1 workers with it ends with WorkError (`run.worker`). Whoever stops asking, by an error or an interrupt,
    stops the workers: their runs write checkpoints before this returns.
    """
    pool = _Pool(function, items, workers)
    try:
        while busy := pool.hand_out(started):
            wait([worker.future for worker in busy], PULSE_SECONDS, FIRST_COMPLETED)
            for worker in busy:
                ended = worker.collect()
                if isinstance(ended, Outcome):
                    yield ended
                elif ended is not None and ended.lost < RETRIES:
                    pool.again.append(_Attempt(ended.number, lost(ended.item), ended.lost + 1))
                elif ended is not None:
                    error = WorkError("run.worker", f"its worker was lost {ended.lost + 1} times")
                    yield Outcome(ended.number, ended.item, None, error)
            pulse()
    finally:
        pool.stop()


def in_order(function: Callable[[ItemT], ResultT], items: Sequence[ItemT], most: int) -> Iterator[ResultT]:
    """The results in the order of the items, each when those before it are there; raises their errors.

    At most so many processes work; what one would do is done in this one.
    """
    workers = min(most, len(items))
    if workers < 2:
        yield from map(function, items)
        return
    early, due = dict[int, Outcome[ItemT, ResultT]](), 0
    for outcome in outcomes(function, items, workers):
        early[outcome.number] = outcome
        while (ready := early.pop(due, None)) is not None:
            if ready.error is not None:
                raise ready.error
            yield cast("ResultT", ready.result)
            due += 1


def completed(
    function: Callable[[ItemT], ResultT],
    items: Iterable[ItemT],
    workers: int,
    on_done: Callable[[ResultT], None],
    *,
    started: Callable[[ItemT], None] = lambda item: None,
    lost: Callable[[ItemT], ItemT] = lambda item: item,
) -> list[ResultT]:
    """All results in the order of the items; `on_done` is told of each as soon as it is there.

    After the first error no other item begins, and it is raised when all running ones have ended. On
    KeyboardInterrupt the workers write their checkpoints before this raises.
    """
    results, errors = dict[int, ResultT](), list[Exception]()
    open_items = takewhile(lambda item: not errors, items)
    for outcome in outcomes(function, open_items, workers, started=started, lost=lost):
        if outcome.result is None:
            errors.append(outcome.error or RuntimeError("an item without a result"))
        else:
            results[outcome.number] = outcome.result
            on_done(outcome.result)
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(results))]


class _Pool(Generic[ItemT, ResultT]):
    """The workers, started one by one when there is work for them, and the items that wait."""

    def __init__(self, function: Callable[[ItemT], ResultT], items: Iterable[ItemT], size: int) -> None:
        self._function, self._size = function, size
        self._fresh = enumerate(items)
        self.again: list[_Attempt[ItemT]] = []
        """What lost its worker, and comes first."""
        self._workers: list[_Worker[ItemT, ResultT]] = []

    def hand_out(self, started: Callable[[ItemT], None]) -> "list[_Worker[ItemT, ResultT]]":
        """Give work to all that have none, as long as there is some; returns those at work."""
        while len(self._busy) < self._size and (attempt := self._taken()) is not None:
            idle = [worker for worker in self._workers if worker.attempt is None]
            if not idle:
                idle = [_Worker(self._function, len(self._workers))]
                self._workers += idle
            idle[0].begin(attempt)
            started(attempt.item)
        return self._busy

    def stop(self) -> None:
        """Interrupt what is at work, wait for its checkpoints, and end all processes."""
        for worker in self._workers:
            worker.stop()
        wait([worker.future for worker in self._busy], STOP_SECONDS)
        for worker in self._workers:
            worker.close()

    @property
    def _busy(self) -> "list[_Worker[ItemT, ResultT]]":
        return [worker for worker in self._workers if worker.attempt is not None]

    def _taken(self) -> _Attempt[ItemT] | None:
        """The next item to be begun; None if there is none now."""
        if self.again:
            return self.again.pop()
        return next((_Attempt(number, item, 0) for number, item in self._fresh), None)


class _Worker(Generic[ItemT, ResultT]):
    """A process and what it works on."""

    def __init__(self, function: Callable[[ItemT], ResultT], core: int) -> None:
        self._function, self._core = function, core
        self.attempt: _Attempt[ItemT] | None = None
        self.future: Future[ResultT] = Future()
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._theirs, self._lifeline = context.Pipe(duplex=False)
        arguments = (self._theirs, self._core)
        self._executor = ProcessPoolExecutor(1, context, initializer=_begin, initargs=arguments)

    def begin(self, attempt: _Attempt[ItemT]) -> None:
        """Hand over an item; a process that died idle is replaced."""
        self.attempt = attempt
        # The first item starts the process. It must not see the Ctrl-C of the terminal: it is told to stop.
        with _signals_held(), _one_thread():
            try:
                self.future = self._executor.submit(_perform, self._function, attempt.item)
            except BrokenProcessPool:
                self._replace()
                self.future = self._executor.submit(_perform, self._function, attempt.item)
        self._theirs.close()

    def collect(self) -> Outcome[ItemT, ResultT] | _Attempt[ItemT] | None:
        """The outcome; the attempt if the process died on it; None if it goes on."""
        attempt = self.attempt
        if attempt is None or not self.future.done():
            return None
        self.attempt = None
        try:
            return Outcome(attempt.number, attempt.item, self.future.result(), None)
        except BrokenProcessPool:
            self._replace()
            return attempt
        except Exception as error:
            return Outcome(attempt.number, attempt.item, None, error)

    def stop(self) -> None:
        """Interrupt the process."""
        self._lifeline.close()

    def close(self) -> None:
        """Let the process end."""
        self.stop()
        self._theirs.close()
        self._executor.shutdown(wait=True, cancel_futures=True)

    def _replace(self) -> None:
        self.close()
        self._start()


_BUSY = threading.Event()
"""In a worker: is it at work on an item?"""


def _begin(lifeline: Connection, core: int) -> None:
    """Prepare a worker process, before it imports JAX: one thread, and one of the cores it may use."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _interrupt)
    threading.Thread(target=_end_with, args=(lifeline,), daemon=True).start()
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {ONE_THREAD}".strip()
    if hasattr(os, "sched_setaffinity"):
        allowed = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {allowed[core % len(allowed)]})


def _perform(function: Callable[[ItemT], ResultT], item: ItemT) -> ResultT:
    _BUSY.set()
    try:
        return function(item)
    except KeyboardInterrupt:
        # What was to be kept is kept, and nobody waits for an answer. Threads of XLA may still compute.
        os._exit(128 + signal.SIGTERM)
    finally:
        _BUSY.clear()


def _interrupt(number: int, _: FrameType | None) -> None:
    """As Ctrl-C does, once: the work is kept, and nothing may disturb that. Without work the process ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if not _BUSY.is_set():
        os._exit(128 + number)
    raise KeyboardInterrupt


def _end_with(lifeline: Connection) -> None:
    """Stop this process when the lifeline is cut: kindly, and at last without asking."""
    wait_for([lifeline])
    if not _BUSY.is_set():
        os._exit(0)
    os.kill(os.getpid(), signal.SIGTERM)
    threading.Event().wait(STOP_SECONDS)
    os._exit(128 + signal.SIGKILL)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Processes started meanwhile load NumPy with one thread."""
    before = {name: os.environ.get(name) for name in THREADS}
    os.environ.update(dict.fromkeys(THREADS, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


@contextmanager
def _signals_held() -> Iterator[None]:
    """Ctrl-C waits until the end; a process started meanwhile never gets it."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    # The first start of a process starts this helper too, and that lets Ctrl-C through again.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

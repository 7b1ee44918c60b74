"""A process of the local engine: takes tasks from its pipe until the pipe closes or it is told to stop."""

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing import parent_process, resource_tracker
from multiprocessing.connection import Connection, wait
from types import FrameType

from nhc.experiments.engine import first_line
from nhc.experiments.job import Task
from nhc.experiments.worker import perform
from nhc.training.seeds import pin


def serve(connection: Connection, core: int) -> None:
    """Do tasks one after the other; each is answered with an empty text or the reason of its failure."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _interrupt)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    pin(core)
    try:
        while True:
            task = connection.recv()
            if not isinstance(task, Task):
                raise TypeError(f"expected a task, found {type(task).__name__}")
            try:
                perform(task)
                answer = ""
            except Exception as error:  # whatever a run raises, the other runs go on
                answer = first_line(error)
            connection.send(answer)
    except (EOFError, OSError, KeyboardInterrupt):
        return


def _interrupt(number: int, frame: FrameType | None) -> None:
    """As Ctrl-C does, once: the run writes a checkpoint, and nothing may disturb that."""
    del number, frame
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise KeyboardInterrupt


def _end_with_parent() -> None:
    """Nobody would take the result, and a new command may go on with the run."""
    parent = parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


@contextmanager
def signals_held() -> Iterator[None]:
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

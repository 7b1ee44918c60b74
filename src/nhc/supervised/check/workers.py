"""Chunks over the cores: spawned processes of one thread each, results in the order of the chunks.

A worker lives on its pipe: when the parent is gone, killed too, the pipe ends and so does the worker.
"""

import multiprocessing
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Generic, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import FiniteWorld, LocalStateT
from nhc.supervised.check.fast import FastEngine, product_rate
from nhc.supervised.check.judged import ChunkResult
from nhc.supervised.check.plain import Networks
from nhc.supervised.check.truth import Truth

CheckedT_contra = TypeVar("CheckedT_contra", bound=tuple[object, ...], contravariant=True)

THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
RATE_EVERY = 64
"""Chunks between two measurements of the core's matrix-product rate."""


@dataclass(frozen=True)
class Job(Generic[LocalStateT]):
    """A chunk of states; `first` is the number of its first state."""

    number: int
    first: int
    states: LocalStateT


class Done(NamedTuple):
    """What a chunk gave; `rate` is the core's product rate, where it was measured with this chunk."""

    number: int
    result: ChunkResult
    rate: float | None


@dataclass(frozen=True)
class Spec(Generic[LocalStateT]):
    """All that a worker needs."""

    world: FiniteWorld[LocalStateT]
    networks: Networks
    constant: NDArray[np.int64]
    modules: frozenset[str]


@runtime_checkable
class Engine(Protocol[CheckedT_contra]):
    """Checks chunks of states."""

    def check(self, states: CheckedT_contra, first: int) -> ChunkResult:
        """The tallies of a chunk whose first state has the number `first`."""
        ...


def in_process(engine: Engine[LocalStateT], jobs: Iterator[Job[LocalStateT]]) -> Iterator[Done]:
    """One chunk after the other, here."""
    for job in jobs:
        yield Done(job.number, engine.check(job.states, job.first), None)


def over_cores(spec: Spec[LocalStateT], jobs: Iterator[Job[LocalStateT]], workers: int) -> Iterator[Done]:
    """Chunks over `workers` processes; an error of a worker is raised here."""
    with _started(spec, workers) as pipes:
        order: list[int] = []
        ready: dict[int, Done] = {}
        idle, busy = list(pipes), set[Connection]()
        while True:
            while idle and (job := next(islice(jobs, 1), None)) is not None:
                pipe = idle.pop()
                pipe.send(job)
                busy.add(pipe)
                order.append(job.number)
            if not busy:
                return
            for pipe in cast(list[Connection], wait(list(busy))):
                answer: Done | Exception = pipe.recv()
                if isinstance(answer, Exception):
                    raise answer
                ready[answer.number] = answer
                busy.remove(pipe)
                idle.append(pipe)
            while order and order[0] in ready:
                yield ready.pop(order.pop(0))


@contextmanager
def _started(spec: Spec[LocalStateT], workers: int) -> Iterator[list[Connection]]:
    context = multiprocessing.get_context("spawn")
    pipes: list[Connection] = []
    processes: list[BaseProcess] = []
    before = {name: os.environ.get(name) for name in THREADS}
    try:
        os.environ.update(dict.fromkeys(THREADS, "1"))  # read by the workers when they load NumPy
        for _ in range(workers):
            here, there = context.Pipe()
            process: BaseProcess = context.Process(target=serve, args=(there, spec), daemon=True)
            process.start()
            there.close()
            pipes.append(here)
            processes.append(process)
        yield pipes
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})
        for pipe in pipes:
            pipe.close()
        for process in processes:
            process.terminate()
            process.join()


def serve(pipe: Connection, spec: Spec[LocalStateT]) -> None:
    """Answer jobs until the pipe ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        engine = FastEngine(Truth(spec.world), spec.networks, spec.constant, spec.modules)
        for count in range(2**62):
            job: Job[LocalStateT] = pipe.recv()
            rate = product_rate() if count % RATE_EVERY == 0 else None
            pipe.send(Done(job.number, engine.check(job.states, job.first), rate))
    except (EOFError, ConnectionError):  # the parent has gone, or has ended the check
        return
    except Exception as error:
        pipe.send(error)

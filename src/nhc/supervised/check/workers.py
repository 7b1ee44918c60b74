"""Chunks over the cores, results in the order of the chunks."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Generic, NamedTuple, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import FiniteWorld, LocalStateT
from nhc.runs.pool import outcomes
from nhc.supervised.check.fast import FastEngine, product_rate
from nhc.supervised.check.judged import ChunkResult
from nhc.supervised.check.plain import Networks
from nhc.supervised.check.truth import Truth

CheckedT_contra = TypeVar("CheckedT_contra", bound=tuple[object, ...], contravariant=True)

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
    """Chunks over `workers` processes; an error of a worker is raised here, a lost chunk is done again."""
    ready: dict[int, Done] = {}
    following = 0
    for outcome in outcomes(_check, jobs, workers, prepare=partial(_begin, spec)):
        if outcome.result is None:
            raise outcome.error or RuntimeError("a chunk without a result")
        ready[outcome.number] = outcome.result
        while following in ready:
            yield ready.pop(following)
            following += 1


_CHECKS: list[Callable[[tuple[object, ...], int], ChunkResult]] = []
"""In a worker: what checks chunks."""


def _begin(spec: Spec[LocalStateT]) -> None:
    engine = FastEngine(Truth(spec.world), spec.networks, spec.constant, spec.modules)
    _CHECKS.append(cast(Callable[[tuple[object, ...], int], ChunkResult], engine.check))


def _check(job: Job[LocalStateT]) -> Done:
    rate = product_rate() if job.number % RATE_EVERY == 0 else None
    return Done(job.number, _CHECKS[0](job.states, job.first), rate)

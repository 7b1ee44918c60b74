"""An endless, reproducible supply of traces per level, independent of who asks and in what portions.

Tasks of a level are drawn in refills; refill k of level L under a seed is always the same, so a position
(refill, offset) per level is all that a checkpoint keeps of it.
"""

from typing import NamedTuple, Protocol, runtime_checkable

from nhc.algorithms.protocol import Algorithm, InstanceT
from nhc.algorithms.traces import Traces, concatenate, stacked
from nhc.errors import InputError
from nhc.streams import random_stream

REFILL_INSTANCES = 256
REFILLS_IN_VAIN = 5
"""Refills in a row without a task of the level, before it counts as empty."""


class Position(NamedTuple):
    """How far a level's supply was used: next task `offset` of `refill`."""

    refill: int
    offset: int


START = Position(0, 0)


@runtime_checkable
class Supply(Protocol):
    """Tasks of any level."""

    def refill(self, level: int, index: int) -> Traces:
        """Refill `index` of `level`, perhaps empty: always the same under one seed."""
        ...


class InstanceSupply:
    """Instances drawn by `Algorithm.sample`; keeps the newest refill of each level."""

    def __init__(self, algorithm: Algorithm[InstanceT], seed: int) -> None:
        self._algorithm, self._seed = algorithm, seed
        self._newest: dict[int, tuple[int, Traces]] = {}

    def refill(self, level: int, index: int) -> Traces:
        """See `Supply`."""
        newest = self._newest.get(level)
        if newest is None or newest[0] != index:
            rng = random_stream(self._seed, "instances", level, index)
            instances = [self._algorithm.sample(level, rng) for _ in range(REFILL_INSTANCES)]
            self._newest[level] = newest = (index, stacked(self._algorithm, instances))
        return newest[1]


def take(supply: Supply, level: int, count: int, position: Position) -> tuple[Traces, Position]:
    """The next `count` tasks of `level` and the position after them.

    Raises InputError (`task.level`) if several refills in a row hold no task of the level.
    """
    parts: list[Traces] = []
    missing, in_vain = count, 0
    while missing > 0:
        tasks = supply.refill(level, position.refill)
        part = tasks.rows(slice(position.offset, position.offset + missing))
        parts.append(part)
        missing -= part.size
        in_vain = 0 if tasks.size else in_vain + 1
        if in_vain >= REFILLS_IN_VAIN:
            raise InputError("task.level", f"level {level}: {in_vain} refills in a row hold no task of it")
        exhausted = position.offset + part.size >= tasks.size
        position = (
            Position(position.refill + 1, 0)
            if exhausted
            else Position(position.refill, position.offset + part.size)
        )
    return concatenate(parts), position

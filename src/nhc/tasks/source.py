"""An endless, reproducible supply of tasks per level, independent of who asks and in what portions.

Tasks of a level are drawn in refills; refill k of level L under a seed is always the same, so a position
(refill, offset) per level is all that a checkpoint keeps of it.
"""

from typing import Generic, NamedTuple

from nhc.domains.protocol import Domain, StateT
from nhc.streams import random_stream
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks, concatenate
from nhc.tasks.sampler import MOST_WORLDS, Sample, level_is_empty, nearest_level, sample_tasks

REFILL_WORLDS = 2_000


class Position(NamedTuple):
    """How far a level's supply was used: next task `offset` of `refill`."""

    refill: int
    offset: int


START = Position(0, 0)


class TaskSource(Generic[StateT]):
    """Tasks of any level. Holds nothing but its arguments and the newest refill of each level."""

    def __init__(self, domain: Domain[StateT], algorithm: Algorithm, *, seed: int) -> None:
        self._domain = domain
        self._algorithm = algorithm
        self._seed = seed
        self._newest: dict[int, tuple[int, Sample[StateT]]] = {}
        self._behind: dict[int, int] = {}

    @property
    def domain_name(self) -> str:
        """The domain that tasks come from."""
        return self._domain.name

    def level_behind(self, level: int) -> int:
        """The level that tasks of `level` are drawn from: another only where the domain has none."""
        if level not in self._behind:
            self._behind[level] = nearest_level(self._domain, level, self._algorithm)
        return self._behind[level]

    def refill(self, level: int, index: int) -> Sample[StateT]:
        """Refill `index` of `level`: always the same tasks under one seed."""
        newest = self._newest.get(level)
        if newest is None or newest[0] != index:
            rng = random_stream(self._seed, "tasks", level, index)
            filled = self.level_behind(level)
            sample = sample_tasks(self._domain, filled, self._algorithm, rng=rng, worlds=REFILL_WORLDS)
            self._newest[level] = newest = (index, sample)
        return newest[1]

    def take(self, level: int, count: int, position: Position) -> tuple[Tasks, Position]:
        """The next `count` tasks of `level` and the position after them.

        Raises InputError (`task.level`) if 10,000 worlds in a row hold no task of the level.
        """
        parts: list[Tasks] = []
        missing, in_vain = count, 0
        while missing > 0:
            tasks = self.refill(level, position.refill).tasks
            part = tasks.rows(slice(position.offset, position.offset + missing))
            parts.append(part)
            missing -= part.size
            in_vain = 0 if tasks.size else in_vain + REFILL_WORLDS
            if in_vain >= MOST_WORLDS:
                raise level_is_empty(self._domain.name, level)
            exhausted = position.offset + part.size >= tasks.size
            position = (
                Position(position.refill + 1, 0)
                if exhausted
                else Position(position.refill, position.offset + part.size)
            )
        return concatenate(parts), position

    def acceptance_rate(self, level: int) -> float:
        """Share of drawn worlds that hold a task of `level`, measured on its first refill."""
        sample = self.refill(level, 0)
        return sample.tasks.size / sample.worlds

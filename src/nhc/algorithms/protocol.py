"""What an algorithm is to the machine: a data side, a teacher and a specification.

The machine sees numbers of signals and operations. An algorithm names them, says what they mean for data,
what each tick should do, and, apart from that, what the result must be. The trainer knows no more.
"""

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np

from nhc.algorithms.abstraction import Abstraction

if TYPE_CHECKING:
    from nhc.algorithms.judge import Judge
    from nhc.algorithms.supply import Supply
    from nhc.machine.rollout import TaskEnvironment

InstanceT = TypeVar("InstanceT")

Word = Hashable
"""A data word: any value that can be compared with others. Control never sees it."""


class Free:
    """What a teacher gives for a word read that does not matter; `FREE` is the only one."""

    def __repr__(self) -> str:
        return "FREE"


FREE: Final = Free()
"""What a teacher gives for the word read at a tick whose read does not matter."""


class Lesson(NamedTuple):
    """What one tick must do: the operation, by its place in `Algorithm.ops`, and the word that is read."""

    op: int
    word: Word | Free


@runtime_checkable
class DataSide(Protocol):
    """The data of one run in plain Python: Input, Transform_D, ALU and Output. It changes as runs go on."""

    @property
    def done(self) -> bool:
        """Has the run ended?"""
        ...

    @property
    def result(self) -> object:
        """The answer, once the run has ended."""
        ...

    def observe(self) -> tuple[Sequence[float], Word]:
        """Input, called once a tick: the control signals, and the word that the free head stores."""
        ...

    def act(self, op: int, word: Word) -> None:
        """Transform_D, ALU and Output: apply an operation to the word that was read.

        Where a teacher leaves the read free, `word` is `FREE` while its trace is made.
        """
        ...


class Algorithm(ABC, Generic[InstanceT]):
    """One algorithm. A subclass sets the names and defines the five methods without a body here.

    `teacher` and `spec` should share no code: the first is what is learned from, the second what a result is
    judged by. While a machine is right its data are the teacher's, so training needs no data side at all.
    """

    name: str
    signals: tuple[str, ...]
    """Names of the control signals, in the order in which `observe` gives them."""
    ops: tuple[str, ...]
    """Names of the operations."""
    control: str = ""
    """What control has to find out, in words."""
    alu: str = ""
    """What is done for it."""
    levels: int
    """Levels 1..levels of the curriculum; sampled training adds one that draws from all of them."""
    fitnesses: tuple[str, ...] = ("steps",)
    """Names of the fitnesses; `steps` judges each tick by the teacher."""
    proved: tuple[str, ...] = ("steps",)
    """Fitnesses of which a perfect machine must do what a proof is about: their exact runs end with one."""
    bonus: float = 0.0
    """Fitness for the ticks after `main_ticks`, on top of 100 for those before (the paper, Eq. 3)."""
    defaults: Mapping[str, object] = {}
    """Training options that differ from the usual ones, as nested tables."""

    @abstractmethod
    def sample(self, level: int, rng: np.random.Generator) -> InstanceT:
        """A random instance of a level in 1..levels; consumes `rng`."""

    @abstractmethod
    def begin(self, instance: InstanceT) -> DataSide:
        """The data side before the first tick."""

    @abstractmethod
    def teacher(self, instance: InstanceT) -> Sequence[Lesson]:
        """What each tick must do; the run ends with the last."""

    @abstractmethod
    def spec(self, instance: InstanceT) -> object:
        """The right result, found in another way than by the teacher."""

    def tasks(self, level: int) -> Sequence[InstanceT] | None:
        """All instances of a level as control sees them, or None if they cannot be listed.

        Control sees signals only, so instances whose traces have the same signals count once. With them a
        level is trained *exactly*: one perfect evaluation of all tasks solves it.
        """
        del level
        return None

    def abstraction(self) -> Abstraction | None:
        """What its proof is about (`nhc certify`), None if nothing was stated."""
        return None

    def main_ticks(self, instance: InstanceT) -> int | None:
        """Ticks that count for the first 100 of fitness, None if all do; the others count for `bonus`."""
        del instance
        return None

    @property
    def worlds(self) -> tuple[str, ...]:
        """Worlds that sampled tasks can come from, the usual one first; empty if instances need none."""
        return ()

    def supply(self, world: str, seed: int) -> "Supply":
        """An endless supply of sampled traces. Raises ConfigError for a world that does not exist."""
        from nhc.algorithms.supply import InstanceSupply

        del world
        return InstanceSupply(self, seed)

    def longest(self, level: int) -> int | None:
        """Most ticks of any task of the levels up to `level`, None if that is not known."""
        del level
        return None

    def judge(self, fitness: str) -> "Judge":
        """The judge of one of `fitnesses`; the same object each time, since compiled code depends on it."""
        from nhc.algorithms.judge import Steps

        del fitness
        return Steps()

    def probe(self) -> "tuple[TaskEnvironment, int] | None":
        """Environments (stacked on a leading axis) on which behaviours are compared, and ticks for each."""
        return None

    @property
    def maximum(self) -> float:
        """Best fitness of a batch."""
        return 100.0 + self.bonus

    def __repr__(self) -> str:
        return f"<algorithm {self.name}>"

"""Traces: what a run along the teacher is to the machine, tick by tick. Training sees nothing else.

A row holds the signals, the word that the free head stores, the operation to choose and the word to read.
Words are numbers that are equal exactly if the words are: control never sees data, so numbers do as well.
"""

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple, TypeAlias

import jax
import numpy as np
from jaxtyping import Array, Float, Int
from numpy.typing import NDArray

from nhc.algorithms.protocol import FREE, Algorithm, InstanceT, Lesson, Word
from nhc.errors import ConfigError

ANY = -1
"""In place of a word that is to be read: any will do."""


Column: TypeAlias = NDArray[np.generic]


class Traces(NamedTuple):
    """A batch of traces, padded to equal length; without the leading axis, one trace."""

    signals: Float[Array | np.ndarray, "*tasks ticks signals"]
    """c_i."""
    stored: Int[Array | np.ndarray, "*tasks ticks"]
    """d_i."""
    op: Int[Array | np.ndarray, "*tasks ticks"]
    word: Int[Array | np.ndarray, "*tasks ticks"]
    """The word that must be read, or `ANY`."""
    main: Int[Array | np.ndarray, "*tasks"]
    """Rows that count for the first 100 of fitness; T_e in the paper."""
    length: Int[Array | np.ndarray, "*tasks"]
    """Rows in all; what follows is padding."""

    @property
    def size(self) -> int:
        """Number of tasks."""
        return len(self.length)

    @property
    def ticks(self) -> int:
        """Columns, padding included."""
        return self.op.shape[-1]

    @property
    def longest(self) -> int:
        """Rows of the longest trace."""
        return int(np.max(self.length))

    def changed(self, change: Callable[[Column], Column]) -> "Traces":
        """The same tasks with another form of the columns that have a row a tick."""
        signals, stored, op, word = (change(np.asarray(column)) for column in self[:4])
        return Traces(signals, stored, op, word, self.main, self.length)

    def rows(self, index: NDArray[np.intp] | slice) -> "Traces":
        """The tasks at `index`."""
        return Traces(*(column[index] for column in self))

    def padded(self, ticks: int) -> "Traces":
        """The same tasks with `ticks` columns, which must be enough for the longest."""

        def fitted(column: Column) -> Column:
            room = ticks - column.shape[1]
            if room <= 0:
                return column[:, :ticks]
            return np.pad(column, [(0, 0), (0, room)] + [(0, 0)] * (column.ndim - 2))

        return self.changed(fitted)


def concatenate(parts: Sequence[Traces]) -> Traces:
    """All tasks of `parts`, in order."""
    if len(parts) == 1:
        return parts[0]
    ticks = max(part.ticks for part in parts)
    return Traces(*(np.concatenate(c) for c in zip(*(part.padded(ticks) for part in parts), strict=True)))


def empty_traces(tasks: int, ticks: int, signals: int) -> Traces:
    """`tasks` traces of zeros."""
    stored, op, word = np.zeros((3, tasks, ticks), np.int32)
    main, length = np.zeros((2, tasks), np.int32)
    return Traces(np.zeros((tasks, ticks, signals), np.float32), stored, op, word, main, length)


def trace_of(algorithm: Algorithm[InstanceT], instance: InstanceT) -> Traces:
    """The trace of one instance (a batch of one): the data side, run along the teacher.

    Raises ConfigError (`algorithm.teacher`) if teacher and data side do not end at the same tick, name an
    operation, a signal count or a word that cannot be, end with another result than the specification's, or
    depend on what is read where the teacher leaves it free.
    """
    side, lessons = algorithm.begin(instance), algorithm.teacher(instance)
    _require(len(lessons) > 0, algorithm, f"has no tick: {instance!r}")
    numbers: dict[Word, int] = {}
    made = empty_traces(1, len(lessons), len(algorithm.signals))
    for tick, (op, word) in enumerate(lessons):
        _require(not side.done, algorithm, f"ends before tick {tick + 1} of {len(lessons)}: {instance!r}")
        signals, stored = side.observe()
        where = f"at tick {tick + 1}: {instance!r}"
        fits = len(signals) == len(algorithm.signals) and 0 <= op < len(algorithm.ops)
        _require(fits, algorithm, f"gives {len(signals)} signals, operation {op}, {where}")
        hashable = isinstance(stored, Hashable) and isinstance(word, Hashable)
        _require(hashable, algorithm, f"stores or reads a word that is not hashable, {where}")
        made.signals[0, tick] = signals
        made.stored[0, tick] = numbers.setdefault(stored, len(numbers))
        made.op[0, tick] = op
        _require(word is FREE or word in numbers, algorithm, f"reads a word never stored, {where}")
        made.word[0, tick] = numbers.get(word, ANY)
        side.act(op, word)
    _require(side.done, algorithm, f"goes on after the teacher's last tick, {len(lessons)}: {instance!r}")
    found, wanted = side.result, algorithm.spec(instance)
    _require(
        found == wanted, algorithm, f"results in {found!r}, the specification in {wanted!r}: {instance!r}"
    )
    if any(lesson[1] is FREE for lesson in lessons):
        for chosen in (0, -1):
            _require_free(algorithm, instance, lessons, made, chosen)
    made.length[0], made.main[0] = len(lessons), _main_rows(algorithm, instance, len(lessons))
    return made


def _require_free(
    algorithm: Algorithm[InstanceT], instance: InstanceT, lessons: Sequence[Lesson], made: Traces, chosen: int
) -> None:
    """The signals are the same if the first word stored, or the last, is read wherever the read is free.

    Else a machine that is right is shown something else than in its trace.
    """
    side, stored = algorithm.begin(instance), list[Word]()
    for tick, (op, word) in enumerate(lessons):
        found = f"depends on a read that is free, before tick {tick + 1}: {instance!r}"
        _require(not side.done, algorithm, found)
        signals, word_stored = side.observe()
        _require(np.array_equal(np.asarray(signals, np.float32), made.signals[0, tick]), algorithm, found)
        stored.append(word_stored)
        side.act(op, stored[chosen] if word is FREE else word)
    right = side.done and side.result == algorithm.spec(instance)
    _require(right, algorithm, f"has a result that depends on a read that is free: {instance!r}")


def _main_rows(algorithm: Algorithm[InstanceT], instance: InstanceT, rows: int) -> int:
    """Rows for the first 100 of fitness: some, and not all if there is a bonus to be had for the others."""
    main = algorithm.main_ticks(instance)
    if main is None:
        main = rows
    fits = 0 < main <= rows and (main < rows or algorithm.bonus == 0)
    _require(fits, algorithm, f"has {main} main ticks of {rows}, bonus {algorithm.bonus:g}: {instance!r}")
    return main


def stacked(algorithm: Algorithm[InstanceT], instances: Sequence[InstanceT]) -> Traces:
    """The traces of several instances."""
    return concatenate([trace_of(algorithm, instance) for instance in instances])


def _require(fine: bool, algorithm: Algorithm[InstanceT], found: str) -> None:
    if not fine:
        raise ConfigError("algorithm.teacher", f"{algorithm.name}: its run along the teacher {found}")


class Shared(NamedTuple):
    """Traces with their common beginnings taken together: one trunk, from which each task forks off.

    Before they fork, tasks are one run of the machine, for it is shown the same and must do the same.
    """

    trunk: Traces
    """One trace."""
    fork: Int[Array | np.ndarray, " tasks"]
    """Rows of each task that are the trunk's."""
    rest: Traces
    """The other rows of each task; `main` and `length` are the whole task's."""

    @property
    def ticks(self) -> int:
        """Rows of trunk and branches: what it takes to run all tasks."""
        return int(self.trunk.length) + int((self.rest.length - self.fork).sum())


def shared(tasks: Traces) -> Shared:
    """Take together what tasks share with the longest of them (the first of several)."""
    columns = [np.asarray(column) for column in tasks[:4]]
    longest = int(np.argmax(tasks.length))
    same = np.all([(c == c[longest]).reshape(*c.shape[:2], -1).all(axis=2) for c in columns], axis=0)
    within = np.arange(tasks.ticks) < np.asarray(tasks.length)[:, None]
    fork = np.cumprod(same & within, axis=1).sum(axis=1)
    fork[longest] = max(np.delete(fork, longest), default=0)
    rest = (np.asarray(tasks.length) - fork).max()
    index = np.minimum(fork[:, None] + np.arange(rest), tasks.ticks - 1)
    task = np.arange(tasks.size)[:, None]
    branches = tasks.changed(lambda column: column[task, index])
    trunk = Traces(*(np.asarray(column)[longest] for column in tasks))
    length = np.asarray(fork.max(), np.int32)
    trunk = trunk._replace(main=np.minimum(trunk.main, length), length=length)
    return Shared(trunk, fork.astype(np.int32), branches)


def on_device(traces: Traces) -> Traces:
    """The same as arrays of JAX."""
    return jax.tree.map(jax.numpy.asarray, traces)

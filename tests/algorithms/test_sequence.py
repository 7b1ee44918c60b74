"""The sequence algorithms: teachers against specifications, data sides against twins, lists against all."""

from collections.abc import Callable, Iterable, Iterator
from itertools import product
from typing import get_args

import numpy as np
import pytest

from nhc.algorithms.names import Name
from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.sequence.family import SEQUENCES
from nhc.algorithms.sequence.preorder import NONE
from nhc.algorithms.tape import BLANK, LARGEST, START
from nhc.algorithms.traces import trace_of
from tests.algorithms.sequence_twins import TWINS

NAMED = {algorithm.name: algorithm for algorithm in SEQUENCES}


def test_names_are_those_of_the_registry() -> None:
    assert get_args(Name) == tuple(ALGORITHMS)
    assert [*ALGORITHMS][3:] == [*NAMED]


@pytest.mark.parametrize("name", NAMED)
def test_teacher_data_side_and_specification_agree(name: str) -> None:
    """`trace_of` runs the data side along the teacher and compares its result with the specification."""
    algorithm, rng = NAMED[name], np.random.default_rng(5)
    for level in range(1, algorithm.levels + 1):
        tasks = algorithm.tasks(level)
        for instance in (tasks[0], tasks[-1]):
            assert trace_of(algorithm, instance).longest <= algorithm.longest(level)
    for size in (1, 2, 3, 4, 5, 6, *((13,) if name != "hanoi" else ())):
        for _ in range(3):
            trace_of(algorithm, algorithm.random(size, rng))


@pytest.mark.parametrize("name", NAMED)
def test_the_data_side_is_that_of_its_twin(name: str) -> None:
    """Any operations on any words that a run can meet, right or not."""
    algorithm, rng = NAMED[name], np.random.default_rng(8)
    written = 0
    for run in range(60):
        instance = algorithm.random(1 + run % 7, rng)
        side, twin = algorithm.begin(instance), TWINS[name](instance)
        stored = [START, BLANK]
        steady = rng.random() < 0.5
        for _ in range(25):
            signals, word = side.observe()
            on, expected = twin.observe()
            assert {name for name, value in zip(algorithm.signals, signals, strict=True) if value} == on
            assert word == expected
            stored.append(expected)
            op = 0 if steady and rng.random() < 0.7 else int(rng.integers(len(algorithm.ops)))
            read = stored[-1 - int(rng.integers(min(len(stored), 4)))]
            side.act(op, read)
            twin.act(algorithm.ops[op], read)
            assert side.done == twin.done
            if twin.done:
                break
        assert side._written == twin.written  # type: ignore[attr-defined]
        written += len(twin.written)
    assert written > 0


FEW = [text for size in range(3) for text in product((1, 2, 3), repeat=size)]
THREE_DIGITS = [text for size in (1, 2, 3) for text in product((0, 1, 2), repeat=size)]


def small_trees() -> Iterator[object]:
    """Trees of three nodes, found among all pairs of children."""
    for tree in product(product((NONE, 1, 2), repeat=2), repeat=3):
        below = sorted(node for pair in tree for node in pair if node != NONE)
        if below == [1, 2] and tree[0] != (NONE, NONE) and 1 not in tree[1] and 2 not in tree[2]:
            yield tree


def small_questions() -> Iterator[object]:
    """Up to two queries for one or two keys whose values look like keys."""
    for queries, (first, second) in product(FEW, product((1, 2, 3), repeat=2)):
        yield ((1, first),), queries
        yield ((1, first), (2, second)), queries


EVERYTHING: dict[str, Callable[[], Iterable[object]]] = {
    "brackets": lambda: (text for size in range(5) for text in product((1, 2, -1, -2), repeat=size)),
    "counts": lambda: ("".join(text) for size in range(7) for text in product("abc", repeat=size)),
    "repeat": lambda: ((symbols, times) for symbols in FEW[1:] for times in range(6)),
    "add": lambda: ((3, first, second) for first in THREE_DIGITS[::2] for second in THREE_DIGITS),
    "intersect": lambda: (((1, 2)[:size], queries) for size in (1, 2) for queries in FEW),
    "recall": small_questions,
    "sort": lambda: (text for size in (1, 2, 3, 4) for text in product((1, 2, 3, 4), repeat=size)),
    "postfix": lambda: [(7,), (7, -2, "*"), (5, 6, "-", 7, "*"), (5, 6, 7, "-", "*")],
    "preorder": small_trees,
}
"""All small instances over few symbols; the others have one for each length."""
LEAST_MET = {"brackets": 10, "counts": 40, "add": 40, "recall": 40, "sort": 30, "preorder": 5}


@pytest.mark.parametrize("name", NAMED)
def test_lists_hold_every_sequence_of_signals_once(name: str) -> None:
    algorithm = NAMED[name]
    sizes = range({"counts": 7, "recall": 3, "repeat": 3, "add": 4}.get(name, 5))
    smallest = 0 if name in ("brackets", "counts", "postfix") else 1
    listed = [algorithm.shown(instance) for size in sizes[smallest:] for instance in algorithm.listed(size)]
    assert len(listed) == len({*listed})
    met = {algorithm.shown(instance) for instance in EVERYTHING.get(name, lambda: FEW[1:])()}
    assert met <= {*listed}
    assert len(met) >= LEAST_MET.get(name, 2)


@pytest.mark.parametrize("name", NAMED)
def test_samples_are_of_the_size(name: str) -> None:
    """The first level may be of another size than 1; beyond the curriculum a level is a size."""
    algorithm = NAMED[name]
    assert algorithm.sizes_of(1) == algorithm.sizes[0]
    assert algorithm.sizes_of(len(algorithm.sizes) + 40) == (len(algorithm.sizes) + 40,)
    sample = algorithm.sample(len(algorithm.sizes) + 3, np.random.default_rng(1))
    lengths = {
        "postfix": lambda: sum(isinstance(token, str) for token in sample),
        "add": lambda: max(len(sample[1]), len(sample[2])),
        **dict.fromkeys(("repeat", "intersect", "recall"), lambda: len(sample[0])),
    }
    assert lengths.get(name, lambda: len(sample))() == len(algorithm.sizes) + 3


def test_a_number_that_gets_too_large_ends_a_run_without_a_result() -> None:
    postfix = NAMED["postfix"]
    for instance, fits in [
        ((2**60, 2, "*"), True),
        ((2**60, 2, "*", 1, "+"), False),
        ((-(2**40), 2**40, "*"), False),
    ]:
        value = postfix.spec(instance)
        assert (value is not None) == fits
        side = postfix.begin(instance)
        for op, word in postfix.teacher(instance):
            side.observe()
            side.act(op, word)
            if side.done:
                break
        assert side.result == value
        assert value is None or abs(value) <= LARGEST


def test_sums_are_those_of_whole_numbers() -> None:
    add, rng = NAMED["add"], np.random.default_rng(7)
    lengths = set()
    for instance in (add.random(size, rng) for size in range(1, 25) for _ in range(20)):
        base, first, second = instance
        total = sum(digit * base**place for digits in (first, second) for place, digit in enumerate(digits))
        made = add.spec(instance)
        assert sum(digit * base**place for place, digit in enumerate(made)) == total
        lengths.add(len(made) - max(len(first), len(second)))
        assert all(0 <= digit < base for digit in made)
    assert lengths == {0, 1}

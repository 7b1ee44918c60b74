"""Traces: what a run along the teacher is, tick by tick, and what tasks have in common.

The plain twin of the traces of planning tasks grows trees by a queue and never sees a node's number formula.
"""

from collections.abc import Callable, Sequence

import numpy as np
import pytest

from nhc.algorithms.protocol import FREE, Algorithm, Lesson, Word
from nhc.algorithms.traces import ANY, Traces, concatenate, stacked, trace_of
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.algorithms.tree.nodes import depths
from nhc.algorithms.tree.sampler import sample_tasks, tree_traces
from nhc.errors import ConfigError
from tests.algorithms.test_sampler import DOMAINS, single
from tests.computer.machines import TREES
from tests.oracles.formulas import Phases
from tests.oracles.machine import NOP
from tests.oracles.teacher import free_step, grow, way_back

BOTH = list(TREES.values())


def some(rows: int, ticks: int, seed: int = 0) -> Traces:
    """Tasks of random numbers."""
    rng = np.random.default_rng(seed)
    columns = (rng.integers(1, 90, size=(rows, ticks)).astype(np.int32) for _ in range(3))
    main, length = (rng.integers(1, ticks, size=rows).astype(np.int32) for _ in range(2))
    return Traces(rng.random((rows, ticks, 3)).astype(np.float32), *columns, main, length)


def assert_same(found: Traces, expected: Traces) -> None:
    for one, other, kind in zip(found, expected, [np.float32, *[np.int32] * 5], strict=True):
        assert one.dtype == other.dtype == kind
        np.testing.assert_array_equal(one, other)


def assert_same_rows(found: Traces, expected: Traces) -> None:
    """The same tasks, whatever stands in the padding."""
    within = np.arange(found.ticks) < found.length[:, None]
    assert_same(
        *(
            tasks.changed(lambda c: c * within[(...,) + (None,) * (c.ndim - 2)].astype(c.dtype))
            for tasks in (found, expected)
        )
    )


@pytest.mark.parametrize("index", [slice(1, 4), np.array([4, 0, 4]), np.array([], np.intp)])
def test_rows_takes_the_same_rows_of_everything(index) -> None:
    tasks = some(5, 7)
    chosen = np.arange(5)[index].tolist()
    found = tasks.rows(index)
    assert found.size == len(chosen)
    for column, whole in zip(found, tasks, strict=True):
        assert column.tolist() == [whole[row].tolist() for row in chosen]


@pytest.mark.parametrize("ticks", [3, 7, 12])
def test_padding_changes_only_columns_beyond_both_widths(ticks: int) -> None:
    tasks, before = some(5, 7), some(5, 7)
    found = tasks.padded(ticks)
    assert found.ticks == ticks
    for column, whole in zip(found[:4], tasks[:4], strict=True):
        np.testing.assert_array_equal(column[:, :7], whole[:, :ticks])
        assert not column[:, 7:].any()
    assert found.main is tasks.main and found.length is tasks.length
    assert_same(tasks, before)


def test_parts_follow_each_other_as_wide_as_the_widest() -> None:
    parts = [some(2, 5, 1), some(1, 9, 2), some(3, 8, 3)]
    whole = concatenate(parts)
    assert (whole.size, whole.ticks) == (6, 9)
    assert whole.longest == max(part.longest for part in parts)
    for part, rows in zip(parts, (slice(0, 2), slice(2, 3), slice(3, 6)), strict=True):
        assert_same(whole.rows(rows), part.padded(9))
    assert_same(concatenate([parts[0]]), parts[0])


class Made(Algorithm[int]):
    """Instance n: n ticks on which the words 0, 1, ... are stored and the word before is read."""

    name, signals, ops, levels = "made", ("odd", "last"), ("next", "end"), 1

    def __init__(self, **changes: Callable[[int, int], object]) -> None:
        self.changes = changes
        self.bonus = changes.get("bonus", 0.0)

    def main_ticks(self, instance: int) -> int | None:
        return self.changes["main"](instance, 0) if "main" in self.changes else None

    def sample(self, level: int, rng: np.random.Generator) -> int:
        raise NotImplementedError

    def begin(self, instance: int) -> "MadeSide":
        return MadeSide(self.changes.get("ticks", lambda n, _: n)(instance, 0), self.changes)

    def teacher(self, instance: int) -> list[Lesson]:
        read = self.changes.get("read", lambda n, t: FREE if t == 0 else f"word {(t - 1) // 2}")
        op = self.changes.get("op", lambda n, t: int(t == n - 1))
        return [Lesson(op(instance, t), read(instance, t)) for t in range(instance)]

    def spec(self, instance: int) -> object:
        return instance


class MadeSide:
    """Stores each word twice; notes what it is told."""

    def __init__(self, ticks: int, changes: dict) -> None:
        self.ticks, self.changes, self.told = ticks, changes, []

    @property
    def done(self) -> bool:
        return len(self.told) >= self.ticks

    @property
    def result(self) -> int:
        return len(self.told)

    def observe(self) -> tuple[Sequence[float], Word]:
        t = len(self.told)
        signals = self.changes.get("signals", lambda n, t: (t % 2, 0.5))
        return signals(self.ticks, t), f"word {t // 2}"

    def act(self, op: int, word: Word) -> None:
        self.told.append((op, word))


def test_a_trace_is_the_data_side_along_the_teacher() -> None:
    found = trace_of(Made(), 5)
    assert (found.size, found.ticks, found.longest) == (1, 5, 5)
    assert found.signals.tolist() == [[[0, 0.5], [1, 0.5], [0, 0.5], [1, 0.5], [0, 0.5]]]
    assert found.stored.tolist() == [[0, 0, 1, 1, 2]]
    assert found.op.tolist() == [[0, 0, 0, 0, 1]]
    assert found.word.tolist() == [[ANY, 0, 0, 1, 1]]
    assert (found.main.tolist(), found.length.tolist()) == ([5], [5])
    assert_same(stacked(Made(), [5, 3]), concatenate([found, trace_of(Made(), 3)]))


FAULTS: dict[str, tuple[str, dict]] = {
    "too short a run": ("ends before tick 3 of 4: 4", {"ticks": lambda n, t: 2}),
    "too long a run": ("goes on after the teacher's last tick, 4: 4", {"ticks": lambda n, t: 5}),
    "an operation too many": ("operation 2, at tick 2: 4", {"op": lambda n, t: 2 * (t == 1)}),
    "a negative operation": ("operation -1, at tick 4: 4", {"op": lambda n, t: -(t == 3)}),
    "a signal too few": ("gives 1 signals, operation 0, at tick 1", {"signals": lambda n, t: (1,)}),
    "no tick": ("has 0 main ticks of 4, bonus 0: 4", {"main": lambda n, t: 0}),
    "more ticks than there are": ("has 5 main ticks of 4, bonus 0: 4", {"main": lambda n, t: 5}),
    "a bonus for nothing": ("has 4 main ticks of 4, bonus 10: 4", {"bonus": 10.0}),
    "a word to come": ("reads a word never stored, at tick 1: 4", {"read": lambda n, t: "word 1"}),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_teacher_that_does_not_fit_its_data_side_is_refused(name: str) -> None:
    message, changes = FAULTS[name]
    with pytest.raises(ConfigError, match=message) as caught:
        trace_of(Made(**changes), 4)
    assert caught.value.code == "algorithm.teacher"
    assert "made: its run along the teacher" in str(caught.value)


def test_ticks_after_the_main_part_are_for_the_bonus() -> None:
    found = trace_of(Made(main=lambda n, t: 3, bonus=10.0), 4)
    assert (found.main.tolist(), found.length.tolist()) == ([3], [4])
    with pytest.raises(ConfigError, match="has no tick: 0"):
        trace_of(Made(), 0)


def test_a_word_may_be_read_on_the_tick_that_stores_it() -> None:
    assert trace_of(Made(read=lambda n, t: f"word {t // 2}"), 3).word.tolist() == [[0, 0, 1]]


@pytest.mark.parametrize("tree", BOTH, ids=str)
def test_traces_of_the_free_tree_are_those_of_its_data_side(tree: TreeAlgorithm) -> None:
    goals = np.array([*range(1, 30), 84, 85, 300], np.int32)
    content = np.tile(np.arange(301, dtype=np.int32), (len(goals), 1))
    assert_same_rows(tree_traces(content, goals, tree), stacked(tree, goals.tolist()))


def plain_trace(tree: TreeAlgorithm, step, start: object, goal: int) -> list[tuple]:
    """Per tick: signals, word stored, operation, and the word to read, None if any will do."""
    grown = grow(step, start, goal + 1)
    names, rows = grown.configurations, []
    phases, fed, met = Phases(len(tree.signals)), start, False
    back = way_back(grown, goal) if tree.backtracks else [None]
    wanted = [(op, node) for node in range(goal) for op in range(4)][:goal] + [(NOP, node) for node in back]
    for op, node in wanted:
        equal = fed == (start if met else names[goal])
        read = None if node is None else names[node]
        rows.append((phases.signals(equal), fed, op, read))
        met = met or equal
        fed = step(read, op) if op != NOP else read
    return rows


@pytest.mark.parametrize("tree", BOTH, ids=str)
@pytest.mark.parametrize("name", DOMAINS)
def test_traces_of_sampled_tasks_are_those_of_a_plain_teacher(name: str, tree: TreeAlgorithm) -> None:
    """Where configurations repeat, words are equal exactly if configurations are."""
    domain, value, step = DOMAINS[name]
    repeats = 0
    for level in (1, 2, 3, 6):
        sample = sample_tasks(domain, level, rng=np.random.default_rng(level), worlds=40)
        found = tree_traces(sample.content, sample.goal, tree)
        for row in range(sample.size):
            start, goal = single(sample.start_state, row), int(sample.goal[row])
            expected = plain_trace(tree, step(start), value(start), goal)
            assert (found.main[row], found.length[row]) == (goal, len(expected))
            number: dict[object, int] = {}
            for t, (signals, stored, op, read) in enumerate(expected):
                assert found.signals[row, t].tolist() == list(signals)
                assert found.op[row, t] == op
                assert number.setdefault(stored, int(found.stored[row, t])) == found.stored[row, t]
                assert found.word[row, t] == (ANY if read is None else number[read])
            assert len(set(number.values())) == len(number)
            repeats += len(number) < goal
    assert (repeats > 0) == (name != "free-tree")


def finished(tree: TreeAlgorithm, goal: int) -> object:
    """The data side's result after the teacher's ticks."""
    side = tree.begin(goal)
    for lesson in tree.teacher(goal):
        assert not side.done
        side.observe()
        side.act(lesson.op, lesson.word)
    assert side.done
    return side.result


@pytest.mark.parametrize("tree", BOTH, ids=str)
def test_the_teacher_leads_to_what_is_specified(tree: TreeAlgorithm) -> None:
    grown = grow(free_step, 0, 341)
    for goal in range(1, 341):
        assert tree.spec(goal) == finished(tree, goal)
        assert tree.spec(goal) == (tuple(way_back(grown, goal)) if tree.backtracks else True)


def test_what_the_two_algorithms_are() -> None:
    search, plan = BOTH
    assert list(TREES) == ["search", "plan"]
    assert (search.maximum, plan.maximum) == (120.0, 150.0)
    assert (len(search.signals), len(plan.signals)) == (2, 3)
    assert search.ops == plan.ops == ("up", "right", "down", "left", "nop")
    depth = np.array([1, 2, 7], np.int32)
    assert search.end_ticks(depth).tolist() == [1, 1, 1]
    assert plan.end_ticks(depth).tolist() == [2, 3, 8]
    assert search.end_ticks(depth).dtype == plan.end_ticks(depth).dtype == np.int32
    # A goal at node n and depth d takes n + 1 + d ticks; the longest run of the paper is at Level 82,656.
    goal = np.array([330_621], np.int32)
    assert int((goal + plan.end_ticks(depths(goal)))[0]) == 330_631


@pytest.mark.parametrize("tree", BOTH, ids=str)
def test_levels_and_their_longest_tasks(tree: TreeAlgorithm) -> None:
    """The figures of the paper are 15 ticks at Plan's Level 3 and 88 at Level 21."""
    rng, grown, longest = np.random.default_rng(1), grow(free_step, 0, 101), 0
    for level in range(1, 26):
        goals = [node for node, above in enumerate(grown.parents) if above == level - 1]
        assert [*tree.tasks(level)] == goals
        assert {tree.sample(level, rng) for _ in range(60)} == {*goals}
        ends = [len(way_back(grown, goal)) if tree.backtracks else 1 for goal in goals]
        longest = max(longest, *(goal + end for goal, end in zip(goals, ends, strict=True)))
        assert tree.longest(level) == longest == stacked(tree, goals).longest
    figures = {"search": (5, 13, 85), "plan": (6, 15, 88)}[tree.name]
    assert tuple(tree.longest(level) for level in (1, 3, 21)) == figures

"""Machines that may store nothing: too much, too little, or a link that is not there, is refused twice."""

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network, Seen
from nhc.certify.environment import Environment, Refused, Rule, read_environment, stated_environment
from nhc.certify.order import Order
from nhc.certify.path_check import order as second
from nhc.certify.path_check.rules import Lines, read_lines
from nhc.certify.paths import PathProof, prove_paths
from nhc.certify.replay import replayed
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE
from tests.certify.abstracted import followed, reached_by
from tests.certify.path_machines import Row, Table
from tests.computer.machines import zoo

MOST = 5_000
UP, RIGHT, DOWN, LEFT, NOP = range(5)
OPEN, WAITING, CLOSED, GOAL, MORE = range(1, 6)
Shown = tuple[tuple[int, ...], int, int]


def searcher(fault: str = "") -> Table:
    """One node is open, those after it wait; from the goal on along the links to parents."""

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, OPEN, (CONTENT,))
        _, met, known = seen.signals
        if met and not known:
            return Row(seen.word, GOAL, (USAGE_FORWARD,))
        if met:
            way = FORWARD if fault == "goes on" else USAGE_BACKWARD
            return Row(seen.word, MORE if fault == "stores more" else NONE, (way,))
        fresh = NONE if known else WAITING
        if seen.op == DOWN and fault == ("stores twice" if known else "forgets"):
            fresh = WAITING if known else NONE
        if seen.op != LEFT:
            return Row(OPEN, fresh, (CONTENT,), (OPEN,))
        follows_link = fault == "any link" and known
        return Row(CLOSED, fresh, (USAGE_FORWARD, FORWARD) if follows_link else (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        if seen.signals[1]:
            return NOP
        return UP if seen.op in (LEFT, NONE) else seen.op + 1

    return Table("graph-plan", row, op)


def environment_of(name: str) -> Environment:
    abstraction = ALGORITHMS[name].abstraction()
    assert abstraction is not None
    return read_environment(ALGORITHMS[name], abstraction.rules)


def lines_of(name: str) -> Lines:
    stated = stated_environment(ALGORITHMS[name])
    assert stated is not None
    return read_lines(stated["lines"], stated["ops"])  # type: ignore[arg-type]


class SecondControl:
    """A table as the second checker asks."""

    every = (CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD)

    def __init__(self, table: Table) -> None:
        self.table = table

    def written(self, shown: Shown) -> tuple[int, int]:
        return self.table.row(Seen(*shown))[:2]

    def winner(self, shown: Shown, present: tuple[int, ...]) -> int:
        return self.table.winner(Seen(*shown), frozenset(present))

    def op(self, shown: Shown, word: int) -> int:
        return self.table.op(Seen(*shown), word)

    def prefers(self, shown: Shown, word: int, other: int) -> bool:
        return self.table.prefers(Seen(*shown), word, other)

    def best_word(self, shown: Shown, words: set[int]) -> int:
        return self.table.best_word(Seen(*shown), words)


def objections(table: Table, lines: Lines, most: int = 400) -> list[str]:
    """What the second checker objects to on states that it reaches itself; without joining, so not all."""
    ticks = second.Ticks(SecondControl(table), lines, False)  # type: ignore[arg-type]
    found, left = {ticks.first}, [ticks.first]
    for now in left:
        for state in ticks.after(now):
            if state not in found and len(found) < most:
                found.add(state)
                left.append(state)
    return ticks.faults


GRAPH = read_environment(GRAPH_PLAN, GRAPH_PLAN.abstraction().rules)
GRAPH_LINES = lines_of("graph-plan")


def reached(table: Table) -> PathProof:
    order = Order(table, GRAPH, tracks=False)
    return PathProof(GRAPH_PLAN.abstraction(), False, reached_by(order, MOST), {}, table.margins)


def drawn(count: int) -> list[Graph]:
    rng = np.random.default_rng(1)
    return [GRAPH_PLAN.sample(level, rng) for level in (1, 2, 3, 5, 8) for _ in range(count)]


def test_a_search_made_by_hand_is_proved() -> None:
    assert all(replayed(searcher(), GRAPH_PLAN, graph).correct for graph in drawn(4))
    assert len(reached(searcher()).reached) > 10
    assert objections(searcher(), GRAPH_LINES) == []


def test_on_the_way_back_it_may_store_what_it_will() -> None:
    table = searcher("stores more")
    assert all(replayed(table, GRAPH_PLAN, graph).correct for graph in drawn(4))
    assert len(reached(table).reached) > 10
    assert objections(table, GRAPH_LINES) == []


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("stores twice", "stores a word"),
        ("forgets", "stores nothing"),
        ("any link", "follows"),
        ("goes on", "reads another cell"),
    ],
)
def test_with_a_fault_it_is_refused_twice(fault: str, said: str) -> None:
    table = searcher(fault)
    with pytest.raises(Refused, match=said):
        reached(table)
    assert any(said in objection for objection in objections(table, GRAPH_LINES))
    if fault != "any link":
        assert not all(replayed(table, GRAPH_PLAN, graph).correct for graph in drawn(4))


PREFIX, END_WORD, PASSED, EMIT, STOP = 8, 40, 41, 1, 2


def forgetful_copy(forgets: int) -> Table:
    """Numbers its input, and stores nothing of the symbol after the word `forgets`."""

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, 0, (CONTENT,))
        if seen.signals == (0,) and seen.word == forgets:
            return Row(forgets + 1, NONE, (CONTENT,), (forgets + 1,))
        if seen.signals == (0,):
            return Row(seen.word, min(seen.word + 1, 2 * PREFIX), (USAGE_FORWARD,))
        if seen.op == 0:
            return Row(seen.word, END_WORD, (CONTENT,), (0,))
        return Row(PASSED, PASSED, (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        return 0 if seen.signals == (0,) else STOP if word == END_WORD else EMIT

    return Table("copy", row, op)


def test_where_no_line_speaks_of_storing_each_word_has_to_be_stored() -> None:
    table, copy = forgetful_copy(PREFIX), ALGORITHMS["copy"]
    long, short = tuple(range(PREFIX + 5)), tuple(range(PREFIX))
    assert replayed(table, copy, short).correct and not replayed(table, copy, long).correct
    with pytest.raises(Refused, match="stores nothing"):
        reached_by(Order(table, environment_of("copy"), tracks=False), MOST)
    assert any("stores nothing" in said for said in objections(table, lines_of("copy")))


def test_lines_that_may_do_either_say_so_only_beside_others_that_must() -> None:
    def told(environment: Environment) -> set[bool | None]:
        rules: list[Rule] = [rule for group in environment.rules.values() for rule in group]
        return {rule.stores for rule in rules}

    assert told(environment_of("copy")) == told(environment_of("plan")) == {True}
    assert told(GRAPH) == {True, False, None}
    for name in ("copy", "plan"):
        ticks = [tick for group in lines_of(name).ticks.values() for tick in group]
        assert {tick.stores for tick in ticks} == {"stores"}
    assert {tick.stores for group in GRAPH_LINES.ticks.values() for tick in group} == {
        "",
        "stores",
        "stores nothing",
    }


LINES = """
    start 0 nop new -> more : stores
    more  0 nop new -> more
    more  1 stop    -> end
"""


def test_a_target_that_is_not_written_is_not_read() -> None:
    """The newest cell of all is not the cell that this tick writes."""

    def row(seen: Seen) -> Row:
        return Row(1, 1 if seen.word == NONE else NONE, (CONTENT,))

    table = Table("copy", row, lambda seen, word: STOP if seen.signals == (1,) else 0)
    environment = read_environment(ALGORITHMS["copy"], LINES)
    with pytest.raises(Refused, match="more  0 nop new"):
        reached_by(Order(table, environment, tracks=False), MOST)
    lines = read_lines([line.strip() for line in LINES.strip().splitlines()], [*ALGORITHMS["copy"].ops])
    assert any("not written" in said for said in objections(table, lines))


def test_the_first_tick_has_to_store() -> None:
    table = Table("graph-plan", lambda seen: Row(1, NONE, (CONTENT,)), lambda seen, word: UP)
    with pytest.raises(Refused, match="stores nothing"):
        reached(table)


class LongSearches(np.random.Generator):
    """Seldom takes the last of three choices, which is to meet the goal."""

    def integers(self, high: int) -> int:  # type: ignore[override]
        return min(int(super().integers(high)), high - 1 if self.random() < 0.1 else 1)


@pytest.mark.parametrize("name", ["by hand", "zoo"])
def test_every_concrete_run_stays_among_the_states_reached(name: str) -> None:
    if name == "zoo":
        proof, table = prove_paths(zoo("graph-plan")), Decisions(Network(zoo("graph-plan")), Margins())
    else:
        table = searcher()
        proof = reached(table)
    assert isinstance(proof, PathProof)
    rng = LongSearches(np.random.PCG64(7))
    ticks = [followed(table, GRAPH, proof, rng, ticks=45) for _ in range(25)]
    assert max(ticks) > 20 and min(ticks) >= 1

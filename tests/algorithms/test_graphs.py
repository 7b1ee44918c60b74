"""Many graphs at once: traces equal to those of the graphs one by one, in random graphs and in worlds."""

import numpy as np
import pytest

from nhc.algorithms.traces import Traces, trace_of
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph, drawn_graph
from nhc.algorithms.tree.graphs import Drawn, draw, graph_traces, searched
from nhc.domains.protocol import BRANCHING, Domain, StateT
from nhc.domains.registry import make_domain
from nhc.domains.states import picked, plain
from tests.algorithms.test_sampler import Tables
from tests.algorithms.test_traces import assert_same

LEVELS = (1, 2, 3, 5, 9, 14)
WORLDS = ("sokoban-6x6", "sliding-3x3", "stacking")


def renamed(task: Traces) -> Traces:
    """Words by the order in which they are stored, within the task's length."""
    ticks = int(task.length[0])
    task = task.padded(ticks)
    number: dict[int, int] = {}
    for word in task.stored[0].tolist():
        number.setdefault(word, len(number))
    words = np.array([[number[word] for word in column[0].tolist()] for column in (task.stored, task.word)])
    return task._replace(stored=words[:1].astype(np.int32), word=words[1:].astype(np.int32))


def one(drawn: Drawn, row: int) -> Drawn:
    """One of the searches."""
    return Drawn(*(column[row : row + 1] for column in drawn))


@pytest.mark.parametrize("level", LEVELS)
def test_traces_of_drawn_searches_are_those_of_their_graphs(level: int) -> None:
    drawn = draw(level, 25, np.random.default_rng(level))
    found = graph_traces(drawn)
    assert found.size == 25 and found.longest <= GRAPH_PLAN.longest(level)
    for row in range(found.size):
        graph = drawn_graph(one(drawn, row))
        assert_same(renamed(found.rows(slice(row, row + 1))), renamed(trace_of(GRAPH_PLAN, graph)))
        assert GRAPH_PLAN.main_ticks(graph) == drawn.goal_tick[row] == found.main[row]


@pytest.mark.parametrize("level", LEVELS)
def test_the_goal_is_first_made_of_the_last_node_of_the_level(level: int) -> None:
    drawn = draw(level, 200, np.random.default_rng(7 * level))
    for made, new, end in zip(*drawn, strict=True):
        assert BRANCHING * (level - 1) < end <= BRANCHING * level and new[end - 1]
        known = 1
        for tick in range(BRANCHING * level):
            assert tick // BRANCHING < known, "an operation is applied to a node that was made"
            assert new[tick] == (made[tick] == known) and made[tick] <= known
            known += new[tick]
    ends = {int(end) for end in drawn.goal_tick}
    assert len(ends) == BRANCHING, "each operation makes some goals"
    shares = drawn.new[:, : BRANCHING * level].mean(axis=1)
    assert shares.max() - shares.min() > 0.4


def plain_search(world, start: object, level: int) -> tuple[list[int], list[bool]] | None:
    """What each tick of a search makes, with a dict; None if its queue is dry before the last node."""
    numbers, queue, made, new = {start: 0}, [start], [], []
    for place in range(level):
        if place == len(queue):
            return None
        for op in range(BRANCHING):
            state = plain(world.step(queue[place], op))
            new.append(state not in numbers)
            made.append(numbers.setdefault(state, len(numbers)))
            queue += [state] * new[-1]
    return (made, new) if any(new[-BRANCHING:]) else None


def as_plainly(world: Domain[StateT], level: int, *, worlds: int) -> tuple[Drawn, list[list[bool]]]:
    """The searches of a world, which are those found one by one; and what is new at each tick of these."""
    found = searched(world, level, rng=np.random.default_rng(level), worlds=worlds)
    starts = world.sample(np.random.default_rng(level), worlds)
    plainly = [plain_search(world, plain(picked(starts, row)), level) for row in range(worlds)]
    kept = [search for search in plainly if search is not None]
    assert found.made.tolist() == [made for made, _ in kept]
    assert found.new.tolist() == [new for _, new in kept]
    return found, [new for _, new in kept]


@pytest.mark.parametrize("name", WORLDS)
@pytest.mark.parametrize("level", [1, 2, 6, 13])
def test_searches_in_worlds_are_the_plain_ones(name: str, level: int) -> None:
    found, new = as_plainly(make_domain(name), level, worlds=12)
    assert all(one[end - 1] for one, end in zip(new, found.goal_tick, strict=True))
    assert (found.goal_tick > BRANCHING * (level - 1)).all() and len(new) > 2


@pytest.mark.parametrize(("level", "places"), [(1, 2), (2, 3), (3, 5), (5, 9)])
def test_searches_in_tables_are_the_plain_ones(level: int, places: int) -> None:
    """Queues run dry there, and one configuration has the key 0."""
    _, new = as_plainly(Tables(40, places, seed=level), level, worlds=150)
    assert 0 < len(new) < 150


@pytest.mark.parametrize("name", ["", *WORLDS])
def test_supplies_are_the_same_under_a_seed_and_learnable(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for constant in ("REFILL_TASKS", "MOST_WORLDS", "MOST_NODES"):
        monkeypatch.setattr(f"nhc.algorithms.tree.graphs.{constant}", 60)
    supply, again = GRAPH_PLAN.supply(name, 3), GRAPH_PLAN.supply(name, 3)
    first, other = supply.refill(2, 0), supply.refill(2, 1)
    assert supply.refill(2, 1) is other and first.size > 0
    assert_same(again.refill(2, 0), first)
    assert other.stored.tolist() != first.stored.tolist()
    assert GRAPH_PLAN.supply(name, 4).refill(2, 0).stored.tolist() != first.stored.tolist()
    assert (first.signals[:, 0] == [1, 0, 0]).all()


def test_nodes_that_a_drawn_search_does_not_expand_lead_to_themselves() -> None:
    drawn = draw(4, 1, np.random.default_rng(2))
    graph = drawn_graph(drawn)
    end, flat = int(drawn.goal_tick[0]), np.array(graph.children).reshape(-1)
    np.testing.assert_array_equal(flat[:end], drawn.made[0, :end])
    np.testing.assert_array_equal(flat[end:], np.arange(end, len(flat)) // BRANCHING)
    assert graph == Graph(graph.children, len(graph.children) - 1)

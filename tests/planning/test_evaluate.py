"""Evaluation by level against a slow check of each task by itself."""

from functools import cache

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path
from nhc.algorithms.tree.sampler import sample_tasks
from nhc.computer.trace import trace
from nhc.computer.world import Computer
from nhc.data.exact import ExactLocal
from nhc.domains.protocol import NOP
from nhc.domains.registry import AnyDomain
from nhc.domains.sokoban import Board, Sokoban
from nhc.domains.states import picked
from nhc.errors import InputError
from nhc.model import Model
from nhc.planning import evaluate as module
from nhc.planning.evaluate import Drawn, draw_level, evaluate_level, graded
from nhc.planning.sample import first_nodes
from nhc.planning.states import computer_for
from nhc.streams import random_stream
from tests.computer.machines import (
    TRACE_TICKS,
    between,
    computer,
    hand_made,
    model_of,
    world,
    zoo,
)
from tests.oracles.machine import random_weights
from tests.oracles.teacher import damaged, grow

SIX = "sokoban-6x6"
COUNT, AT_A_TIME, SEED = 12, 5, 41


def stream(seed: int, level: int) -> np.random.Generator:
    return random_stream(seed, "evaluation", level)


@cache
def tasks_of(level: int, name: str = SIX) -> Drawn:
    return draw_level(world(name), level, count=COUNT, rng=stream(SEED, level))


@cache
def tree_of(name: str, start: object, nodes: int) -> list[object]:
    """The configurations of a literally grown tree."""
    return grow(world(name).step, start, nodes).configurations


@cache
def blurred(seed: int, blur: float) -> Model:
    """Breadth-first search with noise on every weight."""
    noise = random_weights(np.random.default_rng(seed), 3, blur)
    return model_of({name: array + noise[name] for name, array in damaged("none").items()})


def looped(made: Computer, domain: AnyDomain, drawn: Drawn, row: int) -> tuple[int, int, bool]:
    """One task by itself with data in the loop, beside breadth-first search on a literally grown tree.

    Points up to and including the first mistake, for search and end; and whether there was none.
    """
    start, goal = picked(drawn.start, row), picked(drawn.goal, row)
    found = trace(made, between(domain, start, goal), max_ticks=TRACE_TICKS)
    node = int(drawn.node[row])
    tree = tree_of(domain.name, type(start)(*map(int, start)), node + 1)
    assert tree[node] == type(goal)(*map(int, goal)) and tree[node] not in tree[:node]
    searching = [(t % 4, tree[t // 4]) for t in range(node)]
    back = [(NOP, tree[n]) for n in path(node)] if made.algorithm.backtracks else [(NOP, None)]
    points, right = [0, 0], True
    for t, (op, state) in enumerate([*searching, *back]):
        if t >= found.ticks or found.read[t] < 0:
            return points[0], points[1], False
        op_right = found.op[t] == op
        data_right = state is not None and bool((domain.encode(state) == found.data[t]).all())
        points[t >= node] += int(op_right) + 2 * data_right
        right = bool(op_right and (data_right or state is None))
        if not right:
            return points[0], points[1], False
    ended = found.ticks == len(searching) + len(back) and found.status == Status.FINISHED
    return points[0], points[1], ended


def grades_of(made: Computer, domain: AnyDomain, drawn: Drawn, level: int) -> list[tuple[int, int, bool]]:
    points, right = graded(made, domain, drawn, level)
    return [*zip(points.main.tolist(), points.bonus.tolist(), right.tolist(), strict=True)]


@pytest.fixture(autouse=True)
def few_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twelve tasks in batches of five: the last batch is not full."""
    monkeypatch.setattr(module, "RUNS_AT_A_TIME", AT_A_TIME)


MACHINES = {
    "zoo": lambda: zoo("plan"),
    "hand-made": hand_made,
    "no way back": lambda: hand_made("plan", "no way back"),
    "stops at 2": lambda: hand_made("plan", "stops at 2"),
    "goal unread": lambda: hand_made("plan", "goal unread"),
    "stays at start": lambda: hand_made("plan", "stays at start"),
    "only last op": lambda: hand_made("plan", "only last op"),
    "last op wins": lambda: hand_made("plan", "last op wins"),
    "blurred": lambda: blurred(1, 0.2),
    "more blurred": lambda: blurred(2, 0.3),
}
SOLVED: dict[str, int] = {}


@pytest.mark.parametrize("name", MACHINES)
def test_failures_are_counted_as_a_slow_check_counts_them(name: str) -> None:
    model = MACHINES[name]()
    made = computer(model, world(SIX))
    level = 3
    drawn = tasks_of(level)
    expected = [looped(made, world(SIX), drawn, row) for row in range(COUNT)]
    solved = sum(right for _, _, right in expected)
    result = evaluate_level(made, world(SIX), level, count=COUNT, seed=SEED)
    assert (result.level, result.tasks, result.solved) == (level, COUNT, solved)
    assert result.failures == COUNT - solved
    first = Drawn(*(picked(states, slice(0, AT_A_TIME)) for states in drawn[:2]), drawn.node[:AT_A_TIME], 1.0)
    assert grades_of(made, world(SIX), first, level) == expected[:AT_A_TIME]
    if name in ("zoo", "hand-made"):
        assert result.failures == 0
    SOLVED[name] = solved


def test_some_machine_fails_on_some_tasks_and_not_on_others() -> None:
    """Else the comparison above would see no difference between a count and a flag."""
    assert any(0 < solved < COUNT for solved in SOLVED.values())
    assert any(solved == 0 for solved in SOLVED.values())


@pytest.mark.parametrize(
    ("kind", "name"),
    [("plan", "stacking"), ("search", "sliding-3x3"), ("search", "free-tree")],
)
def test_grades_in_other_worlds_are_those_of_data_in_the_loop(kind: str, name: str) -> None:
    domain, solved = world(name), []
    drawn = tasks_of(2, name)
    for fault in ("none", "last op wins", "never nop", "goal unread"):
        made = computer(hand_made(kind, fault), domain)
        expected = [looped(made, domain, drawn, row) for row in range(COUNT)]
        assert grades_of(made, domain, drawn, 2) == expected
        solved.append(sum(right for _, _, right in expected))
    assert solved[0] == COUNT > solved[1] > solved[2] == 0


class Erring(ExactLocal):
    """Exact but for pushes, which leave no box behind, or if `restless` for `nop`, which flips a word."""

    restless: jax.Array

    def insert(self, changed, change, word):
        forgotten = change.at[..., -4:].set(jnp.array([0, 0, 0, 1], jnp.uint8))
        after = super().insert(changed, jnp.where(self.restless, change, forgotten), word)
        return jnp.where(changed[..., None] | ~self.restless, after, jnp.flip(after, axis=-1))


@pytest.mark.parametrize("restless", [False, True])
def test_modules_that_err_get_the_grades_of_data_in_the_loop(restless: bool) -> None:
    """At the same tick, with the same points."""
    domain, level = world(SIX), 7
    made = computer_for(zoo("plan"), domain, Erring(Sokoban(Board(6, 6)), jnp.asarray(restless)))
    drawn = tasks_of(level)
    expected = [looped(made, domain, drawn, row) for row in range(COUNT)]
    assert grades_of(made, domain, drawn, level) == expected
    assert not all(right for _, _, right in expected)
    most = made.algorithm.longest(level)
    assert max(main + bonus for main, bonus, _ in expected) <= 3 * most


@pytest.mark.parametrize("level", [1, 3, 21])
def test_drawn_tasks_are_of_their_level_and_belong_to_the_seed(level: int) -> None:
    domain = world(SIX)
    drawn = draw_level(domain, level, count=20, rng=stream(SEED, level))
    for row in range(20):
        start, goal = (type(s)(*map(int, s)) for s in (picked(drawn.start, row), picked(drawn.goal, row)))
        node = int(drawn.node[row])
        assert 4 * level - 3 <= node <= 4 * level
        assert first_nodes(domain, start, node)[goal] == node
    again, other = (draw_level(domain, level, count=20, rng=stream(seed, level)) for seed in (SEED, SEED + 1))
    assert again.start.agent.tolist() == drawn.start.agent.tolist()
    assert other.start.agent.tolist() != drawn.start.agent.tolist()


def test_acceptance_is_the_share_of_worlds_with_a_task() -> None:
    domain, level = world(SIX), 8
    samples = []
    rng = stream(SEED, level)
    while sum(sample.size for sample in samples) < 2500:
        samples.append(sample_tasks(domain, level, rng=rng, worlds=2000))
    assert len(samples) > 1
    drawn = draw_level(domain, level, count=2500, rng=stream(SEED, level))
    accepted = sum(sample.size for sample in samples)
    assert drawn.acceptance == accepted / (2000 * len(samples))
    assert len(drawn.node) == len(drawn.start.boxes) == len(drawn.goal.agent) == 2500


def test_the_nearest_lower_level_takes_the_place_of_an_empty_one() -> None:
    """Level 30 of Sokoban is empty; its row says where its tasks come from."""
    made = computer(hand_made("plan"), world(SIX))
    result = evaluate_level(made, world(SIX), 30, count=3, seed=0)
    assert (result.level, result.drawn_from, result.solved) == (30, 29, 3)


def test_an_empty_level_cannot_be_drawn() -> None:
    with pytest.raises(InputError) as caught:
        draw_level(world(SIX), 30, count=1, rng=stream(0, 30))
    assert caught.value.code == "task.level"

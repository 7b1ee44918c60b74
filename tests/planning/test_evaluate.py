"""Evaluation by level against a slow check of each task by itself."""

from functools import cache

import numpy as np
import pytest

from nhc.computer.halting import Status
from nhc.computer.trace import trace
from nhc.domains.protocol import NOP
from nhc.domains.states import picked
from nhc.errors import InputError
from nhc.model import Model
from nhc.planning import evaluate as module
from nhc.planning.evaluate import Drawn, draw_level, evaluate_level, graded_runs
from nhc.planning.sample import first_nodes
from nhc.streams import random_stream
from nhc.tasks.algorithm import PLAN, SEARCH
from nhc.tasks.sampler import sample_tasks
from nhc.algorithms.tree.nodes import path
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
def tasks_of(level: int, search: bool) -> Drawn:
    return draw_level(world(SIX), level, SEARCH if search else PLAN, count=COUNT, rng=stream(SEED, level))


@cache
def blurred(seed: int, blur: float) -> Model:
    """Breadth-first search with noise on every weight."""
    noise = random_weights(np.random.default_rng(seed), 3, blur)
    return model_of({name: array + noise[name] for name, array in damaged("none").items()})


def slow_check(model: Model, drawn: Drawn, row: int) -> bool:
    """Run one task by itself and compare with breadth-first search on a tree that is grown literally."""
    domain = world(SIX)
    start, goal = picked(drawn.start, row), picked(drawn.goal, row)
    found = trace(computer(model, domain), between(domain, start, goal), max_ticks=TRACE_TICKS)
    node = int(drawn.node[row])
    tree = grow(domain.step, type(start)(*map(int, start)), node + 1).configurations
    assert tree[node] == type(goal)(*map(int, goal)) and tree[node] not in tree[:node]
    searching = [(t % 4, tree[t // 4]) for t in range(node)]
    back = [(NOP, tree[n]) for n in path(node)] if model.algorithm.backtracks else [(NOP, None)]
    expected = [*searching, *back]
    if found.ticks != len(expected) or found.status != Status.FINISHED:
        return False
    return all(
        op == found.op[t] and (state is None or (domain.encode(state) == found.data[t]).all())
        for t, (op, state) in enumerate(expected)
    )


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
SOLVED: dict[tuple[str, int], int] = {}


@pytest.mark.parametrize("name", MACHINES)
def test_failures_are_counted_as_a_slow_check_counts_them(name: str) -> None:
    model = MACHINES[name]()
    for level in (1, 3):
        drawn = tasks_of(level, False)
        expected = [slow_check(model, drawn, row) for row in range(COUNT)]
        made = computer(model, world(SIX))
        result = evaluate_level(made, world(SIX), level, count=COUNT, seed=SEED)
        assert (result.level, result.tasks, result.solved) == (level, COUNT, sum(expected))
        assert result.failures == COUNT - sum(expected)
        first = Drawn(
            *(picked(states, slice(0, AT_A_TIME)) for states in drawn[:2]), drawn.node[:AT_A_TIME], 1.0
        )
        assert graded_runs(made, world(SIX), first, level).right.tolist() == expected[:AT_A_TIME]
        if name in ("zoo", "hand-made"):
            assert result.failures == 0
        SOLVED[name, level] = sum(expected)


def test_some_machine_fails_on_some_tasks_and_not_on_others() -> None:
    """Else the comparison above would see no difference between a count and a flag."""
    assert any(0 < solved < COUNT for solved in SOLVED.values())
    assert any(solved == 0 for solved in SOLVED.values())


def test_searchers_are_evaluated_too() -> None:
    drawn = tasks_of(2, True)
    solved = []
    for model in (zoo("search"), hand_made("search", "last op wins"), hand_made("search", "never nop")):
        expected = sum(slow_check(model, drawn, row) for row in range(COUNT))
        result = evaluate_level(computer(model, world(SIX)), world(SIX), 2, count=COUNT, seed=SEED)
        assert result.solved == expected
        solved.append(expected)
    assert solved[0] == COUNT > solved[1] > solved[2] == 0


@pytest.mark.parametrize("level", [1, 3, 21])
def test_drawn_tasks_are_of_their_level_and_belong_to_the_seed(level: int) -> None:
    domain = world(SIX)
    drawn = draw_level(domain, level, PLAN, count=20, rng=stream(SEED, level))
    for row in range(20):
        start, goal = (type(s)(*map(int, s)) for s in (picked(drawn.start, row), picked(drawn.goal, row)))
        node = int(drawn.node[row])
        assert 4 * level - 3 <= node <= 4 * level
        assert first_nodes(domain, start, node)[goal] == node
    again, other = (
        draw_level(domain, level, PLAN, count=20, rng=stream(seed, level)) for seed in (SEED, SEED + 1)
    )
    assert again.start.agent.tolist() == drawn.start.agent.tolist()
    assert other.start.agent.tolist() != drawn.start.agent.tolist()


def test_acceptance_is_the_share_of_worlds_with_a_task() -> None:
    domain, level = world(SIX), 8
    samples = []
    rng = stream(SEED, level)
    while sum(sample.tasks.size for sample in samples) < 2500:
        samples.append(sample_tasks(domain, level, PLAN, rng=rng, worlds=2000))
    assert len(samples) > 1
    drawn = draw_level(domain, level, PLAN, count=2500, rng=stream(SEED, level))
    accepted = sum(sample.tasks.size for sample in samples)
    assert drawn.acceptance == accepted / (2000 * len(samples))
    assert len(drawn.node) == len(drawn.start.boxes) == len(drawn.goal.agent) == 2500


def test_the_nearest_lower_level_takes_the_place_of_an_empty_one() -> None:
    """Level 30 of Sokoban is empty; its row says where its tasks come from."""
    made = computer(hand_made("plan"), world(SIX))
    result = evaluate_level(made, world(SIX), 30, count=3, seed=0)
    assert (result.level, result.drawn_from, result.solved) == (30, 29, 3)


def test_an_empty_level_cannot_be_drawn() -> None:
    with pytest.raises(InputError) as caught:
        draw_level(world(SIX), 30, PLAN, count=1, rng=stream(0, 30))
    assert caught.value.code == "task.level"

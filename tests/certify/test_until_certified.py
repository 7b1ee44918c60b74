"""Certificate-guided training: a proof ends the run, a refuting task becomes a bad memory, all else stays."""

from dataclasses import fields, replace

import jax
import numpy as np
import pytest

from nhc.certify.prove import Proof, Undecided, prove
from nhc.domains.free_tree import FreeTree
from nhc.evolve import state as module
from nhc.evolve.config import TrainConfig
from nhc.evolve.loop import evolution
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.machine.parameters import Parameters
from nhc.model import Model
from nhc.algorithms.tree.algorithm import PLAN, SEARCH
from nhc.tasks.source import TaskSource
from nhc.algorithms.tree.nodes import depth
from nhc.training import certified
from nhc.training.certified import certified_evolution, examined, free_tree_task
from nhc.training.session import train
from tests.evolve.plain_loop import Case
from tests.oracles.teacher import damaged, search_weights

VALUES: dict[str, object] = {
    "domain": "free-tree",
    "until": "certified",
    "budget": 40,
    "curriculum": {"levels": 3, "solved_after": 9},
    "bad_memories": {"capacity": 3, "share": 0.1, "cleared_after": 6},
    "restart": {"patience": 60},
}


def config_with(**changes: object) -> TrainConfig:
    return Case("none", False, {**VALUES, **changes}).config


def state_of(fault: str, config: TrainConfig) -> TrainState:
    weights = damaged(fault) if config.task == "plan" else search_weights(damaged(fault))
    return replace(initial_train_state(config), parameters=Parameters.from_blocks(weights, config.machine))


def assert_same_but(one: TrainState, other: TrainState, *changed: str) -> None:
    for field in fields(TrainState):
        left, right = (jax.tree.leaves(getattr(state, field.name)) for state in (one, other))
        same = len(left) == len(right) and all(np.array_equal(a, b) for a, b in zip(left, right, strict=True))
        assert same != (field.name in changed), field.name


def source(config: TrainConfig) -> TaskSource:
    return TaskSource(FreeTree(), config.algorithm, seed=4)


@pytest.mark.parametrize(("goal", "plan_end"), [(1, 2), (4, 2), (5, 3), (9, 3), (21, 4), (1499, 7)])
def test_the_task_of_a_goal_node(goal: int, plan_end: int) -> None:
    task = free_tree_task(goal, PLAN)
    assert task.size == 1
    assert task.content.tolist() == [[*range(goal + 1)]]
    assert task.goal.tolist() == [goal]
    assert task.end.tolist() == [plan_end] == [depth(goal) + 1]
    assert free_tree_task(goal, SEARCH).end.tolist() == [1]
    assert [array.dtype for array in task] == [np.int32] * 3


def test_a_proof_certifies_and_changes_nothing_else() -> None:
    config = config_with()
    state = state_of("none", config)
    assert not state.certified
    assert_same_but(state, examined(config, state), "certified")
    assert examined(config, state).certified


@pytest.mark.parametrize(("fault", "goal"), [("stops at 2", 9), ("last op wins", 4), ("never nop", 1)])
def test_a_refuting_task_is_remembered(fault: str, goal: int) -> None:
    config = config_with()
    state = state_of(fault, config)
    after = examined(config, state)
    assert_same_but(state, after, "bad")
    assert (after.bad.held, after.bad.next) == (1, 1)
    held = after.bad.recalled(np.arange(1))
    assert held.goal.tolist() == [goal]
    assert held.end.tolist() == [depth(goal) + 1]
    assert held.content[0, : goal + 1].tolist() == [*range(goal + 1)]
    again = examined(config, replace(after, bad=after.bad.remember(held).remember(held)))
    assert again.bad.held == 1
    assert again.bad.recalled(np.arange(1)).goal.tolist() == [goal]


def test_a_refuting_task_deeper_than_all_levels_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Level 1 needs 6 ticks, for which 16 nodes do; goal 17 with its way back takes 20. There is a bound."""
    config = config_with(curriculum={"levels": 1})
    state = state_of("stops at 4", config)
    assert state.bad.tasks.content.shape[1] == 1024
    assert examined(config, state).bad.recalled(np.arange(1)).goal.tolist() == [17]
    monkeypatch.setattr(module, "REFUTING_TICKS", 19)
    assert initial_train_state(config).bad.tasks.content.shape[1] == 128
    monkeypatch.setattr(module, "REFUTING_TICKS", 16)
    state = state_of("stops at 4", config)
    assert_same_but(state, examined(config, state))
    plain = config_with(curriculum={"levels": 1}, until="mastered")
    assert initial_train_state(plain).bad.tasks.content.shape[1] == 16


def test_without_bad_memories_nothing_is_remembered() -> None:
    config = config_with(bad_memories={"enabled": False})
    state = state_of("stops at 2", config)
    assert_same_but(state, examined(config, state))


def test_what_is_undecided_changes_nothing() -> None:
    config = config_with(machine={"words": "real"})
    state = state_of("none", config)
    verdict = prove(Model(state.parameters, config.machine, config.algorithm, {}))
    assert isinstance(verdict, Undecided)
    assert_same_but(state, examined(config, state))


def test_search_is_certified_too() -> None:
    config = config_with(task="search", machine={"signals": 2})
    assert examined(config, state_of("none", config)).certified


def test_a_machine_that_is_right_is_certified_at_its_first_perfect_iteration() -> None:
    config = config_with()
    state = state_of("none", config)
    found = [*certified_evolution(config, state, source(config))]
    assert len(found) == 1
    ((after, records),) = found
    assert after.certified and not after.mastered
    assert after.streak == after.iteration == len(records) == 1
    assert [*certified_evolution(config, after, source(config))] == []
    plain = next(evolution(config, state, source(config)))
    assert records == plain[1]
    assert_same_but(plain[0], after, "certified")


def runs_noted(monkeypatch: pytest.MonkeyPatch) -> tuple[list[int], list[Record], list[TrainState]]:
    """A run of a machine that fails now and then: iterations at which proofs were tried, records, states."""
    config = config_with()
    tried: list[int] = []

    def noted(config: TrainConfig, state: TrainState) -> TrainState:
        tried.append(state.iteration)
        return examined(config, state)

    monkeypatch.setattr(certified, "examined", noted)
    steps = [*certified_evolution(config, state_of("last op wins", config), source(config))]
    records = [record for _, records in steps for record in records]
    assert len(records) == config.budget
    return tried, records, [state for state, _ in steps]


def test_a_proof_is_tried_when_a_streak_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, records, states = runs_noted(monkeypatch)
    began = {record.iteration for record in records if record.streak == 1}
    assert {*tried} <= began
    # After a solved level the weights are those that were tried before.
    assert began - {*tried} <= {record.iteration + 1 for record in records if record.solved}
    assert any(record.streak == 0 for record in records) and len({*tried}) >= 2
    held = [goal for s in states for goal in s.bad.recalled(np.arange(s.bad.held)).goal.tolist()]
    assert 4 in held
    assert not states[-1].certified


def test_a_proof_is_tried_once_a_streak(monkeypatch: pytest.MonkeyPatch) -> None:
    tried, _, _ = runs_noted(monkeypatch)
    assert len(tried) == len({*tried})


def test_a_session_that_is_certified_has_succeeded() -> None:
    config = config_with()
    result = train(config, state=state_of("none", config))
    assert result.succeeded and not result.mastered
    assert result.state.certified
    assert result.model.record["certified"] is True
    assert result.model.record["iterations"] == 1
    assert isinstance(prove(result.model), Proof)
    spent = train(config_with(budget=2), state=state_of("never nop", config))
    assert not spent.succeeded
    assert spent.model.record["certified"] is False

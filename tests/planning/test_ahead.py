"""The tree grown ahead of control is the run with data in the loop."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.certify.prove import prove
from nhc.computer.halting import Status
from nhc.data.exact_local import ExactLocal
from nhc.domains.sokoban import Board, Sokoban
from nhc.errors import ModelError
from nhc.model import load_model
from nhc.planning import ahead
from nhc.planning.ahead import grow
from nhc.planning.engines import NetworkEngine, chosen_engine
from nhc.planning.learned_engine import LearnedEngine, free_task
from nhc.planning.sample import task_at_node, task_of_level
from nhc.planning.states import problem_for
from nhc.tasks.planning import PlanningTask
from nhc.tasks.sampler import grow_tree
from tests.computer.machines import world

SIX = "sokoban-6x6"
MODULES = ExactLocal(Sokoban(Board(6, 6)))


class Faulty(ExactLocal):
    """Errs in one way: takes every word for the goal, or moves on `nop`, or never sees the start."""

    fault: str = eqx.field(static=True)

    def equal(self, left, right):
        if self.fault == "sees it at once":
            return jnp.ones(left.shape[:-1], bool)
        return super().equal(left, right) & (self.fault != "blind")

    def insert(self, changed, change, word):
        after = super().insert(changed, change, word)
        flips = (self.fault == "restless") & ~changed[..., None]
        return jnp.where(flips, jnp.flip(after, axis=-1), after)


def quiet(nodes: int) -> None:
    del nodes


def engine(name: str, modules: ExactLocal = MODULES, kind: str = "plan") -> LearnedEngine:
    model = load_model(f"zoo:{kind}")
    return LearnedEngine(chosen_engine(name, model, prove(model), free_task(1)), modules)


@pytest.mark.parametrize("goal", [1, 3, 22, 331, 1301])
def test_the_tree_is_that_of_the_rules(goal: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "PARENTS_AT_ONCE", 7)
    task = task_at_node(world(SIX), goal, seed=1)
    tree = grow(MODULES, problem_for(task), most_nodes=5000, on_progress=quiet)
    assert tree.goal == goal
    domain = world(SIX)
    start = type(task.start)(*(np.array([field], np.uint64) for field in task.start))
    expected = domain.encode(grow_tree(domain, start, goal + 1))[0]
    np.testing.assert_array_equal(np.unpackbits(tree.words, axis=1, count=144), expected)


@pytest.mark.parametrize("most", [1, 2, 29, 331])
def test_the_tree_ends_at_the_budget(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ahead, "PARENTS_AT_ONCE", 3)
    seen: list[int] = []
    problem = problem_for(task_at_node(world(SIX), 331, seed=1))
    tree = grow(MODULES, problem, most_nodes=most, on_progress=seen.append)
    assert (tree.goal, len(tree.words)) == (None, max(most, 1))
    assert seen == sorted(seen)


@pytest.mark.parametrize("name", ["network", "program"])
@pytest.mark.parametrize("kind", ["plan", "search"])
def test_the_result_is_that_of_data_in_the_loop(name: str, kind: str) -> None:
    looped = NetworkEngine(load_model(f"zoo:{kind}"))
    for level in (1, 7, 20):
        task = task_of_level(world(SIX), level, seed=level)
        whole = looped.run(task, 10_000, quiet)
        goal = whole.ticks - len(whole.emitted)
        for ticks in (10_000, 4 * level - 2, *([goal, goal + 1] if level == 7 else [])):
            found = engine(name, kind=kind).run(task, ticks, quiet)
            wanted = looped.run(task, ticks, quiet)
            assert found.status == wanted.status
            assert found.ticks == wanted.ticks
            assert found.emitted == wanted.emitted


@pytest.mark.parametrize("fault", ["restless", "blind", "sees it at once"])
def test_modules_that_err_are_found_out(fault: str) -> None:
    """A goal that is never seen exhausts the budget; other faults show on the way back."""
    task = task_of_level(world(SIX), 4, seed=0)
    faulty = engine("program", Faulty(Board(6, 6), fault))
    if fault == "blind":
        assert faulty.run(task, 1000, quiet).status == Status.RUNNING
        return
    with pytest.raises(ModelError) as caught:
        faulty.run(task, 1000, quiet)
    assert caught.value.code == "modules.fault"


def test_memory_is_that_of_numbers_and_words() -> None:
    inner = chosen_engine("program", load_model("zoo:plan"), prove(load_model("zoo:plan")), free_task(1))
    task: PlanningTask = task_of_level(world(SIX), 2, seed=0)
    assert LearnedEngine(inner, MODULES).bytes_per_tick(task) == inner.bytes_per_tick(free_task(1)) + 18

"""The tree grown ahead of control is the run with data in the loop."""

import equinox as eqx
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tree.environment import Status
from nhc.algorithms.tree.nodes import path
from nhc.algorithms.tree.sampler import grow_tree
from nhc.data.exact import ExactLocal
from nhc.domains.sokoban import Board, Sokoban
from nhc.domains.states import picked, plain
from nhc.errors import ModelError
from nhc.model import load_model
from nhc.planning.ahead import ModuleData, RuleData, TreeData, grow
from nhc.planning.engines import NetworkEngine, TreeEngine
from nhc.planning.sample import task_at_node, task_of_level
from nhc.program.engine import bytes_per_tick
from nhc.tasks.planning import PlanningTask
from tests.computer.machines import world
from tests.program.made_up import sokoban_task, zoo_program

SIX = "sokoban-6x6"
ENOUGH = 16
"""Ticks for tasks of Level 3, and the smallest memory: all runs here have one compilation."""
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


def engine(name: str, modules: ExactLocal | None = MODULES, kind: str = "plan") -> TreeEngine:
    model = load_model(f"zoo:{kind}")
    control = zoo_program(kind) if name == "program" else model
    return TreeEngine(control, modules)


def data_of(task: PlanningTask, kind: str) -> TreeData:
    return RuleData(task) if kind == "rules" else ModuleData(task, MODULES)


@pytest.mark.parametrize("kind", ["rules", "modules"])
@pytest.mark.parametrize("goal", [1, 3, 22, 331, 1301])
def test_the_tree_is_that_of_the_rules(goal: int, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    task = task_at_node(world(SIX), goal, seed=1)
    data = data_of(task, kind)
    monkeypatch.setattr(data, "at_once", 64)
    tree = grow(data, most_nodes=5000, on_progress=quiet)
    assert (tree.goal, tree.nodes) == (goal, goal + 1)
    domain = world(SIX)
    start = type(task.start)(*(np.array([field], np.uint64) for field in task.start))
    expected = grow_tree(domain, start, goal + 1)
    nodes = [node for node in {1, 2, goal // 3, *path(goal)} if 0 < node <= goal] + [0]
    wanted = [plain(picked(expected, 0, node)) for node in nodes]
    right = [node > 0 and state == task.start for node, state in zip(nodes, wanted, strict=True)]
    if kind == "rules" or not any(right):  # modules refuse a way back with the start in its middle
        assert tree.states(nodes) == wanted


@pytest.mark.parametrize("kind", ["rules", "modules"])
@pytest.mark.parametrize("most", [2, 29, 331])
def test_the_tree_ends_at_the_budget_and_keeps_what_has_children(most: int, kind: str) -> None:
    seen: list[int] = []
    data = data_of(task_at_node(world(SIX), 331, seed=1), kind)
    tree = grow(data, most_nodes=most, on_progress=seen.append)
    assert (tree.goal, tree.nodes, seen[-1]) == (None, most, most)
    assert seen == sorted(seen)
    assert sum(map(len, tree.parts)) == (most - 2) // 4 + 1


def test_goals_are_those_of_the_task_s_own_test() -> None:
    board = Board(7, 5)
    rng = np.random.default_rng(4)
    for _ in range(12):
        task = sokoban_task(rng, board, int(rng.integers(1, 5)))
        data = RuleData(task)
        rows = data.children(data.children(data.start))
        states = data.states(rows, range(len(rows)))
        assert data.at_goal(rows).tolist() == [task.is_met(state) for state in states]


@pytest.mark.parametrize("kind", ["plan", "search"])
def test_the_result_is_that_of_data_in_the_loop(kind: str) -> None:
    looped = NetworkEngine(load_model(f"zoo:{kind}"))
    ways = [("network", MODULES), ("program", MODULES), ("program", None)]
    for level in (1, 3):
        task = task_of_level(world(SIX), level, seed=level)
        whole = looped.run(task, ENOUGH, quiet)
        goal = whole.ticks - len(whole.emitted)
        for ticks in (ENOUGH, 4 * level - 2, *([goal, goal + 1] if level == 3 else [])):
            wanted = looped.run(task, ticks, quiet)
            for name, modules in ways:
                assert engine(name, modules, kind).run(task, ticks, quiet) == wanted


@pytest.mark.parametrize("fault", ["restless", "blind", "sees it at once"])
def test_modules_that_err_are_found_out(fault: str) -> None:
    """A goal that is never seen exhausts the budget; other faults show on the way back."""
    task = task_of_level(world(SIX), 4, seed=0)
    faulty = engine("program", Faulty(Sokoban(Board(6, 6)), fault))
    if fault == "blind":
        assert faulty.run(task, 1000, quiet).status == Status.RUNNING
        return
    with pytest.raises(ModelError) as caught:
        faulty.run(task, 1000, quiet)
    assert caught.value.code == "modules.fault"


def test_memory_is_that_of_numbers_and_words() -> None:
    """Every fourth node is kept: 18 bytes of a word, 24 of three bit boards."""
    task, alone = task_of_level(world(SIX), 2, seed=0), bytes_per_tick(zoo_program("plan"))
    assert engine("program").bytes_per_tick(task) == alone + 5
    assert engine("program", None).bytes_per_tick(task) == alone + 6

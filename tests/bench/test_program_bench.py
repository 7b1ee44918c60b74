"""The benchmark of programs on small tasks: what is counted, and that its rivals build the same tree."""

import pytest

from nhc.algorithms.tree.nodes import depth
from nhc.bench.measure import timed
from nhc.bench.program import REPEATS, bare_search, measure_program, plain_search
from nhc.domains.registry import make_domain
from nhc.planning.sample import first_nodes, task_at_node
from nhc.tasks.planning import PlanningTask

GOALS = (2, 26, 105)


def small_task(goal: int) -> PlanningTask:
    return task_at_node(make_domain("sokoban-6x6"), goal, seed=0)


@pytest.mark.parametrize("goal", GOALS)
def test_plain_searches_find_the_goal_at_its_node(goal: int) -> None:
    task = small_task(goal)
    assert first_nodes(make_domain("sokoban-6x6"), task.start, goal)[task.goal] == goal
    assert plain_search(task) == goal
    assert bare_search(task, goal) == goal
    assert bare_search(task, goal + 50) == goal
    assert bare_search(task, goal - 1) == -1


def test_rows_say_how_many_steps_each_case_took() -> None:
    goal = GOALS[-1]
    *rows, planner = measure_program((50, 700), goal=goal)
    assert planner.peak_mib is None
    assert planner.steps > 0
    ticks = goal + depth(goal) + 1
    assert [row.steps for row in rows] == [50, 700, ticks, goal, goal]
    assert all(0 < row.core_seconds < 5 and row.peak_mib > 50 for row in rows)
    assert len({row.case for row in rows}) == 5
    assert rows[0].nanoseconds == pytest.approx(1e9 * rows[0].core_seconds / 50)


def test_medians_are_over_the_repeats() -> None:
    calls = []

    def work() -> int:
        calls.append(0)
        return len(calls)

    assert timed("case", work, REPEATS).steps == len(calls) == REPEATS

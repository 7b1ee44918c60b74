"""Shortest plans of the examples, against other planners that run as programs of their own."""

import re
import shutil
import subprocess
import sys
from collections import deque
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from nhc.jit import compiled
from nhc.pddl import PddlTask, fault_of_plan, parse_pddl, read_pddl, read_plan
from nhc.pddl.packed import at_goal, expand
from tests.pddl.small import texts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pddl"
PLANS = {
    "blocks": (6, 10, 16),
    "ferry": (7, 9, 15),
    "gripper": (5, 11, 14),
    "hanoi": (7, 15, 31),
    "logistics": (6, 16, 20),
    "miconic": (7, 13, 18),
    "sliding": (5, 21, 15),
    "sokoban": (6, 16, 11),
}
"""The length of a shortest plan of each problem."""
CASES = [(name, number) for name, lengths in PLANS.items() for number in range(1, len(lengths) + 1)]


def files(name: str, number: int) -> tuple[Path, Path]:
    return EXAMPLES / name / "domain.pddl", EXAMPLES / name / f"problem-{number}.pddl"


def shortest_plan(task: PddlTask) -> list[int]:
    """By breadth-first search with a dictionary of states."""
    space = task.space
    rule, goal = compiled(expand), compiled(at_goal)
    made = np.zeros((space.most_actions, len(space.start)), np.int64)
    labels = np.zeros(space.most_actions, np.int64)
    queue = deque([(space.start, list[int]())])
    seen = {space.start.tobytes()}
    while queue:
        row, path = queue.popleft()
        for at in range(rule(space.facts, space.scratch, row, made, labels)):
            if made[at].tobytes() not in seen:
                seen.add(made[at].tobytes())
                queue.append((made[at].copy(), [*path, int(labels[at])]))
                if goal(space.facts, made[at]):
                    return queue[-1][1]
    raise AssertionError("no plan")


def test_all_examples_are_listed() -> None:
    found = [path.relative_to(EXAMPLES).as_posix() for path in EXAMPLES.rglob("*") if path.is_file()]
    expected = {f"{name}/problem-{number}.pddl" for name, number in CASES}
    assert sorted(found) == sorted(expected | {f"{name}/domain.pddl" for name in PLANS})


@pytest.mark.parametrize(("name", "number"), CASES)
def test_shortest_plans_have_the_known_length(name: str, number: int) -> None:
    task = read_pddl(*files(name, number))
    assert {note.code for note in task.warnings} <= {"pddl.add_wins"}
    plan = shortest_plan(task)
    assert len(plan) == PLANS[name][number - 1]
    assert task.plan_fault(plan) is None
    assert task.plan_fault(plan[:-1]) is not None


@pytest.mark.parametrize(("name", "number"), CASES)
def test_pyperplan_finds_plans_of_the_same_length(name: str, number: int, tmp_path: Path) -> None:
    if find_spec("pyperplan") is None:
        pytest.skip("needs pyperplan")
    domain, problem = (shutil.copy(path, tmp_path) for path in files(name, number))
    command = [sys.executable, "-m", "pyperplan", "--search", "bfs", str(domain), str(problem)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = re.search(r"Plan length: (\d+)", done.stdout + done.stderr)
    assert found is not None and int(found[1]) == PLANS[name][number - 1]
    plan = read_plan(Path(f"{problem}.soln").read_bytes())
    assert fault_of_plan(read_pddl(*files(name, number)).problem, plan) is None


def fast_downward() -> list[str] | None:
    """The command that starts Fast Downward, if it is installed."""
    program = shutil.which("fast-downward") or shutil.which("fast-downward.py")
    if program is not None:
        return [program]
    wheel = find_spec("up_fast_downward")
    script = Path(wheel.origin or "").parent / "downward" / "fast-downward.py" if wheel else Path("none")
    return [sys.executable, str(script)] if script.is_file() else None


@pytest.mark.parametrize(("name", "number"), CASES)
def test_fast_downward_finds_plans_of_the_same_length(name: str, number: int, tmp_path: Path) -> None:
    program = fast_downward()
    if program is None:
        pytest.skip("needs Fast Downward: `pip install up-fast-downward`")
    assert_fast_downward_agrees(program, files(name, number), PLANS[name][number - 1], tmp_path)


def test_fast_downward_agrees_on_negations_and_equality(tmp_path: Path) -> None:
    program = fast_downward()
    if program is None:
        pytest.skip("needs Fast Downward: `pip install up-fast-downward`")
    parts = {
        "objects": "a b c",
        "init": "(q c c)",
        "condition": "(and (not (= ?x ?y)) (not (p ?y)) (not (q ?x ?y)))",
        "effect": "(and (p ?y) (q ?x ?y) (not (q ?y ?y)))",
        "goal": "(and (p b) (not (q c c)) (q b c))",
    }
    pair = texts(**parts)
    paths = tmp_path / "domain.pddl", tmp_path / "problem.pddl"
    for path, text in zip(paths, pair, strict=True):
        path.write_text(text)
    assert_fast_downward_agrees(program, paths, len(shortest_plan(parse_pddl(*pair))), tmp_path)


def assert_fast_downward_agrees(
    program: list[str], pair: tuple[Path, Path], length: int, folder: Path
) -> None:
    places = ["--plan-file", str(folder / "plan"), "--sas-file", str(folder / "sas")]
    command = [*program, *places, *map(str, pair), "--search", "astar(blind())"]
    subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder)
    plan = read_plan((folder / "plan").read_bytes())
    assert len(plan) == length
    assert fault_of_plan(read_pddl(*pair).problem, plan) is None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ["blocks", "logistics", "hanoi"])
def test_unified_planning_finds_the_same_actions_along_a_plan(name: str) -> None:
    pytest.importorskip("unified_planning", reason="needs unified-planning")
    from unified_planning.engines import UPSequentialSimulator
    from unified_planning.io import PDDLReader

    task = read_pddl(*files(name, 1))
    other = UPSequentialSimulator(PDDLReader().parse_problem(*map(str, files(name, 1))))
    state, row = other.get_initial_state(), task.space.start
    made = np.zeros((task.space.most_actions, len(row)), np.int64)
    labels = np.zeros(task.space.most_actions, np.int64)
    for label in shortest_plan(task):
        count = task.space.expand(task.space.facts, task.space.scratch, row, made, labels)
        theirs = {
            (action.name, *(str(term) for term in terms))
            for action, terms in other.get_applicable_actions(state)
        }
        assert theirs == set(task.steps(labels[:count].tolist()))
        row = made[labels[:count].tolist().index(label)].copy()
        action, *terms = task.steps([label])[0]
        problem = other._problem
        state = other.apply(state, problem.action(action), [problem.object(term) for term in terms])
    assert task.space.at_goal(task.space.facts, row) and other.is_goal(state)

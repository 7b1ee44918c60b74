"""Planning in worlds that are no Sokoban boards: empty levels, engines, the checker of plans, task files."""

import json
from dataclasses import replace

import pytest

from nhc.algorithms.tree.sampler import nearest_level
from nhc.certify.prove import prove
from nhc.cli.solve_command import sentence
from nhc.domains.registry import make_domain
from nhc.domains.states import plain
from nhc.errors import InputError
from nhc.planning.engines import NetworkEngine, TreeEngine, chosen_engine
from nhc.planning.sample import first_nodes, task_of_level
from nhc.planning.solution import Ending, Solution, plan_fault
from nhc.planning.solve import solve
from nhc.tasks.files import format_task, parse_task
from nhc.tasks.planning import PlanningTask
from tests.computer.machines import zoo
from tests.domains.worlds import grip, rows_of, slide, stacks, tiles
from tests.program.made_up import zoo_program

WORLDS = ("sliding-3x3", "stacking", "sokoban-permuted")
EMPTY = {
    "sliding-3x3": {8: 7, 13: 12, 14: 12, 19: 18},
    "stacking": {6: 5, 11: 10, 16: 15, 21: 20},
    "sokoban-permuted": {},
}
LEVEL = 9
PERMUTED = "sokoban-permuted"


@pytest.mark.parametrize("name", WORLDS)
def test_levels_where_the_parent_undoes_an_operation_are_empty(name: str) -> None:
    found = {level: nearest_level(make_domain(name), level) for level in range(1, 22)}
    assert {level: other for level, other in found.items() if other != level} == EMPTY[name]


@pytest.mark.parametrize("name", WORLDS)
def test_both_engines_give_the_same_plan_and_it_is_a_shortest_one(name: str) -> None:
    model, domain = zoo("plan"), make_domain(name)
    verdict = prove(model)
    for seed in range(2):
        task = task_of_level(domain, LEVEL, seed=seed)
        assert task.world.name == name
        seen: list[int] = []
        network = solve(model, task, engine="network", modules="exact")
        program = solve(model, task, engine=TreeEngine(zoo_program("plan")), on_progress=seen.append)
        assert network == program and network.ending is Ending.SOLVED
        node = first_nodes(domain, task.start, 4 * LEVEL)[task.goal]
        assert network.ticks == node + 1 + len(network.ops)
        assert (network.states[0], network.states[-1]) == (task.start, task.goal)
    assert isinstance(chosen_engine("network", model, verdict, task), NetworkEngine)
    assert isinstance(chosen_engine("auto", model, verdict, task), TreeEngine)


def test_a_longer_run_reports_the_nodes_made_so_far() -> None:
    """Generation by generation; the last ends with the goal."""
    start = tiles([[1, 2, 3], [4, 0, 5], [6, 7, 8]])
    rows = rows_of(start.code)
    for op in (0, 1, 2, 2, 3, 3):
        rows = slide(rows, op)
    task = PlanningTask(make_domain("sliding-3x3"), start, tiles(rows), "long")
    seen: list[int] = []
    solution = solve(zoo("plan"), task, engine=TreeEngine(zoo_program("plan")), on_progress=seen.append)
    assert solution.ending is Ending.SOLVED and solution.ops == (0, 1, 2, 2, 3, 3)
    goal = solution.ticks - 1 - len(solution.ops)
    assert seen == [5, 21, 85, 341, 1365, goal + 1]


def test_a_sliding_board_of_the_other_parity_is_refused_without_a_run() -> None:
    goal = tiles([[1, 2, 3], [4, 5, 6], [8, 7, 0]])
    task = PlanningTask(make_domain("sliding-3x3"), tiles([[1, 2, 3], [4, 5, 6], [7, 8, 0]]), goal, "swapped")
    solution = solve(zoo("plan"), task)
    assert solution == Solution(Ending.UNSOLVABLE, 0, fault="parity") and not solution.solved
    assert sentence(task, solution) == "unsolvable: parity; the machine was not run"


@pytest.mark.parametrize("name", WORLDS)
def test_the_checker_refuses_plans_that_lead_elsewhere(name: str) -> None:
    domain = make_domain(name)
    task = task_of_level(domain, LEVEL, seed=4)
    states = [plain(task.start)]
    solution = solve(zoo("plan"), task, engine="network", modules="exact")
    for op in solution.ops:
        states.append(plain(domain.step(states[-1], op)))
    assert plan_fault(task, list(solution.ops), tuple(states)) is None
    assert plan_fault(task, list(solution.ops[:-1]), tuple(states)) is not None
    assert plan_fault(task, list(solution.ops[:-1]), tuple(states[:-1])) is not None
    assert plan_fault(task, list(solution.ops), tuple(states[:-1])) is not None
    assert plan_fault(task, list(solution.ops), ()) is not None
    assert plan_fault(replace(task, goal=task.start), list(solution.ops), tuple(states)) is not None


@pytest.mark.parametrize("name", [*WORLDS, "free-tree", "stacking-3"])
def test_a_task_file_reads_as_the_task_that_was_written(name: str) -> None:
    task = task_of_level(make_domain(name), 4, seed=1)
    text = format_task(task)
    again = parse_task(text.encode())
    assert (again.world.name, again.start, again.goal, again.title) == (
        name,
        task.start,
        task.goal,
        task.title,
    )
    assert format_task(again) == text
    assert again.task_id == parse_task(json.dumps(json.loads(text)).encode()).task_id != task.task_id


def test_task_files_by_hand() -> None:
    board, (places, held) = [[1, 2, 3], [4, 5, 6], [7, 0, 8]], ([[2], [], [5, 1, 3], []], 4)
    fields = {"domain": "sliding-3x3", "start": board, "goal": slide(board, 3)}
    sliding = parse_task(json.dumps(fields).encode())
    assert (sliding.start, sliding.goal) == (tiles(board), tiles([[1, 2, 3], [4, 5, 6], [7, 8, 0]]))
    after = grip(places, held, 1)
    forms = [{"places": stack, "held": box} for stack, box in ((places, held), after)]
    fields = {"domain": "stacking", "start": forms[0], "goal": forms[1], "title": "One move"}
    stacking = parse_task(json.dumps(fields).encode())
    assert (stacking.start, stacking.goal) == (stacks(places, held), stacks(*after))
    assert stacking.title == "One move"
    swapped = parse_task(json.dumps({**fields, "start": forms[1], "goal": forms[0]}).encode())
    assert swapped.task_id != stacking.task_id


@pytest.mark.parametrize(
    ("fields", "code", "place"),
    [
        ({"domain": "sliding-4x4", "start": 0, "goal": 0}, "task.domain", "t.json"),
        ({"domain": "stacking-0", "start": 0, "goal": 0}, "task.domain", "t.json"),
        ({"domain": "sliding-3x3", "start": [[1]], "goal": 0}, "task.json", "t.json"),
        ({"domain": "free-tree", "start": 1, "goal": -1}, "task.json", "t.json"),
        (
            {"domain": "sokoban-permuted", "start": "####\n#@ #\n####", "goal": 0},
            "task.json",
            "t.json",
        ),
        (
            {"domain": "sokoban-permuted", "start": "####\n#@ x\n####", "goal": 0},
            "xsb.character",
            "t.json#start",
        ),
    ],
)
def test_task_files_that_are_wrong_name_the_place(fields: dict[str, object], code: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        parse_task(json.dumps(fields).encode(), "t.json")
    assert (caught.value.code, caught.value.place.file) == (code, place)

"""`nhc solve` with a machine for graph search: levels, puzzles and PDDL, each with its documented outcome."""

import json
from pathlib import Path

import jax
import pytest

from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.domains.sokoban import check_plan, read_moves
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import initial_parameters
from nhc.model import Model, save_model
from nhc.tasks.files import read_task, read_tasks
from nhc.tasks.planning import PlanningTask
from tests.cli.command import Command
from tests.computer.machines import zoo

LEVEL = "######\n# #  #\n#@$ .#\n#$   #\n#.   #\n######\n"
DEAD = "######\n#$  .#\n#    #\n# @  #\n#    #\n######\n"
SOLVED = "######\n#@ * #\n#    #\n######\n"
TWO_PLAYERS = "######\n#@$.@#\n#    #\n######\n"
UNEQUAL = "######\n#@$. #\n#  $ #\n######\n"
TAB = "######\n#@\t$.#\n#    #\n######\n"
NESTED = "9#|#@2(2(-))$.#|9#"
TWICE = "6#|#2(-@)$.#|6#"
ROWS = "6#|#@$-.#|6#"
MACHINE = "zoo:graph-plan"
KEYS = [
    *("task", "ending", "plan", "length", "unit", "configurations", "successors"),
    *("ticks", "wall_s", "fault"),
]
DOMAIN = """(define (domain lamp) (:requirements :strips)
  (:predicates (on) (off))
  (:action press :parameters () :precondition (off) :effect (and (on) (not (off)))))
"""
PROBLEM = "(define (problem light) (:domain lamp) (:init (off)) (:goal (on)))\n"
FALSE_GOAL = "(define (problem dark) (:domain lamp) (:init (on)) (:goal (off)))\n"


pytestmark = pytest.mark.usefixtures("unproved")


def put(name: str, text: str | bytes) -> str:
    Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return name


def solved(task: PlanningTask, plan: str) -> bool:
    return check_plan(task.board, task.start, read_moves(plan), task.goal.cells).valid


def test_all_levels_of_a_file_are_a_table(nhc: Command) -> None:
    parts = ["First", LEVEL, "Second", TWO_PLAYERS, "Third", DEAD, "Fourth", SOLVED]
    file = put("levels.sok", "\n\n".join(parts))
    done = nhc("solve", MACHINE, file, "--level", "all", "--save", "out.sok")
    assert done.code == 1
    rows = [line.split() for line in done.out.splitlines() if "First" in line or "Fourth" in line]
    assert rows[0][:4] == ["1", "First", "solved", "4"] and rows[1][:3] == ["4", "Fourth", "solved"]
    assert done.out.splitlines()[-1].startswith("2 solved, 1 proven unsolvable, 1 invalid input; ")
    assert "xsb.players" in done.err
    data = nhc("solve", MACHINE, file, "--level", "all", "--json", "--quiet").data
    endings = ["solved", "invalid input", "proven unsolvable", "solved"]
    assert [answer["ending"] for answer in data] == endings
    assert all(list(answer) == KEYS for answer in data)
    task = read_tasks(file)[0]
    assert isinstance(task, PlanningTask) and solved(task, str(data[0]["plan"]))
    again = nhc("solve", MACHINE, "out.sok", "--level", "1", "--json", "--quiet").data[0]
    assert {**again, "wall_s": 0, "task": ""} == {**data[0], "wall_s": 0, "task": ""}


def test_saved_levels_read_as_the_same(nhc: Command) -> None:
    file = put("levels.sok", f"One\n\n{LEVEL}\nTwo\n\n{DEAD}\nThree\n\n{SOLVED}")
    nhc("solve", MACHINE, file, "--level", "all", "--save", "out.sok", "--quiet")
    before, after = read_tasks(file), read_tasks("out.sok")
    assert [task.task_id for task in before] == [task.task_id for task in after]
    assert [task.title for task in after] == ["One", "Two", "Three"]
    text = Path("out.sok").read_text()
    assert text.count("Solution: ") == 2 and text.count("Comment: proven unsolvable") == 1


@pytest.mark.parametrize(
    ("text", "code"),
    [(TWO_PLAYERS, "xsb.players"), (UNEQUAL, "xsb.goals"), (TAB, "xsb.tab"), ("", "xsb.empty")],
)
def test_levels_that_cannot_be_played_are_refused(nhc: Command, text: str, code: str) -> None:
    file = put("level.xsb", text)
    done = nhc("solve", MACHINE, file)
    assert (done.code, done.out, done.error_code) == (2, "", code)
    assert "level.xsb" in done.err.splitlines()[-1]


def test_ends_of_lines_signs_and_runs_do_not_matter(nhc: Command) -> None:
    texts = [LEVEL, b"\xef\xbb\xbf" + LEVEL.replace("\n", "\r\n").encode()]
    found = [nhc("solve", MACHINE, put("l", text), "--json", "--quiet").data[0] for text in texts]
    assert found[0]["plan"] == found[1]["plan"] and found[0]["task"] == found[1]["task"]
    row = nhc("solve", MACHINE, put("l", ROWS), "--json", "--quiet").data[0]
    assert (row["ending"], row["length"]) == ("solved", 2)
    nested = nhc("solve", MACHINE, put("l", NESTED), "--json", "--quiet").data[0]
    assert (nested["ending"], nested["plan"]) == ("solved", "rrrrR")
    assert nhc("solve", MACHINE, put("l", TWICE)).error_code == "xsb.players"


def test_a_level_solved_at_the_start_needs_no_machine(nhc: Command) -> None:
    done = nhc("solve", MACHINE, put("level.xsb", SOLVED))
    assert (done.code, done.out) == (
        0,
        "solved: the start is a goal, the empty plan; the machine was not run\n",
    )
    answer = nhc("solve", MACHINE, "level.xsb", "--json", "--quiet").data[0]
    assert (answer["ticks"], answer["length"], answer["plan"]) == (0, 0, "")


def test_pushes_are_counted_in_sokoban_only(nhc: Command) -> None:
    moves = nhc("solve", MACHINE, put("l", LEVEL), "--json", "--quiet").data[0]
    pushes = nhc("solve", MACHINE, "l", "--cost", "pushes", "--json", "--quiet").data[0]
    assert (moves["unit"], pushes["unit"]) == ("move", "push")
    assert pushes["length"] == sum(letter.isupper() for letter in str(pushes["plan"])) <= moves["length"]
    assert solved(read_task("l"), str(pushes["plan"]))
    done = nhc("solve", MACHINE, "puzzle:1 2 3 4 5 6 7 0 8", "--cost", "pushes")
    assert (done.code, done.error_code) == (2, "graph.pushes")


def test_a_board_of_odd_parity_is_refused_at_once(nhc: Command) -> None:
    done = nhc("solve", MACHINE, "puzzle:2 1 3 4 5 6 7 8 0")
    assert done.code == 1 and "the machine was not run" in done.out
    assert done.out.startswith("proven unsolvable: ") and "parity" in done.out


def test_without_parity_a_machine_shows_that_there_is_no_plan(nhc: Command) -> None:
    answer = nhc("solve", MACHINE, "puzzle:213456780", "--no-parity", "--json", "--quiet").data[0]
    assert (answer["ending"], answer["configurations"]) == ("proven unsolvable", 181_440)
    assert answer["ticks"] == 4 * 181_440 + 1 and answer["successors"] == 4 * 181_440


@pytest.mark.parametrize(
    "text", ["", "1 2 3", "1 2 3 4 5 6 7 8 8", "123456789", "1 2 3 4 5 6 7 8 x", "-123456780"]
)
def test_what_is_no_board_is_refused(nhc: Command, text: str) -> None:
    done = nhc("solve", MACHINE, f"puzzle:{text}")
    assert (done.code, done.out, done.error_code) == (2, "", "task.puzzle")


def test_a_problem_in_pddl(nhc: Command) -> None:
    files = put("domain.pddl", DOMAIN), put("problem.pddl", PROBLEM)
    done = nhc("solve", MACHINE, *files, "--save", "plan.txt")
    assert done.code == 0 and "(press)" in done.out and "solved in 1 " in done.out
    assert Path("plan.txt").read_text().splitlines()[0] == "(press)"
    dark = nhc("solve", MACHINE, files[0], put("dark.pddl", FALSE_GOAL), "--quiet")
    assert dark.code == 1 and dark.out.startswith("proven unsolvable")


@pytest.mark.parametrize("change", [("(off)", "(of)"), ("(:init", "(:intit"), (")", "")])
def test_wrong_pddl_is_refused_with_its_place(nhc: Command, change: tuple[str, str]) -> None:
    files = put("domain.pddl", DOMAIN), put("problem.pddl", PROBLEM.replace(*change))
    done = nhc("solve", MACHINE, *files)
    assert (done.code, done.out) == (2, "")
    assert "problem.pddl:" in done.err.splitlines()[-1]


def test_budgets_that_are_exhausted_are_no_verdict(nhc: Command) -> None:
    for budget in (("--max-seconds", "0.000001"), ("--max-memory", "20000")):
        done = nhc("solve", MACHINE, "puzzle:8 6 7 2 5 4 3 0 1", *budget)
        assert done.code == 1 and done.out.startswith("budget exhausted: the limit of ")
        assert "there may be a plan" in done.out
        answer = nhc("solve", MACHINE, "puzzle:867254301", *budget, "--json", "--quiet").data[0]
        assert (answer["ending"], answer["plan"]) == ("budget exhausted", "")
    done = nhc("solve", MACHINE, "puzzle:867254301", "--max-seconds", "0")
    assert (done.code, done.error_code) == (2, "solve.budget")


@pytest.mark.parametrize(
    "options", [("--level", "all"), ("--cost", "pushes"), ("--no-parity",), ("--witness", "w.json")]
)
def test_without_a_closed_list_they_are_refused(nhc: Command, options: tuple[str, ...]) -> None:
    done = nhc("solve", "zoo:plan", put("l", LEVEL), *options)
    assert (done.code, done.out, done.error_code) == (2, "", "solve.graph")


@pytest.mark.parametrize("options", [("--modules", "exact"), ("--max-ticks", "5")])
def test_with_a_closed_list_they_are_refused(nhc: Command, options: tuple[str, ...]) -> None:
    done = nhc("solve", MACHINE, put("l", LEVEL), *options)
    assert (done.code, done.out, done.error_code) == (2, "", "solve.search")


def test_an_answer_is_told_before_a_witness_is_refused(nhc: Command) -> None:
    done = nhc("solve", MACHINE, "puzzle:1 2 3 4 5 6 8 7 0", "--witness", "w.json")
    assert (done.code, done.error_code) == (2, "witness.open") and "parity" in done.out


def test_engines_and_frames(nhc: Command) -> None:
    done = [nhc("solve", MACHINE, put("l", LEVEL), "--engine", e, "--frames") for e in ("program", "network")]
    assert [each.out.count("######") for each in done] == [2 * 5, 2 * 5]
    answers = [each.out[each.out.index("solved in ") :].partition(" s; ")[0] for each in done]
    assert answers[0].split(", ")[:2] == answers[1].split(", ")[:2]
    assert "network engine" in done[1].err and "NOT proved" in done[0].err


def test_a_machine_that_nobody_trained_tells_nothing_wrong(nhc: Command) -> None:
    """Nor does one that was damaged: no plan but a right one, and no proof but of all that was expanded."""
    config = zoo("graph-plan").config
    models = [
        Model(initial_parameters(config, key=jax.random.key(seed), scale=1.0), config, GRAPH_PLAN, {})
        for seed in range(3)
    ]
    always = MachineConfig(signals=3)
    models.append(Model(initial_parameters(always, key=jax.random.key(0), scale=1.0), always, GRAPH_PLAN, {}))
    for number, model in enumerate(models):
        save_model(Path(f"{number}.safetensors"), model)
        for text in (LEVEL, DEAD):
            answer = nhc("solve", f"{number}.safetensors", put("l", text), "--json", "--quiet").data[0]
            assert answer["ending"] in ("internal error", "solved") or text == DEAD
            assert answer["ending"] != "solved" or solved(read_task("l"), str(answer["plan"]))
            assert answer["fault"] or answer["ending"] in ("solved", "proven unsolvable")
    assert json.loads(json.dumps(answer)) == answer

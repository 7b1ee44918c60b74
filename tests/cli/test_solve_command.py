"""`nhc solve`: answers as text and as JSON, exit codes, samples and what is saved."""

from pathlib import Path

import pytest

from nhc.certify.prove import Verdict, prove
from nhc.cli.parse import now_and_then
from nhc.domains.sokoban import check_plan, read_moves
from nhc.model import Model, save_model
from nhc.tasks.files import read_task
from tests.cli.command import Command
from tests.computer.machines import RUN_TICKS, hand_made

KEYS = [
    *("task", "domain", "ending", "plan", "moves", "ticks", "wall_s", "checked", "fault"),
    *("control", "data", "engine"),
]
LEVEL = "######\n# #  #\n#@$ .#\n#$   #\n#.   #\n######\n"
LIMIT = ("--max-ticks", RUN_TICKS)


@pytest.fixture(autouse=True)
def proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof follows from the weights and takes most of a second when types are checked."""

    def once(model: Model) -> Verdict:
        if model.hash not in PROVED:
            PROVED[model.hash] = prove(model)
        return PROVED[model.hash]

    monkeypatch.setattr("nhc.certify.prove.prove", once)


PROVED: dict[str, Verdict] = {}


@pytest.fixture
def level(tmp_path: Path) -> Path:
    (tmp_path / "level.xsb").write_text(LEVEL)
    return tmp_path / "level.xsb"


def test_the_answer_as_json(nhc: Command, level: Path) -> None:
    done = nhc("solve", "zoo:plan", level, "--json", *LIMIT)
    (answer,) = done.data
    assert (done.code, list(answer)) == (0, KEYS)
    assert (answer["ending"], answer["checked"], answer["fault"]) == ("solved", True, None)
    assert (answer["domain"], answer["data"], answer["control"]) == ("sokoban-6x6", "learned", "proved")
    task = read_task(level)
    ops = read_moves(str(answer["plan"]))
    assert check_plan(task.board, task.start, ops, task.goal.cells).valid
    assert (answer["task"], answer["moves"]) == (task.task_id, len(ops))
    assert answer["ticks"] == 218 + 1 + len(ops)


def test_the_answer_for_a_person(nhc: Command, level: Path) -> None:
    done = nhc("solve", "zoo:plan", level, *LIMIT)
    plan = nhc("solve", "zoo:plan", level, "--json", *LIMIT).data[0]["plan"]
    assert done.code == 0
    assert done.out.count("\n") == 1
    assert done.out.startswith("solved in ") and f": {plan}  (" in done.out
    assert "learned data modules (exhaustive: 0 errors" in done.err and "sokoban-6x6" in done.err
    exact = nhc("solve", "zoo:plan", level, "--modules", "exact", *LIMIT)
    assert exact.out == done.out
    assert "exact data modules" in exact.err
    assert "every plan of up to 7 moves" in done.err


def test_quiet_is_quiet(nhc: Command, level: Path) -> None:
    assert nhc("solve", "zoo:plan", level, "--quiet", *LIMIT).err == ""


def test_frames_show_every_board_of_the_plan(nhc: Command, level: Path) -> None:
    done = nhc("solve", "zoo:plan", level, "--frames", "--quiet", *LIMIT)
    boards, answer = done.out[: done.out.index("solved")], done.out[done.out.index("solved") :]
    assert boards.startswith("start ")
    assert "#@$ .#" in boards
    moves = int(answer.partition(" moves")[0].rpartition("(")[2])
    assert boards.count("######") == 2 * (moves + 1)
    assert boards.count("*") >= 2, "both boxes are on goals at the end"


def test_a_budget_that_is_exhausted_is_no_verdict(nhc: Command, level: Path) -> None:
    done = nhc("solve", "zoo:plan", level, "--max-ticks", "100")
    assert (done.code, done.out) == (1, "budget exhausted after 100 ticks\n")
    assert "does not mean that there is no plan" in done.err
    answer = nhc("solve", "zoo:plan", level, "--max-ticks", "100", "--json").data[0]
    assert (answer["ending"], answer["plan"], answer["checked"]) == ("budget exhausted", "", False)


@pytest.mark.parametrize("engine", ["program", "network"])
def test_the_engine_changes_nothing_but_the_time(nhc: Command, level: Path, engine: str) -> None:
    done = nhc("solve", "zoo:plan", level, "--engine", engine, "--json", *LIMIT)
    assert done.data[0]["engine"] == engine and f"{engine} engine" in done.err
    usual = nhc("solve", "zoo:plan", level, "--json", *LIMIT)
    varying = ("wall_s", "engine")
    answers = [
        {key: value for key, value in each.data[0].items() if key not in varying} for each in (usual, done)
    ]
    assert answers[0] == answers[1]


def test_an_unproved_machine_has_no_program(nhc: Command, level: Path, tmp_path: Path) -> None:
    save_model(tmp_path / "damaged", hand_made("plan", "stops at 2"))
    done = nhc("solve", tmp_path / "damaged", level, "--engine", "program")
    assert (done.code, done.out, done.error_code) == (2, "", "engine.unproved")


@pytest.mark.parametrize(
    ("fault", "ending"), [("no way back", "budget exhausted"), ("stops at 2", "stopped without goal")]
)
def test_a_damaged_model_is_told(nhc: Command, level: Path, tmp_path: Path, fault: str, ending: str) -> None:
    save_model(tmp_path / "damaged", hand_made("plan", fault))
    limit = ("--modules", "exact", "--max-ticks", "300")  # the goal is at node 218
    done = nhc("solve", tmp_path / "damaged", level, "--json", *limit)
    assert (done.code, done.data[0]["ending"], done.data[0]["checked"]) == (1, ending, False)
    assert done.data[0]["control"] == "refuted"


def test_a_wrong_plan_is_told_with_its_fault(nhc: Command, tmp_path: Path) -> None:
    save_model(tmp_path / "damaged", hand_made("plan", "last op wins"))
    (tmp_path / "task.json").write_text('{"domain": "free-tree", "start": 0, "goal": 4}')
    done = nhc("solve", tmp_path / "damaged", tmp_path / "task.json", "--json", *LIMIT)
    assert (done.code, done.data[0]["ending"], done.data[0]["checked"]) == (1, "wrong plan", False)
    assert done.data[0]["fault"]
    text = nhc("solve", tmp_path / "damaged", tmp_path / "task.json", *LIMIT).out
    assert text.startswith("wrong plan after ") and str(done.data[0]["fault"]) in text


def test_one_move_is_one_move(nhc: Command) -> None:
    options = ("--sample", "node=3", "--domain", "free-tree", "--max-ticks", "6")
    done = nhc("solve", "zoo:plan", *options)
    assert done.out == "solved in 5 ticks: 2  (1 move, replayed by an independent checker)\n"
    assert "every plan of up to 1 move." in done.err


def test_a_search_machine_finds(nhc: Command, level: Path) -> None:
    done = nhc("solve", "zoo:search", level, "--json", "--quiet", *LIMIT)
    assert (done.code, done.data[0]["ending"], done.data[0]["plan"]) == (0, "goal found", "")
    assert done.data[0]["ticks"] == 218 + 1


def test_a_solved_level_needs_no_run(nhc: Command, tmp_path: Path) -> None:
    (tmp_path / "level.xsb").write_text("######\n#@ * #\n#    #\n######\n")
    done = nhc("solve", "zoo:plan", tmp_path / "level.xsb")
    assert (done.code, done.out) == (0, "already solved: the empty plan; the machine was not run\n")
    assert "xsb.solved" in done.err
    answer = nhc("solve", "zoo:plan", tmp_path / "level.xsb", "--json", "--quiet").data[0]
    assert (answer["ticks"], answer["moves"], answer["checked"]) == (0, 0, True)


def test_one_of_several_levels(nhc: Command, tmp_path: Path) -> None:
    other = LEVEL.replace("#@$ .#", "# $@.#")
    (tmp_path / "levels.sok").write_text(f"First\n\n{LEVEL}\nSecond\n\n{other}")
    (tmp_path / "level.xsb").write_text(other)
    second = nhc("solve", "zoo:plan", tmp_path / "levels.sok", "--level", "2", "--json", *LIMIT)
    assert "Second: sokoban-6x6" in second.err
    assert (
        second.data[0]["task"]
        == nhc("solve", "zoo:plan", tmp_path / "level.xsb", "--json", *LIMIT).data[0]["task"]
    )


@pytest.mark.parametrize("sample", ["level=8", "node=218"])
def test_a_sample_can_be_saved_and_solved_again(nhc: Command, tmp_path: Path, sample: str) -> None:
    options = ("--sample", sample, "--seed", "1", "--save", tmp_path / "task.txt", "--json", *LIMIT)
    done = nhc("solve", "zoo:plan", *options)
    assert f"Task written to {tmp_path / 'task.txt'}" in done.err
    again = nhc("solve", "zoo:plan", tmp_path / "task.txt", "--json", *LIMIT)
    for key in ("plan", "ticks", "ending"):
        assert again.data[0][key] == done.data[0][key]
    if sample.startswith("node"):
        assert done.data[0]["ticks"] == 218 + 1 + done.data[0]["moves"]
    other = nhc("solve", "zoo:plan", "--sample", sample, "--seed", "2", "--quiet", *LIMIT)
    assert other.code == 0


def test_the_free_tree(nhc: Command) -> None:
    done = nhc("solve", "zoo:plan", "--sample", "node=77", "--domain", "free-tree", "--json", *LIMIT)
    assert (done.code, done.data[0]["plan"], done.data[0]["ticks"]) == (0, "3 2 0", 81)
    frames = nhc("solve", "zoo:plan", "--sample", "node=77", "--domain", "free-tree", "--frames", *LIMIT)
    assert frames.out.splitlines()[0] == "0 4 19 77"


def test_the_sliding_puzzle(nhc: Command, tmp_path: Path) -> None:
    """Boards side by side, operations by name, and who checked the plan; the file holds the same task."""
    options = ("--sample", "level=5", "--domain", "sliding-3x3", "--save", tmp_path / "task.json")
    done = nhc("solve", "zoo:plan", *options, "--frames", *LIMIT)
    captions, *rows, last = done.out.splitlines()
    assert captions.split() == ["start", "1", "2"]
    assert [len(row.split()) for row in rows] == [9, 9, 9]
    first, second = last.split(": ")[1].split("  ")[0].split()
    assert {first, second} < {"up", "right", "down", "left"}
    assert "2 moves, replayed by the rules of the world" in last
    answers = [
        nhc("solve", "zoo:plan", tmp_path / "task.json", *kind, "--json", *LIMIT).data[0]
        for kind in (("--modules", "exact", "--engine", "network"), ("--modules", "exact"), ())
    ]
    assert [answer["engine"] for answer in answers] == ["network", "program", "program"]
    assert [answer["data"] for answer in answers] == ["exact", "exact", "learned"]
    assert [answer["plan"] for answer in answers] == [f"{first} {second}"] * 3
    assert answers[0]["ticks"] == answers[1]["ticks"]


def test_stacking(nhc: Command) -> None:
    done = nhc(
        "solve",
        "zoo:plan",
        "--sample",
        "level=2",
        "--domain",
        "stacking",
        "--modules",
        "exact",
        "--frames",
        *LIMIT,
    )
    captions, gripper, *_, last = done.out.splitlines()
    assert captions.split() == ["start", "1", "2"]
    assert gripper.count("[") == 3
    assert "place-0 place-" in last


def test_long_runs_are_reported_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every two seconds at most, and not at once."""
    now = [10.0]
    monkeypatch.setattr("nhc.cli.parse.time.monotonic", lambda: now[0])
    told: list[int] = []
    report = now_and_then(2.0, told.append)
    for ticks, moment in ((1, 11.9), (2, 12.0), (3, 13.9), (4, 14.0)):
        now[0] = moment
        report(ticks)
    assert told == [2, 4]

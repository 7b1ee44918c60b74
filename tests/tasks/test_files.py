"""Task files of all three kinds: read, written, refused."""

import json

import pytest

from nhc.domains.free_tree import LAST_NODE, TreeState
from nhc.domains.sokoban import LEGENDS, Board, Reading, State, read_levels, replay
from nhc.errors import InputError, StorageError
from nhc.tasks.files import format_task, parse_task, read_task, write_task
from nhc.tasks.planning import GoalCells

START = "######\n#@$  #\n#    #\n######\n"
END = "######\n# @$ #\n#    #\n######\n"
LEVEL = "######\n#@$ .#\n#    #\n######\n"
BOARD = Board(6, 4)
AT = State(BOARD.rim, 1 << 8, 1 << 7)
AFTER = State(BOARD.rim, 1 << 9, 1 << 8)


def parse(text, level=1, **options):
    return parse_task(text.encode(), "t.txt", level, Reading(**options))


def as_json(**fields):
    return json.dumps({"domain": "sokoban", "start": START, "goal": END} | fields)


def refused(text, **options):
    with pytest.raises(InputError) as caught:
        parse(text, **options)
    return caught.value


def test_a_level_is_a_task_with_goal_cells():
    task = parse(f"My level\n\n{LEVEL}")
    assert task.world.name == "sokoban-6x4"
    assert (task.board, task.start, task.goal) == (BOARD, AT, GoalCells(1 << 10))
    assert task.title == "My level"
    assert task.task_id == read_levels(LEVEL)[0].level_id
    assert task.warnings == ()
    assert not task.is_met(task.start)
    assert task.is_met(replay(BOARD, AT, [1, 1])[-1])
    assert not task.is_met(replay(BOARD, AT, [1])[-1])


def test_one_of_several_levels_is_chosen():
    text = f"{LEVEL}\n; broken\n#####\n#   #\n#####\n\nThird\n\n{LEVEL.replace('@$', '$@')}"
    assert parse(text).start == AT
    assert parse(text, level=3).title == "Third"
    error = refused(text, level=2)
    assert (error.code, error.place.level, error.place.line) == ("xsb.no_player", 2, 7)
    for level in (0, 4, -1):
        error = refused(text, level=level)
        assert error.code == "task.level"
        assert "from 1 to 3" in error.message


@pytest.mark.parametrize("divider", ["Goal:", "goal :", "  GOAL:  ", "\nGoal:\n"])
def test_two_boards_are_a_task_with_a_full_configuration(divider):
    task = parse(f"; Pair\n{START}{divider}\n{END}")
    assert (task.world.name, task.board, task.title) == ("sokoban-6x4", BOARD, "Pair")
    assert (task.start, task.goal) == (AT, AFTER)
    assert task.is_met(AFTER)
    assert not task.is_met(AT)


def test_json_with_boards_is_the_same_task():
    pair = parse(f"Title: Pair\n{START}Goal:\n{END}")
    assert parse(as_json(title="Pair")) == pair
    assert parse("\ufeff \n" + as_json(title="Pair", domain="sokoban-6x4")) == pair


def test_json_of_the_free_tree():
    task = parse('{"domain": "free-tree", "start": 0, "goal": 82656, "title": "far"}')
    assert (task.world.name, task.start, task.goal) == ("free-tree", TreeState(0), TreeState(82656))
    assert (task.task_id, task.title, task.board) == ("free-tree-0-82656", "far", None)
    assert task.is_met(TreeState(82656))
    assert not task.is_met(TreeState(0))


def test_ids_tell_tasks_apart_and_titles_do_not_matter():
    pair = parse(f"{START}Goal:\n{END}")
    assert pair.task_id == parse(f"; other\n{START}\nGoal:\n{END}").task_id
    assert pair.task_id == parse(f"{START}Goal:\n{END}".replace("\n", "\r\n")).task_id
    others = [f"{END}Goal:\n{START}", f"{START}Goal:\n{START}", f"{END}Goal:\n{END}", LEVEL]
    assert len({pair.task_id, *(parse(text).task_id for text in others)}) == 5


TASKS = [
    LEVEL,
    f"; Named\n{LEVEL}",
    f"{START}Goal:\n{END}",
    f"; Named\n{START}Goal:\n{END}",
    '{"domain": "free-tree", "start": 3, "goal": 14}',
    '{"domain": "free-tree", "start": 0, "goal": 4294967295, "title": "Last \u00f6"}',
]


@pytest.mark.parametrize("text", TASKS)
def test_written_tasks_read_the_same(tmp_path, text):
    task = parse(text)
    path = tmp_path / "task.txt"
    path.write_text("old")
    write_task(path, task)
    assert read_task(path) == task
    assert path.read_text(encoding="utf-8") == format_task(task)
    assert [entry.name for entry in tmp_path.iterdir()] == ["task.txt"]


def test_files_that_cannot_be_read_or_written(tmp_path):
    with pytest.raises(InputError) as caught:
        read_task(tmp_path / "none.xsb")
    assert caught.value.code == "task.file"
    assert "none.xsb" in str(caught.value)
    with pytest.raises(StorageError) as failed:
        write_task(tmp_path / "no" / "task.xsb", parse(LEVEL))
    assert failed.value.code == "storage.write"
    (tmp_path / "dir").mkdir()
    with pytest.raises(StorageError):
        write_task(tmp_path / "dir", parse(LEVEL))
    assert [entry.name for entry in tmp_path.iterdir()] == ["dir"]


def test_options_reach_the_level_reader(tmp_path):
    path = tmp_path / "odd.txt"
    path.write_text("####\n#&B..\n####")
    options = {"legend": LEGENDS["solver"], "allow_extra_goals": True, "close_border": True}
    assert read_task(path, **options).board == Board(7, 5)
    assert parse("#####\n#&B.#\n#####", legend=LEGENDS["solver"]).goal == GoalCells(1 << 8)
    assert parse("######\n#@$..#\n######", allow_extra_goals=True).warnings[0].code == "xsb.goals"
    assert parse("####\n#@$.\n####", close_border=True).board == Board(6, 5)
    assert refused("####\n#@$.\n####").code == "xsb.open"
    start, goal = "####\n#@$ \n####", "####\n# @$\n####"
    for pair in (f"{start}\nGoal:\n{goal}", as_json(start=start, goal=goal)):
        assert refused(pair).code == "xsb.open"
        task = parse(pair, close_border=True)
        assert task.board == Board(6, 5)
        assert [note.code for note in task.warnings] == ["xsb.open", "xsb.open"]
    assert (
        parse(as_json(start="XXXX\nX@ X\nXXXX", goal="XXXX\nX @X\nXXXX"), legend=LEGENDS["dos"]).start.agent
        == 32
    )


def test_what_is_remarkable_in_a_configuration_is_noted():
    start, goal = "########\n#@$  #$#\n########\n", "########\n# @$.#$#\n########\n"
    task = parse(f"{start}Goal:\n{goal}")
    assert [(note.code, note.place.line, note.place.column) for note in task.warnings] == [
        ("xsb.unreachable_box", 2, 7),
        ("xsb.unreachable_box", 6, 7),
        ("task.goal_signs", 6, 5),
    ]
    assert task.start.boxes == 1 << 10


PAIRS = {
    "other size": (END.replace("\n", "#\n"), "task.size_differs", 6, 1),
    "other wall": (END.replace("#    #", "#  # #"), "task.walls_differ", 8, 4),
    "agent locked away": ("######\n#@#$ #\n###  #\n######\n", "task.walls_differ", 7, 3),
    "more boxes": (END.replace("@$ ", "@$$"), "task.boxes_differ", 6, 1),
    "no player": (END.replace("@", " "), "xsb.no_player", 6, None),
    "unknown sign": (END.replace("$", "?"), "xsb.character", 7, 4),
    "no board": ("words\n", "task.board", 6, None),
    "two boards": (f"{END}\n{END}", "task.board", 11, None),
    "nothing": ("", "task.board", 6, None),
}


@pytest.mark.parametrize("name", PAIRS)
def test_boards_that_make_no_task(name):
    goal, code, line, column = PAIRS[name]
    error = refused(f"{START}Goal:\n{goal}")
    assert error.code == code
    assert (error.place.file, error.place.line, error.place.column) == ("t.txt", line, column)
    in_json = refused(as_json(goal=goal))
    assert in_json.code == code
    assert in_json.place.file == "t.txt#goal"


def test_a_second_goal_line_is_refused():
    error = refused(f"{START}Goal:\n{END}Goal:\n{END}")
    assert (error.code, error.place.line) == ("task.goal", 10)
    assert refused(f"{START}Goal:\n{END}", level=2).code == "task.level"
    assert refused(as_json(), level=2).code == "task.level"


BAD_JSON = {
    '{"domain": "sokoban",': "task.json",
    "{}": "task.json",
    '{"domain": "free-tree", "start": 0}': "task.json",
    '{"domain": "free-tree", "start": 0, "goal": 1, "gaol": 2}': "task.json",
    '{"domain": "free-tree", "start": "0", "goal": 1}': "task.json",
    '{"domain": "free-tree", "start": true, "goal": 1}': "task.json",
    '{"domain": "free-tree", "start": 0, "goal": -1}': "task.json",
    '{"domain": "free-tree", "start": 0, "goal": 1.0}': "task.json",
    f'{{"domain": "free-tree", "start": 0, "goal": {LAST_NODE + 1}}}': "task.json",
    f'{{"domain": "free-tree", "start": 0, "goal": {"9" * 5000}}}': "task.json",
    '{"domain": "free-tree", "start": 0, "goal": 1, "title": 7}': "task.json",
    '{"domain": 3, "start": 0, "goal": 1}': "task.json",
    '{"a":' * 100_000: "task.json",
    '{"domain": "chess", "start": 0, "goal": 1}': "task.domain",
    '{"domain": "sokoban6", "start": 0, "goal": 1}': "task.domain",
    '{"domain": "sokoban", "start": 0, "goal": 1}': "task.json",
    as_json(domain="sokoban-4x6"): "task.domain",
}


@pytest.mark.parametrize("text", BAD_JSON, ids=range(len(BAD_JSON)))
def test_json_that_is_no_task(text):
    error = refused(text)
    assert error.code == BAD_JSON[text]
    assert error.place.file == "t.txt"


@pytest.mark.parametrize(
    "text",
    [
        '{"domain": "free-tree", "start": 0, "goal": 1, "goal": 2}',
        '{"domain": "stacking-1", "start": 0, "goal": {"places": [[1]], "held": 1, "held": null}}',
    ],
)
def test_a_json_key_that_comes_twice_is_refused(text):
    error = refused(text)
    assert (error.code, error.place.file) == ("task.json", "t.txt")
    assert "comes twice in one object" in error.message


@pytest.mark.parametrize(("goal", "reason"), [([0, 7, 8], None), ([0, 8, 7], "parity")])
def test_a_sliding_board_of_the_other_parity_is_known_to_be_unsolvable(goal, reason):
    start, last = [[1, 2, 3], [4, 5, 6], [7, 8, 0]], [[1, 2, 3], [4, 5, 6], goal]
    assert parse(as_json(domain="sliding-3x3", start=start, goal=last)).unsolvable == reason
    assert parse(LEVEL).unsolvable is None
    assert parse(f"{START}Goal:\n{END}").unsolvable is None


def test_json_faults_have_line_and_column():
    error = refused('{"domain": "sokoban",\n  start: 1}')
    assert (error.code, error.place.line, error.place.column) == ("task.json", 2, 3)
    with pytest.raises(InputError) as caught:
        parse_task(b'{"domain": "\xff"}')
    assert caught.value.code == "task.json"
    assert "keys domain, start, goal" in refused("{}").message

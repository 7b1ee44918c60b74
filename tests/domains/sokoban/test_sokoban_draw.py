"""Drawings: golden texts."""

from nhc.domains.sokoban import Board, State, read_levels, replay, to_text
from nhc.domains.text import side_by_side

(LEVEL,) = read_levels("######\n#+$ *#\n#.$  #\n######\n")


def test_text_round_trips_in_all_signs():
    assert to_text(LEVEL.board, LEVEL.state, LEVEL.goals) == "######\n#+$ *#\n#.$  #\n######"
    assert to_text(LEVEL.board, LEVEL.state) == "######\n#@$ $#\n# $  #\n######"


def test_goals_under_walls_do_not_show():
    board = Board(3, 4)
    assert to_text(board, State(board.rim, 0, 1 << 4), board.full) == "###\n#+#\n#.#\n###"


def drawn(*states: State) -> list[str]:
    return [to_text(LEVEL.board, state, LEVEL.goals) for state in states]


def test_frames_stand_side_by_side():
    path = replay(LEVEL.board, LEVEL.state, [1, 2, 3])
    assert side_by_side(drawn(*path), width=24) == (
        "######   ######   ######\n"
        "#+$ *#   #.@$*#   #.@$*#\n"
        "#.$  #   #.$  #   #.$  #\n"
        "######   ######   ######\n"
        "\n"
        "######\n"
        "#+ $*#\n"
        "#.$  #\n"
        "######"
    )


def test_frames_with_captions():
    captions = ["start", "a long caption"]
    assert side_by_side(drawn(LEVEL.state, LEVEL.state), captions, 100).split("\n")[:2] == [
        "start    a long",
        "######   ######",
    ]
    assert side_by_side(drawn(LEVEL.state, LEVEL.state), width=1).count("\n\n") == 1
    assert side_by_side([]) == ""

"""Drawings: golden texts, and what a picture must contain."""

import re
from xml.etree import ElementTree

from nhc.domains.sokoban import Board, State, frames_text, read_levels, replay, to_svg, to_text

(LEVEL,) = read_levels("######\n#+$ *#\n#.$  #\n######\n")
SVG = "{http://www.w3.org/2000/svg}"


def test_text_round_trips_in_all_signs():
    assert to_text(LEVEL.board, LEVEL.state, LEVEL.goals) == "######\n#+$ *#\n#.$  #\n######"
    assert to_text(LEVEL.board, LEVEL.state) == "######\n#@$ $#\n# $  #\n######"


def test_goals_under_walls_do_not_show():
    board = Board(3, 4)
    assert to_text(board, State(board.rim, 0, 1 << 4), board.full) == "###\n#+#\n#.#\n###"


def test_frames_stand_side_by_side():
    path = replay(LEVEL.board, LEVEL.state, [1, 2, 3])
    assert frames_text(LEVEL.board, path, LEVEL.goals, width=24) == (
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
    assert frames_text(LEVEL.board, [LEVEL.state] * 2, LEVEL.goals, captions, 100).split("\n")[:2] == [
        "start    a long",
        "######   ######",
    ]
    assert frames_text(LEVEL.board, [LEVEL.state] * 2, width=1).count("\n\n") == 1
    assert frames_text(LEVEL.board, []) == ""


def test_a_picture_is_well_formed_and_deterministic():
    svg = to_svg(LEVEL.board, LEVEL.state, LEVEL.goals, cell=10, title="a < b & c")
    assert svg == to_svg(LEVEL.board, LEVEL.state, LEVEL.goals, cell=10, title="a < b & c")
    root = ElementTree.fromstring(svg)
    assert (root.get("width"), root.get("height"), root.get("viewBox")) == ("60", "40", "0 0 144 96")
    assert root.find(f"{SVG}title").text == "a < b & c"


def test_every_kind_of_cell_has_its_own_look_and_place():
    root = ElementTree.fromstring(to_svg(LEVEL.board, LEVEL.state, LEVEL.goals))
    looks = {}
    for group in root.findall(f"{SVG}g"):
        column, row = (int(n) // 24 for n in re.findall(r"\d+", group.get("transform")))
        looks[row, column] = "".join(ElementTree.tostring(shape, "unicode") for shape in group)
    assert set(looks) == {(1, 1), (1, 2), (1, 4), (2, 1), (2, 2)}
    assert looks[1, 2] == looks[2, 2]
    assert len(set(looks.values())) == 4
    blue, orange, green = "#0072b2", "#e69f00", "#009e73"
    shown = {
        cell: {colour for colour in (blue, orange, green) if colour in look} for cell, look in looks.items()
    }
    assert shown[1, 1] == {blue, green}
    assert shown[1, 2] == {orange}
    assert shown[1, 4] == {orange, green}
    assert shown[2, 1] == {green}


def test_a_small_picture_is_this_text():
    board = Board(3, 4)
    svg = to_svg(board, State(board.rim, 1 << 7, 1 << 4), 0, title="two")
    assert svg == (
        '<svg xmlns="http://www.w3.org/2000/svg" width="72" height="96" viewBox="0 0 72 96" role="img">\n'
        "<title>two</title>\n"
        '<rect width="72" height="96" fill="#f5f2ea"/>\n'
        '<path d="M0 0h72v24h-72zM0 24h24v24h-24zM48 24h24v24h-24zM0 48h24v24h-24zM48 48h24v24h-24z'
        'M0 72h72v24h-72z" fill="#4a5058"/>\n'
        '<g transform="translate(24 24)"><circle cx="12" cy="12" r="8" fill="#0072b2"/>'
        '<path d="M9 10h.01M15 10h.01" stroke="#ffffff" stroke-width="3.5" stroke-linecap="round"/></g>\n'
        '<g transform="translate(24 48)"><path d="M3.5 3.5h17v17h-17zl17 17m0-17l-17 17" fill="#e69f00" '
        'stroke="#1b1b1b" stroke-width="1.5"/></g>\n'
        "</svg>\n"
    )

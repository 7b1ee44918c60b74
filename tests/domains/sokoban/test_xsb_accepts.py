"""Everything the level reader accepts: variants of one level are the same level."""

import pytest

from nhc.domains.sokoban import (
    LEGENDS,
    Board,
    Reading,
    State,
    level_id,
    read_levels,
    scan_levels,
    to_text,
)
from nhc.errors import InputError

PLAIN = """\
  ####
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########
"""
CLOSED = """\
#########
###  ####
#     $ #
# #  #$ #
# . .#@ #
#########"""
ID = read_levels(PLAIN)[0].level_id


def only(data, **options):
    (level,) = read_levels(data, "a.xsb", Reading(**options))
    return level


def codes(level):
    return [note.code for note in level.warnings]


def test_a_plain_level_becomes_bit_boards():
    level = only(PLAIN)
    assert level.board == Board(9, 6)
    assert to_text(level.board, level.state, level.goals) == CLOSED
    assert level.state.agent == 1 << level.board.index(4, 6)
    assert level.state.boxes == 1 << level.board.index(2, 6) | 1 << level.board.index(3, 6)
    assert level.goals == 1 << level.board.index(4, 2) | 1 << level.board.index(4, 4)
    assert level.warnings == ()
    assert level.text == PLAIN.rstrip("\n")
    assert (level.title, level.metadata) == (None, ())
    assert (level.place.file, level.place.line, level.place.level) == ("a.xsb", 1, 1)


VARIANTS = {
    "bytes": PLAIN.encode(),
    "byte order mark": b"\xef\xbb\xbf" + PLAIN.encode(),
    "byte order mark in text": "\ufeff" + PLAIN,
    "CRLF": PLAIN.replace("\n", "\r\n"),
    "CR": PLAIN.replace("\n", "\r").encode(),
    "no last line end": PLAIN.rstrip("\n"),
    "blank lines around": "\n\n" + PLAIN + "\n  \n",
    "trailing blanks": PLAIN.replace("\n", "   \n"),
    "indented": "".join(f"    {line}\n" for line in PLAIN.splitlines()),
    "padded": "".join(f"{line:<9}\n" for line in PLAIN.splitlines()),
    "walls outside": CLOSED,
    "thicker walls": "###########\n" + "".join(f"#{row}#\n" for row in CLOSED.split("\n")) + "###########\n",
    "visible floor": PLAIN.replace(" ", "-"),
    "underscores": PLAIN.replace(" ", "_"),
    "letters": PLAIN.translate(str.maketrans("#@$", "Wpb")),
    "run lengths": "2 4#\n3#2-4#\n#5 $ #\n# #2 #$ #\n# . .#@ #\n9#\n",
    "run lengths on one line": "--4#|3#--4#|#5-$-#|#-#--#$-#|#2(-.)#@-#|9#",
    "rows of floor around": "---|--4#|3#--4#|#5-$-#|#-#--#$-#|#-.-.#@-#|9#|-|--",
    "final bar": "--4#|3#--4#|#5-$-#|#-#--#$-#|#-.-.#@-#|9#|",
    "bars and lines": "--4#|3#--4#\n#5-$-#|#-#--#$-#|\n#-.-.#@-#|9#\n",
    "nested groups": "--4#|3#--2(2(#))|#(2(2-)-)$-#|#-#--#$-#|#-.-.#@-#|3(3#)",
    "comment directly above": "; a comment\n" + PLAIN,
    "text all around": "Some words\nmore words\n\nTitle 7\n\n" + PLAIN + "Author: me\n",
    "decoration": PLAIN.replace("  ####\n", "* ####\n", 1),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_variants_of_a_level_have_the_same_id(name):
    assert only(VARIANTS[name]).level_id == ID


@pytest.mark.parametrize("name", [name for name in VARIANTS if name != "thicker walls"])
def test_variants_of_a_level_play_the_same(name):
    level, plain = only(VARIANTS[name]), only(PLAIN)
    assert (level.board, level.state, level.goals) == (plain.board, plain.state, plain.goals)


@pytest.mark.parametrize(
    "other",
    [
        PLAIN.replace("$ #", " $#", 1),
        PLAIN.replace("@ ", " @"),
        PLAIN.replace(". .", ".. "),
        PLAIN.replace("# #  #", "# # ##"),
        "".join(row[::-1] + "\n" for row in CLOSED.split("\n")),
        "\n".join(CLOSED.split("\n")[::-1]),
    ],
)
def test_other_levels_have_other_ids(other):
    assert only(other).level_id != ID


def test_the_id_is_stable_across_releases():
    """It stands in files that users keep: this value must never change."""
    assert only("#####\n#@$.#\n#####").level_id == "d64cfb9a722ee130"


def test_the_id_ignores_where_the_board_lies():
    small = State(Board(3, 5).full ^ (1 << 4 | 1 << 7 | 1 << 10), 1 << 7, 1 << 4)
    wide = Board(7, 9)
    cells = [wide.index(row, 3) for row in (4, 5, 6)]
    moved = State(wide.full ^ sum(1 << cell for cell in cells), 1 << cells[1], 1 << cells[0])
    assert level_id(Board(3, 5), small, 1 << 10) == level_id(wide, moved, 1 << cells[2])


def test_agent_and_boxes_on_goals():
    level = only("#####\n#+* #\n# $ #\n#####")
    assert to_text(level.board, level.state, level.goals) == "#####\n#+* #\n# $ #\n#####"
    letters = only("#####\n#PB #\n# b #\n#####")
    assert letters.level_id == level.level_id


def test_several_levels_in_a_row():
    levels = read_levels(f"first\n\n{PLAIN}\n; second\n#####\n#@$.#\n#####\n\n6#|#@-$.#|6#\n")
    assert [level.place.level for level in levels] == [1, 2, 3]
    assert [level.place.line for level in levels] == [3, 11, 15]
    assert levels[0].level_id == ID
    assert levels[2].board == Board(6, 3)


def test_boxes_on_goals_out_of_reach_become_walls_with_a_warning():
    level = only("#######\n#@$.#*#\n#######\n")
    assert codes(level) == ["xsb.unreachable_box"]
    assert (level.warnings[0].place.line, level.warnings[0].place.column) == (2, 6)
    assert level.goals == 1 << 10
    assert level.level_id == only("#####\n#@$.#\n#####").level_id
    assert "a.xsb:2:6 (level 1): a box on a goal" in str(level.warnings[0])


def test_reach_goes_through_boxes():
    level = only("#######\n#@$ $.#\n####. #\n   ####\n")
    assert to_text(level.board, level.state, level.goals).split("\n")[1:3] == ["#@$ $.#", "####. #"]


def test_levels_that_are_solved_at_the_start_are_accepted_with_a_warning():
    assert codes(only("#####\n#@ *#\n#####")) == ["xsb.solved"]
    assert codes(only("#####\n#@  #\n#####")) == ["xsb.no_boxes"]


def test_extra_goals_are_accepted_when_asked_for():
    level = only("######\n#@$..#\n######", allow_extra_goals=True)
    assert codes(level) == ["xsb.goals"]
    assert level.warnings[0].message == "1 box and 2 goals"
    assert level.goals == 1 << 9 | 1 << 10
    outside = only("#######\n#@$.#.#\n#######", allow_extra_goals=True)
    assert outside.warnings[0].message == "1 box and 1 goal, and 1 goal out of reach"


def test_open_borders_are_closed_when_asked_for():
    text = "####\n#@$.\n####"
    level = only(text, close_border=True)
    assert codes(level) == ["xsb.open"]
    assert to_text(level.board, level.state, level.goals) == "######\n######\n##@$.#\n######\n######"
    closed = only(PLAIN, close_border=True)
    assert closed == only(PLAIN)


def test_rows_without_walls_belong_to_a_board_that_encloses_them():
    level = only("#####\n @$.\n#####", close_border=True)
    assert to_text(level.board, level.state, level.goals).split("\n")[2] == "# @$. #"
    assert only("####|-|@-$.|####", close_border=True).board == Board(6, 6)


def test_titles_in_latin_1_are_read_with_a_warning():
    level = only("Sch\u00f6n\n\n".encode("latin-1") + PLAIN.encode())
    assert level.title == "Sch\u00f6n"
    assert codes(level) == ["xsb.encoding"]
    assert (level.warnings[0].place.line, level.warnings[0].place.column) == (1, 4)
    later = read_levels(b"\n\xe9t\xe9\n\n".join([b"", PLAIN.encode(), PLAIN.encode() + b"fin\xe9"]))
    assert [len(level.warnings) for level in later] == [1, 2]


def test_utf8_titles():
    assert only("Schön\n\n" + PLAIN).title == "Schön"
    assert only(("\ufeff; 倉庫番\n" + PLAIN).encode()).title == "倉庫番"


LEGEND_TEXTS = {
    "dos": "XXXXXX\nX@*& X\nX  . X\nXXXXXX",
    "reasoning-gym": "+ + + + + +\n+ * @ $ - +\n+ - - X - +\n+ + + + + +",
    "solver": "######\n#&BX #\n#  . #\n######",
    "yxwz": "######\n#@XW #\n#  Y #\n######",
    "xsb": "######\n#@$* #\n#  . #\n######",
}


@pytest.mark.parametrize("name", LEGENDS)
def test_every_legend_reads_its_own_dialect(name):
    level = only(LEGEND_TEXTS[name], legend=LEGENDS[name])
    assert to_text(level.board, level.state, level.goals) == LEGEND_TEXTS["xsb"]


def test_agents_on_goals_in_other_legends():
    for name, agent in (("reasoning-gym", "%"), ("solver", "%"), ("yxwz", "Z")):
        text = {
            "reasoning-gym": "+ + + +\n+ % @ +\n+ - - +\n+ + + +",
            "solver": "####\n#%B#\n#  #\n####",
            "yxwz": "####\n#ZX#\n#  #\n####",
        }[name]
        assert agent in text
        level = only(text, legend=LEGENDS[name])
        assert to_text(level.board, level.state, level.goals) == "####\n#+$#\n#  #\n####"


def test_a_boxoban_file_is_a_level_file():
    """Levels `; N` of ten rows each, N from 0, as that collection has them."""
    rows = "##########\n" * 2 + "##   #####\n" * 2
    rows += "##.$.#####\n## $.$   #\n## @ .$  #\n###  #####\n" + "##########\n" * 2
    mirrored = "".join(f"{row[::-1]}\n" for row in rows.splitlines())
    levels = read_levels("".join(f"; {n}\n{text}\n" for n, text in enumerate([rows, mirrored, rows])))
    assert [level.title for level in levels] == ["0", "1", "2"]
    assert levels[0].level_id == levels[2].level_id == only(rows).level_id != levels[1].level_id
    assert levels[1].place.line == 14
    assert not any(level.warnings for level in levels)


def test_scan_keeps_good_levels_beside_bad_ones():
    results = scan_levels("####\n#@ #\n####\n\n####\n#  #\n####\n\n#####\n#@$.#\n#####\n")
    assert [isinstance(result, InputError) for result in results] == [False, True, False]
    assert (results[1].code, results[1].place.level, results[1].place.line) == ("xsb.no_player", 2, 5)
    assert results[2].place.level == 3

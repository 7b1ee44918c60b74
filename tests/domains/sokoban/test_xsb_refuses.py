"""Everything the level reader refuses: stable code, file, level, line, column."""

import pytest

from nhc.domains.sokoban import LEGENDS, Reading, read_levels
from nhc.errors import InputError

GOOD = "####\n#@ #\n####\n\n"


def refused(data, **options):
    with pytest.raises(InputError) as caught:
        read_levels(data, "a.xsb", Reading(**options))
    return caught.value


CASES = {
    # name: text of the second level, code, line in it, column, part of the message
    "tab inside": ("#####\n#@\t.#\n#####", "xsb.tab", 2, 3, "tab"),
    "tab as indent": ("\t#####\n\t#@$.#\n\t#####", "xsb.tab", 1, 1, "tab"),
    "tab in a row without walls": ("#####\n\t@$.\n#####", "xsb.tab", 2, 1, "tab"),
    "tab at the end": ("#####\n#@$.#\t\n#####", "xsb.tab", 2, 6, "tab"),
    "tab between run lengths": ("5#|#@$.#|\t5#", "xsb.tab", 1, 10, "tab"),
    "unknown sign": ("#####\n#@$.%#\n######", "xsb.character", 2, 5, "'%' (U+0025)"),
    "unknown sign first": ("######\nx@$.###\n######", "xsb.character", 2, 1, "'x' (U+0078)"),
    "unknown sign in a wide row": (
        "#######\n#     #\n#~~~~~#\n#@$  .#\n#######",
        "xsb.character",
        3,
        2,
        "'~' (U+007E)",
    ),
    "no-break space": ("######\n#@\u00a0$.#\n######", "xsb.character", 2, 3, "(U+00A0)"),
    "unknown sign in run lengths": ("3(2#)\n#@$2~.#\n6#", "xsb.character", 2, 5, "'~'"),
    "unknown sign between counts": ("9#\n3#2x@4#\n9#", "xsb.character", 2, 4, "'x'"),
    "unknown sign among letters": ("WWWWWW\n?Wpb.W\nWWWWWW", "xsb.character", 2, 1, "'?'"),
    "tab among letters": ("WWW\nWp\t\nWWW", "xsb.tab", 2, 3, "tab"),
    "no player": ("#####\n# $.#\n#####", "xsb.no_player", 1, None, "has none"),
    "two players": ("######\n#@$.@#\n######", "xsb.players", 2, 5, "line 6, column 2 and line 6, column 5"),
    "two players, one on a goal": ("######\n#@$+ #\n######", "xsb.players", 2, 4, "column 4"),
    "more boxes": ("######\n#@$$.#\n######", "xsb.goals", 1, None, "2 boxes and 1 goal"),
    "more goals": ("######\n#@$..#\n######", "xsb.goals", 1, None, "1 box and 2 goals"),
    "goal out of reach": (
        "#######\n#@$ #.#\n#######",
        "xsb.goals",
        1,
        None,
        "0 goals, and 1 goal out of reach",
    ),
    "extra goal out of reach": ("#######\n#@$.#.#\n#######", "xsb.goals", 1, None, "1 goal out of reach"),
    "gap in a side": ("#####\n#@$. \n#####", "xsb.open", 2, 5, "line 6, column 5"),
    "short row": ("######\n#@$.\n#   ##\n######", "xsb.open", 2, 6, "column 6"),
    "no floor of walls": ("######\n#@$. #", "xsb.open", 2, 2, "open"),
    "indented gap": ("   ####\n   #@$.\n   ####", "xsb.open", 2, 7, "column 7"),
    "agent on the rim": ("#####\n#  $.@\n#####", "xsb.open", 2, 6, "open"),
    "box out of reach": ("#######\n#@$.#$#\n#######", "xsb.unreachable_box", 2, 6, "cannot be solved"),
    "number at the end": ("#####\n#@$.3\n#####", "xsb.run_length", 2, 5, "found the end"),
    "number before a bracket": ("#####\n#@2($3).#\n######", "xsb.run_length", 2, 6, "found `)`"),
    "bracket not closed": ("#####\n#(@$.#\n#####", "xsb.run_length", 2, 2, "has no `)`"),
    "bracket not opened": ("#####\n#@)$.#\n#####", "xsb.run_length", 2, 3, "has no `(`"),
    "zero": ("#####\n#0-@$.#\n#####", "xsb.run_length", 2, 2, "found 0"),
    "huge number": ("#####\n#@99999999999999999999$.#\n#####", "xsb.run_length", 2, 3, "found 9999"),
    "bomb": ("#####\n#@9999(9999(9999$)).#\n#####", "xsb.run_length", 2, 18, "more than 1000000"),
    "huge box": ("#####\n#@$.#400000#\n#####", "xsb.size", 1, 1, "65536"),
}


@pytest.mark.parametrize("name", CASES)
def test_each_fault_is_named_with_its_place(name):
    text, code, line, column, words = CASES[name]
    error = refused(GOOD + text)
    assert error.code == code
    assert (error.place.file, error.place.level) == ("a.xsb", 2)
    assert (error.place.line, error.place.column) == (line + 4, column)
    assert words in error.message
    assert f"[{code}]" in str(error)


def test_more_boxes_than_goals_are_refused_even_with_extra_goals_allowed():
    assert refused("######\n#@$$.#\n######", allow_extra_goals=True).code == "xsb.goals"


def test_bytes_that_are_not_utf_8_in_a_board():
    error = refused(b"#####\n#@$.\xe9#\n######")
    assert (error.code, error.place.line, error.place.column) == ("xsb.encoding", 2, 5)
    assert "0xE9" in error.message


@pytest.mark.parametrize("codec", ["utf-16", "utf-32"])
def test_utf_16_is_named(codec):
    error = refused("#####\n#@$.#\n#####".encode(codec))
    assert error.code == "xsb.encoding"
    assert "UTF-16" in error.message


@pytest.mark.parametrize(
    "text", ["", "\n\n", "only words", "#####\n\n#####", "; 1\n:: #### ::\n", "#1\n#2\n# 3", "12\n...\n12"]
)
def test_a_file_without_levels_is_an_error(text):
    error = refused(text)
    assert error.code == "xsb.empty"
    assert error.place.file == "a.xsb"


def test_no_level_is_ever_dropped_in_silence():
    """A line that cannot be read splits no board in two, whichever row it is."""
    rows = ["########", "#@ $  .#", "#      #", "#      #", "#      #", "########"]
    for number in range(1, 5):
        for fault in ("\t", "\u00a0", "?", "é"):
            broken = [row if n != number else row[:3] + fault + row[4:] for n, row in enumerate(rows)]
            error = refused("\n".join(broken))
            assert error.code in ("xsb.tab", "xsb.character")
            assert (error.place.line, error.place.column) == (number + 1, 4)


SUGGESTIONS = {
    "XXXXXX\nX@*& X\nX  . X\nXXXXXX": ("xsb.empty", "dos"),
    "+ + + + + +\n+ * @ $ - +\n+ - - X - +\n+ + + + + +": ("xsb.empty", "reasoning-gym"),
    "######\n#&BX #\n#  . #\n######": ("xsb.character", "solver"),
    "######\n#@XW #\n#  Y #\n######": ("xsb.character", "yxwz"),
}


@pytest.mark.parametrize("text", SUGGESTIONS)
def test_errors_suggest_the_legend_that_fits(text):
    code, name = SUGGESTIONS[text]
    error = refused(text)
    assert error.code == code
    assert f"with the legend `{name}` it reads as 1 level" in error.message
    assert error.message.count("with the legend") == 1


def test_no_legend_is_suggested_when_none_fits():
    assert "with the legend" not in refused("#####\n#@?.#\n#####").message


def test_xsb_is_suggested_for_the_wrong_legend():
    error = refused("#####\n#@$.#\n#####", legend=LEGENDS["dos"])
    assert "with the legend `xsb` it reads as 1 level" in error.message


def test_cells_of_spaced_legends_have_blanks_between():
    error = refused("+ + + +\n+ *@X +\n+ + + +", legend=LEGENDS["reasoning-gym"])
    assert error.code == "xsb.character"
    assert (error.place.line, error.place.column) == (2, 4)
    assert "blank between" in error.message


CUT = {
    # the file; code, line of the level's error, and the hint
    "rows above and below": ("#####\n#@  #\n\n# $.#\n#####\n", "xsb.open", "line 3 is blank", "lines 1 to 5"),
    "no player above": ("#####\n# $.#\n\n#@  #\n#####\n", "xsb.no_player", "line 3 is blank", "lines 1 to 5"),
    "one row above": ("#####\n\n#@  #\n# $.#\n#####\n", "xsb.open", "line 2 is blank", "lines 1 to 5"),
    "one row below": ("#####\n#@  #\n# $.#\n\n#####\n", "xsb.open", "line 4 is blank", "lines 1 to 5"),
    "two cuts": ("#####\n\n#@  #\n# $.#\n \n#####\n", "xsb.open", "line 2 is blank", "lines 1 to 6"),
    "more than one blank line": ("#####\n#@  #\n\n\n# $.#\n#####\n", "xsb.open", "line 3", "lines 1 to 6"),
}


@pytest.mark.parametrize("name", CUT)
def test_a_blank_line_inside_a_board_is_named(name):
    text, code, line, rows = CUT[name]
    error = refused(text)
    assert error.code == code
    assert line in error.message and f"without it {rows} are one" in error.message


def test_a_blank_line_between_levels_is_not_blamed():
    assert "blank" not in refused("####\n#@ \n####\n\n#####\n#@$.#\n#####").message
    assert "blank" not in refused("####\n#@ \n####\nwords\n####\n").message


@pytest.mark.parametrize("line", ["-----", "__", " - "])
def test_a_separator_that_is_a_row_of_floor_is_named(line):
    error = refused(f"#####\n#@$.#\n#####\n{line}\n#####\n#@$.#\n#####")
    assert error.code == "xsb.players"
    assert f"line 4, {line.strip()!r}, is a row of floor: separate levels by a blank line" in error.message
    assert "row of floor" not in refused("######\n#@$.@#\n######").message

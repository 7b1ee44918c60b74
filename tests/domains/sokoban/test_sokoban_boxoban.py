"""Strict Boxoban files: names of levels, and every rule of the format."""

import pytest

from nhc.domains.sokoban import read_boxoban, read_levels
from nhc.errors import InputError

ROWS = [
    "##########",
    "##########",
    "##   #####",
    "##   #####",
    "##.$.#####",
    "## $.$   #",
    "## @ .$  #",
    "###  #####",
    "##########",
    "##########",
]


def file(*levels):
    return "".join(
        f"; {n}\n" + "".join(f"{row}\n" for row in rows) + "\n" for n, rows in enumerate(levels)
    ).encode()


def test_levels_are_named_by_file_and_index():
    mirrored = [row[::-1] for row in ROWS]
    levels = read_boxoban(file(ROWS, mirrored, ROWS), "medium/train/007")
    assert [level.title for level in levels] == [f"medium/train/007/{n}" for n in range(3)]
    assert levels[0].level_id == levels[2].level_id != levels[1].level_id
    assert levels[0].level_id == read_levels("\n".join(ROWS))[0].level_id
    assert levels[1].place.line == 14
    assert read_boxoban(file(ROWS).rstrip(b"\n"), "x") == read_boxoban(file(ROWS), "x")


def changed(number, row):
    return [*ROWS[:number], row, *ROWS[number + 1 :]]


BROKEN = {
    "empty": (b"", 1),
    "wrong number": (file(ROWS).replace(b"; 0", b"; 1"), 1),
    "second number": (file(ROWS, ROWS).replace(b"; 1", b"; 2"), 13),
    "CRLF": (file(ROWS).replace(b"\n", b"\r\n"), 1),
    "short row": (file(changed(3, "##   ####")), 5),
    "open side": (file(changed(5, "## $.$    ")), 7),
    "open top": (file(changed(0, "####  ####")), 2),
    "open bottom": (file(changed(9, "####  ####")), 11),
    "box on a goal": (file(changed(3, "## * #####")), 5),
    "missing row": (file(ROWS[:9]), 11),
    "no blank line": (file(ROWS, ROWS).replace(b"\n\n; 1", b"\n; 1\n"), 12),
    "three boxes": (file(changed(4, "##. .#####")), 1),
    "two players": (file(changed(3, "## @ #####")), 1),
    "five goals": (file(ROWS, changed(3, "## . #####")), 13),
}


@pytest.mark.parametrize("name", BROKEN)
def test_files_that_break_the_format_are_refused(name):
    data, line = BROKEN[name]
    with pytest.raises(InputError) as caught:
        read_boxoban(data, "x", "000.txt")
    assert caught.value.code == "boxoban.format"
    assert (caught.value.place.file, caught.value.place.line) == ("000.txt", line)

"""Titles and metadata, and text that looks like boards."""

import pytest

from nhc.domains.sokoban import read_levels

BOARD = "#####\n#@$.#\n#####\n"


def titles(text):
    return [level.title for level in read_levels(text)]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (f"The title\n\n{BOARD}", "The title"),
        (f"The title\n{BOARD}", "The title"),
        (f"Some words\nmore words\n\nThe title\n\n{BOARD}", "The title"),
        (f"Some words\nmore words\n\n{BOARD}", None),
        (f"{BOARD}\nTitle: The title\n", "The title"),
        (f"{BOARD}TITLE:The title\n", "The title"),
        (f"; 1\n{BOARD}", "1"),
        (f";Level 1\n\n{BOARD}", "Level 1"),
        (f"; a remark\n; the last\n{BOARD}", "the last"),
        (f"; a remark\n\nThe title\n{BOARD}", "The title"),
        (f"The title\n; a remark\n{BOARD}Title: By key\n", "By key"),
        (f"#1\n{BOARD}", "#1"),
        (f"# 12\n\n{BOARD}", "# 12"),
        (f"Nr. #12\n{BOARD}", "Nr. #12"),
        (f"PW ok\n{BOARD}", "PW ok"),
        (BOARD, None),
        (f";\n{BOARD}", None),
        (f":: The legend ::\n{BOARD}", None),
        (f"http://example.org\n\n{BOARD}", "http://example.org"),
    ],
)
def test_titles(text, title):
    assert titles(text) == [title]


def test_titles_of_several_levels():
    text = f"Collection of mine\n\nOne\n\n{BOARD}\n; 2\n{BOARD}\n{BOARD}Title: Three\n\nFour\n\n{BOARD}"
    assert titles(text) == ["One", "2", "Three", "Four"]


def test_keys_belong_to_the_board_they_touch_else_to_the_one_above():
    text = (
        f"{BOARD}Title: A\nAuthor: Ann\n\nTitle: B\n{BOARD}\nAuthor: Bob\nDate Created: 1999-01-01\n\n{BOARD}"
    )
    levels = read_levels(text)
    assert [level.title for level in levels] == ["A", "B", None]
    assert [dict(level.metadata) for level in levels] == [
        {"author": "Ann"},
        {"author": "Bob", "date created": "1999-01-01"},
        {},
    ]


def test_keys_that_touch_two_boards_belong_to_the_upper_one():
    levels = read_levels(f"{BOARD}Author: Ann\n{BOARD}")
    assert [dict(level.metadata) for level in levels] == [{"author": "Ann"}, {}]


def test_keys_of_the_header_hold_for_every_level():
    text = f"Title: The set\nAuthor: Ann\n\n{BOARD}\n{BOARD}Author: Bob\n"
    levels = read_levels(text)
    assert [level.title for level in levels] == [None, None]
    assert [dict(level.metadata) for level in levels] == [
        {"author": "Ann", "collection": "The set"},
        {"author": "Bob", "collection": "The set"},
    ]


def test_keys_of_the_header_of_a_single_level_are_its_own():
    (level,) = read_levels(f"Title: One\nAuthor: Ann\n\n{BOARD}")
    assert (level.title, level.metadata) == ("One", (("author", "Ann"),))


def test_a_key_alone_takes_the_lines_below_it():
    (level,) = read_levels(f"{BOARD}Solution:\nr\nR 3(lu)\n; not this\nAuthor: Ann\n")
    assert dict(level.metadata) == {"solution": "r\nR 3(lu)", "author": "Ann"}


def test_comments_in_blocks_hold_no_boards():
    text = f"Comment:\n{BOARD}\nmore\nComment-End:\n\n{BOARD}\nCOMMENT:\n{BOARD}comment_end:\n"
    (level,) = read_levels(text)
    assert level.place.line == 9
    assert dict(level.metadata)["comment"] == BOARD.strip()


def test_a_comment_without_an_end_is_no_block():
    levels = read_levels(f"{BOARD}\nComment:\nwords\n\n{BOARD}")
    assert len(levels) == 2
    assert dict(levels[0].metadata) == {"comment": "words"}


def test_boxed_legends_for_human_eyes_are_no_boards():
    legend = ":: # wall   @ player ::\n::  $ box   . goal    ::\n:: ################## ::\n"
    (level,) = read_levels(f"{legend}\n{BOARD}")
    assert level.place.line == 5
    (level,) = read_levels(f"::#####\n::#@$.#\n::#####\n{BOARD}")
    assert level.place.line == 4


def test_text_with_a_few_cell_signs_is_text():
    text = f"########\n\n# Levels of mine\n\n*** 3 ***\n\n$$$ cheap\n\n- one\n- two\n\n{BOARD}\n#\n\nthe #1\n"
    assert len(read_levels(text)) == 1


def test_sentences_are_not_keys():
    (level,) = read_levels(f"{BOARD}Level by: Ann\nhow to play: push\nEasy: yes\n")
    assert dict(level.metadata) == {"level by": "Ann", "easy": "yes"}


def noted(text):
    """Code, line and level of each warning of each level."""
    return [
        [(note.code, note.place.line, note.place.level) for note in level.warnings]
        for level in read_levels(text, "a.xsb")
    ]


def test_a_key_that_comes_twice_is_noted_and_the_last_one_counts():
    text = f"{BOARD}Author: Ann\nTitle: A\nauthor: Bob\n\n{BOARD}Title: B\n\nTITLE: C\n"
    assert noted(text) == [[("xsb.key", 6, 1)], [("xsb.key", 13, 2)]]
    levels = read_levels(text)
    assert [level.title for level in levels] == ["A", "C"]
    assert levels[0].metadata == (("author", "Bob"),)
    assert "`author` comes twice" in levels[0].warnings[0].message


def test_a_key_of_the_whole_file_is_noted_once_and_may_be_overridden():
    assert noted(f"Set: A\nSet: B\n\n{BOARD}\n{BOARD}Set: C\n") == [[("xsb.key", 2, None)], []]


def test_a_comment_that_never_ends_is_noted():
    assert noted(f"{BOARD}\nComment:\nwords\n\nmore words\n\n{BOARD}") == [[("xsb.comment", 5, 1)], []]
    assert noted(f"Comment:\n{BOARD}") == [[("xsb.comment", 1, 1)]], "the board was meant as a comment"
    twice = f"{BOARD}Comment:\none\n\nComment:\ntwo\nComment-End:\n"
    assert noted(twice) == [[("xsb.comment", 4, 1), ("xsb.key", 7, 1)]]
    closed = "Comment:\nwords\nComment-End:\n"
    for fine in ("Comment:\n", "Comment:\nAuthor: Ann\n", "Comment: words\n", closed):
        assert noted(f"{BOARD}{fine}") == [[]], fine

"""Random levels: written, disguised and read again; and random rubbish, which may only raise InputError."""

from itertools import groupby

from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.domains.sokoban import Board, Level, Reading, read_levels, scan_levels, to_text
from nhc.errors import InputError


@st.composite
def boards(draw):
    """A walled board of signs with one agent and as many goals as boxes, perhaps with parts out of reach."""
    width, height = draw(st.integers(3, 8)), draw(st.integers(3, 8))
    inner = [(r, c) for r in range(1, height - 1) for c in range(1, width - 1)]
    order = draw(st.permutations(inner))
    rows = [["#"] * width for _ in range(height)]
    for row, column in inner:
        rows[row][column] = draw(st.sampled_from("   #"))
    agent, rest = order[0], order[1:]
    rows[agent[0]][agent[1]] = "@"
    pairs = draw(st.integers(0, min(3, len(rest) // 2)))
    for (r1, c1), (r2, c2) in zip(rest[:pairs], rest[pairs : 2 * pairs], strict=True):
        rows[r1][c1], rows[r2][c2] = "$", "."
    return "\n".join("".join(row) for row in rows) + "\n"


def run_lengths(text):
    rows = [
        "".join(
            f"{len(list(group))}{sign}" if sign != " " else "-" * len(list(group))
            for sign, group in groupby(row)
        )
        for row in text.splitlines()
    ]
    return "|".join(rows)


def drawn(level: Level) -> str:
    return to_text(level.board, level.state, level.goals)


DISGUISES = st.sampled_from(
    [
        lambda text: text,
        lambda text: text.replace("\n", "\r\n"),
        lambda text: text.replace("\n", "\r"),
        lambda text: text.rstrip("\n"),
        lambda text: "\ufeff" + text,
        lambda text: "".join(f"  {row} \n" for row in text.splitlines()),
        lambda text: text.replace(" ", "-"),
        lambda text: text.replace(" ", "_").translate(str.maketrans("#@$", "Wpb")),
        run_lengths,
        lambda text: f"words\n\n{text}Author: me\n",
    ]
)


@settings(max_examples=80, deadline=None, derandomize=True)
@given(boards(), DISGUISES)
def test_disguised_levels_are_the_same_level(text, disguise):
    (plain,) = scan_levels(text)
    (other,) = scan_levels(disguise(text).encode())
    if isinstance(plain, InputError):
        assert isinstance(other, InputError)
        assert other.code == plain.code
        assert plain.code in ("xsb.goals", "xsb.unreachable_box")
    else:
        assert other.level_id == plain.level_id
        assert (other.board, other.state, other.goals) == (plain.board, plain.state, plain.goals)
        (again,) = read_levels(drawn(other))
        assert again.level_id == plain.level_id
        assert (again.board, again.state) == (plain.board, plain.state)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(boards())
def test_what_is_drawn_is_what_was_written_where_all_is_in_reach(text):
    (level,) = scan_levels(text)
    if not isinstance(level, InputError):
        drawn = to_text(level.board, level.state, level.goals) + "\n"
        width, height = len(text.split("\n")[0]), text.count("\n")
        assert level.board == Board(width, height)
        for a, b in zip(text, drawn, strict=True):
            assert b in (a, "#")
        assert (level.state.boxes | level.state.agent | level.goals) & level.state.walls == 0


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(st.text("##  @$.*+-_|123(;:ab\t\u00e9", max_size=9), max_size=9), st.booleans())
def test_rubbish_raises_nothing_but_input_errors(rows, latin):
    data = "\n".join(rows).encode("latin-1" if latin else "utf-8")
    try:
        levels = read_levels(data, reading=Reading(close_border=True, allow_extra_goals=True))
    except InputError as error:
        assert error.code.startswith("xsb.")
    else:
        assert levels
        for level in levels:
            assert (
                read_levels(drawn(level), reading=Reading(allow_extra_goals=True))[0].level_id
                == level.level_id
            )


@settings(max_examples=120, deadline=None, derandomize=True)
@given(st.binary(max_size=60))
def test_any_bytes_raise_nothing_but_input_errors(data):
    try:
        read_levels(data)
    except InputError as error:
        assert error.code.startswith("xsb.")

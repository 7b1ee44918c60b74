"""Lists of seeds and levels."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.cli.parse import parse_numbers
from nhc.errors import ConfigError


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("3", [3]),
        ("0..4", [0, 1, 2, 3, 4]),
        ("5..5", [5]),
        ("0,4,7..9", [0, 4, 7, 8, 9]),
        (" 2 , 1 ", [2, 1]),
        ("007", [7]),
    ],
)
def test_forms(text: str, numbers: list[int]) -> None:
    assert parse_numbers(text) == numbers


OTHER = [
    "0..100000",
    "0..50000,0..50000",
    "0..999999999",
    "",
    " ",
    "x",
    "3..1",
    "1..",
    "..3",
    "-1",
    "-3..2",
    "1,,2",
    "1;2",
    "1-3",
    "1...3",
    "1..2..3",
    "1.5",
    "1 2",
]


@pytest.mark.parametrize("text", OTHER)
def test_other_forms_are_refused(text: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_numbers(text, "levels")
    assert caught.value.code == "cli.numbers"
    assert caught.value.message.startswith("levels: expected") and repr(text) in caught.value.message


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 5)), min_size=1, max_size=5))
def test_parts_are_joined_in_their_order(parts: list[tuple[int, int]]) -> None:
    text = ",".join(f"{first}..{first + more}" if more else f"{first}" for first, more in parts)
    assert parse_numbers(text) == [first + step for first, more in parts for step in range(more + 1)]

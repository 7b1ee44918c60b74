"""One text for one value."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.runs.canonical import canonical_json, parse_json, readable_json

scalars = (
    st.none() | st.booleans() | st.integers() | st.text() | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=12
)


@given(values)
@settings(max_examples=100, deadline=None, derandomize=True)
def test_both_texts_give_the_value_back(value: object) -> None:
    text = canonical_json(value)
    assert text.isascii() and "\n" not in text
    assert parse_json(text) == parse_json(readable_json(value)) == value
    assert canonical_json(parse_json(text)) == text


def test_the_text_is_pinned() -> None:
    assert canonical_json({"b": (1, 2.5), "a": {"ä": None}}) == '{"a":{"\\u00e4":null},"b":[1,2.5]}'


def test_order_of_keys_does_not_matter() -> None:
    assert canonical_json({"x": 1, "y": 2}) == canonical_json({"y": 2, "x": 1})
    assert readable_json({"x": 1, "y": 2}) == readable_json({"y": 2, "x": 1})


@pytest.mark.parametrize("number", [math.nan, math.inf, -math.inf])
def test_only_finite_numbers(number: float) -> None:
    for write in (canonical_json, readable_json):
        with pytest.raises(ValueError):
            write([number])


def test_numpy_scalars_are_refused() -> None:
    with pytest.raises(TypeError):
        canonical_json(np.int64(3))


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "-Infinity", "{", "", "[" * 100_000, b"\xff"])
def test_strict_reading(text: str | bytes) -> None:
    with pytest.raises(ValueError):
        parse_json(text)

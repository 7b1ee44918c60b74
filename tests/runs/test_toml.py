"""Configurations survive the way to TOML and back; faults have a place."""

import math
import tomllib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.errors import ConfigError, Place
from nhc.runs.toml import dump_toml, load_toml, parse_toml

texts = st.text(st.characters(codec="utf-8"), max_size=8)
scalars = (
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | texts | st.floats(allow_nan=False, allow_infinity=True)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=10,
)
tables = st.dictionaries(texts, values, max_size=5)


@given(tables)
@settings(max_examples=60, deadline=None, derandomize=True)
def test_values_come_back(table: dict[str, object]) -> None:
    text = dump_toml(table)
    assert tomllib.loads(text) == table
    assert dump_toml(tomllib.loads(text)) == text


def test_types_and_signs_come_back() -> None:
    table: dict[str, object] = {"a": 1, "b": 1.0, "c": True, "d": -0.0, "e": 1e22, "f": 5e-324, "g": "1"}
    back = parse_toml(dump_toml(table))
    assert [(type(v), repr(v)) for v in back.values()] == [(type(v), repr(v)) for v in table.values()]
    assert math.isnan(float(str(parse_toml(dump_toml({"x": math.nan}))["x"])))


def test_the_text_is_pinned() -> None:
    table: dict[str, object] = {
        "task": "plan",
        "machine": {"mix": "winner", "sizes": [8, 16], "deep": {"x": {"y": 0.1}}},
        "seed": 3,
        "odd key": (True, {"a": 1}),
        "empty": {},
    }
    assert dump_toml(table) == (
        'task = "plan"\nseed = 3\n"odd key" = [\n    true,\n    { a = 1 },\n]\n'
        '\n[machine]\nmix = "winner"\nsizes = [\n    8,\n    16,\n]\n\n[machine.deep.x]\ny = 0.1\n\n[empty]\n'
    )


@pytest.mark.parametrize(
    ("table", "key"),
    [({"a": {"b": None}}, "a.b"), ({"a": [1, object()]}, "a"), ({"a": "\ud800"}, "a"), ({"a": b""}, "a")],
)
def test_what_toml_cannot_say(table: dict[str, object], key: str) -> None:
    with pytest.raises(ConfigError, match=f"^{key}: expected") as caught:
        dump_toml(table)
    assert caught.value.code == "config.value"


def test_file_round_trip(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_bytes(dump_toml({"ä": "\x7f\r\n"}).encode())
    assert load_toml(tmp_path / "config.toml") == {"ä": "\x7f\r\n"}
    (tmp_path / "bom.toml").write_bytes(b"\xef\xbb\xbfa = 1\r\n")
    assert load_toml(tmp_path / "bom.toml") == {"a": 1}


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"a = 1\nb = \n", 2, 5),
        (b"a = 1\na = 2\n", 2, 6),
        (b"a = 1\n\n[b", 3, 3),
        (b'a = "', 1, 6),
        (b"a = 1\nb\xff = 2", 2, 2),
        ("ä = 1\nb = 'ä".encode() + b"\xe4'", 2, 7),
    ],
)
def test_faults_have_a_place(tmp_path: Path, data: bytes, line: int, column: int) -> None:
    path = tmp_path / "config.toml"
    path.write_bytes(data)
    with pytest.raises(ConfigError) as caught:
        load_toml(path)
    assert caught.value.code == "config.toml"
    assert caught.value.place == Place(str(path), line, column)
    assert "(at " not in caught.value.message


def test_missing_file_and_deep_nesting(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_toml(tmp_path / "none.toml")
    assert caught.value.code == "config.missing"
    with pytest.raises(ConfigError) as caught:
        parse_toml("a = " + "[" * 100_000)
    assert caught.value.code == "config.toml"

"""Logs grow by whole lines and can be cut back, byte for byte."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.errors import InputError, StorageError
from nhc.runs.canonical import canonical_json
from nhc.runs.jsonlines import JsonLines
from tests.runs.test_storage import largest_file


def record(iteration: int) -> dict[str, object]:
    return {"level": 1, "iteration": iteration, "fitness": iteration / 7}


def log(tmp_path: Path, iterations: int) -> JsonLines:
    lines = JsonLines(tmp_path / "metrics.jsonl")
    lines.append([record(i) for i in range(1, iterations + 1)])
    return lines


def test_lines_are_canonical(tmp_path: Path) -> None:
    lines = log(tmp_path, 2)
    lines.append([])
    lines.append([{"b": 1, "a": "ä"}])
    assert lines.path.read_bytes() == (
        b'{"fitness":0.14285714285714285,"iteration":1,"level":1}\n'
        b'{"fitness":0.2857142857142857,"iteration":2,"level":1}\n'
        b'{"a":"\\u00e4","b":1}\n'
    )
    assert lines.read() == [record(1), record(2), {"b": 1, "a": "ä"}]


def test_no_file_is_an_empty_log(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "metrics.jsonl")
    assert lines.read() == []
    assert lines.truncate_after(5) == 0
    assert not lines.path.exists()


@given(st.integers(0, 9), st.integers(0, 6), st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_resuming_gives_the_same_bytes(
    tmp_path_factory: pytest.TempPathFactory, checkpoint: int, beyond: int, data: st.DataObject
) -> None:
    """A run stopped somewhere after its checkpoint, in the middle of a line, goes on as if never stopped."""
    total = 15
    lines = JsonLines(tmp_path_factory.getbasetemp() / "metrics.jsonl")
    texts = [canonical_json(record(i)) + "\n" for i in range(1, total + 1)]
    torn = data.draw(st.integers(0, len(texts[checkpoint + beyond]) - 1))
    lines.path.write_text("".join(texts[: checkpoint + beyond]) + texts[checkpoint + beyond][:torn])
    assert lines.truncate_after(checkpoint) == checkpoint
    assert lines.path.read_text() == "".join(texts[:checkpoint])
    lines.append([record(i) for i in range(checkpoint + 1, total + 1)])
    assert lines.path.read_text() == "".join(texts)


def test_a_torn_line_is_not_read(tmp_path: Path) -> None:
    lines = log(tmp_path, 3)
    with lines.path.open("ab") as file:
        file.write(canonical_json(record(4)).encode())  # whole, but for its line feed
    assert len(lines.read()) == 3
    assert lines.truncate_after(4) == 3


def test_only_the_iteration_counts(tmp_path: Path) -> None:
    lines = JsonLines(tmp_path / "timing.jsonl")
    lines.append([record(2), record(9), record(2), record(3)])
    assert lines.truncate_after(2) == 2
    assert lines.read() == [record(2), record(2)]


@pytest.mark.parametrize("line", [b"\x00\x00\x00\n", b"[1]\n", b"\xff\n", b'{"fitness":NaN}\n', b"\n"])
def test_a_damaged_line_is_named(tmp_path: Path, line: bytes) -> None:
    lines = log(tmp_path, 2)
    with lines.path.open("ab") as file:
        file.write(line + b'{"iteration":3}\n')
    before = lines.path.read_bytes()
    for act in (lines.read, lambda: lines.truncate_after(1)):
        with pytest.raises(InputError) as caught:
            act()
        assert caught.value.code == "run.damaged"
        assert caught.value.place is not None and caught.value.place.line == 3
    assert lines.path.read_bytes() == before


def test_a_record_without_iteration_cannot_be_cut(tmp_path: Path) -> None:
    lines = log(tmp_path, 1)
    lines.append([{"level": 1}])
    with pytest.raises(InputError, match="iteration None"):
        lines.truncate_after(1)


def test_a_full_disk_leaves_whole_lines(tmp_path: Path) -> None:
    lines = log(tmp_path, 3)
    before = lines.path.read_bytes()
    with largest_file(len(before) + 70), pytest.raises(StorageError) as caught:
        lines.append([record(4), record(5)])  # the first would fit, a part of the second too
    assert caught.value.code == "storage.write"
    assert lines.path.read_bytes() == before
    lines.append([record(4)])
    assert len(lines.read()) == 4


def test_numbers_that_json_lacks_write_nothing(tmp_path: Path) -> None:
    lines = log(tmp_path, 1)
    with pytest.raises(ValueError):
        lines.append([record(2), {"fitness": float("nan")}])
    assert lines.read() == [record(1)]


def test_unreadable_and_unwritable(tmp_path: Path) -> None:
    with pytest.raises(InputError) as unreadable:
        JsonLines(tmp_path).read()
    assert unreadable.value.code == "storage.read"
    with pytest.raises(StorageError):
        JsonLines(tmp_path / "missing" / "metrics.jsonl").append([record(1)])


def test_lines_are_on_the_disk_when_append_returns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes, fsync = list[int](), os.fsync
    monkeypatch.setattr(os, "fsync", lambda file: (sizes.append(os.fstat(file).st_size), fsync(file)))
    lines = log(tmp_path, 2)
    assert sizes == [lines.path.stat().st_size]

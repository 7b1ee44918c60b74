"""The index of runs: what counts as the same run, and what is remembered."""

import sqlite3
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.experiments.index import Entry, open_index
from nhc.experiments.job import Task, job, key_of

ONE = job("train", {"b": [1, 2.5], "a": {"y": None, "x": "ü"}})


def a_task(key: str = "k") -> Task:
    return Task(key, ONE, "code", "/nowhere")


def test_equal_settings_are_one_run_whatever_their_order() -> None:
    other = job("train", {"a": {"x": "ü", "y": None}, "b": (1, 2.5)})
    assert other == ONE and key_of(other, "c") == key_of(ONE, "c")


def test_other_settings_kinds_and_code_are_other_runs() -> None:
    others = [job("train", {"b": [1, 2.5], "a": {"y": None, "x": "u"}}), job("modules", ONE.values)]
    keys = [key_of(ONE, "c"), key_of(ONE, "d"), *(key_of(other, "c") for other in others)]
    assert len(set(keys)) == 4
    assert all(len(key) == 64 and int(key, 16) for key in keys)


def test_what_happens_to_a_run_is_remembered(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with open_index(path) as index:
        assert index.entry("k") is None
        index.add(a_task())
        assert index.entry("k") == Entry("waiting", "", 0, None)
        index.set("k", "running", engine="local")
        index.set("k", "waiting", engine="local", reason="lost")
        index.set("k", "running", engine="local")
        index.set("k", "finished", engine="local", seconds=2.5)
        index.add(a_task())
        index.add(a_task("other"))
    with open_index(path) as index:
        assert index.entry("k") == Entry("finished", "", 2, 2.5)
        other = index.entry("other")
        assert other is not None and other.status == "waiting"


def test_runs_of_other_sources_are_known(tmp_path: Path) -> None:
    older = a_task("old")._replace(code="older")
    with open_index(tmp_path / "index.sqlite") as index:
        index.add(older)
        index.add(a_task())
        assert not index.made_otherwise(a_task())
        index.set("old", "finished", engine="local")
        assert index.made_otherwise(a_task()) and not index.made_otherwise(older)
        assert not index.made_otherwise(a_task()._replace(job=job("modules", ONE.values)))


def test_it_is_a_write_ahead_log_that_others_may_read(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with open_index(path) as index:
        index.add(a_task())
        reader = sqlite3.connect(path)
        assert reader.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        assert reader.execute("SELECT key, config FROM runs").fetchall() == [("k", ONE.config)]
        reader.close()


def test_one_command_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    with open_index(path), pytest.raises(ConfigError) as caught, open_index(path):
        pass
    assert caught.value.code == "reproduce.busy"
    with open_index(path):
        pass


@pytest.mark.parametrize("content", [b"no database at all" * 100, b"other tables", b"newer"])
def test_what_is_no_index_is_refused(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    if content.startswith(b"no "):
        path.write_bytes(content)
    else:
        made = sqlite3.connect(path)
        made.execute("CREATE TABLE runs (x)" if content == b"newer" else "CREATE TABLE y (x)")
        made.execute(f"PRAGMA user_version = {2 if content == b'newer' else 0}")
        made.commit()
        made.close()
    before = path.read_bytes()
    with pytest.raises(ConfigError) as caught, open_index(path):
        pass
    assert caught.value.code == "reproduce.index"
    assert path.read_bytes() == before

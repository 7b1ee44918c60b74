"""Kinds of runs: what a killed worker leaves is gone on with, and results say what happened."""

import json
from importlib import import_module
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.experiments import machine_runs, proofs
from nhc.experiments.job import Record, listed, tables, wholes
from nhc.experiments.kinds import KINDS, kind_of
from nhc.experiments.learning_runs import begun, first_checks
from nhc.experiments.proofs import SCHEMA, Proved, proof_of
from nhc.planning.transfer import Part

TRANSFER = {"model": "zoo:search", "world": "free-tree", "modules": "exact", "iterations": 251, "seed": 5}


def ticks_to(goal: int) -> int:
    """Ticks of Plan, by walking up: every node before the goal, and the path back."""
    ticks, node = goal + 1, goal
    while node > 0:
        ticks, node = ticks + 1, (node - 1) // 4
    return ticks


@pytest.mark.parametrize(
    ("world", "goal", "engine"), [("free-tree", 93, "program"), ("sokoban-6x6", 11, "network")]
)
def test_a_long_run_solves_its_task(world: str, goal: int, engine: str, tmp_path: Path) -> None:
    values = {
        "model": "zoo:plan",
        "world": world,
        "goal": goal,
        "engine": engine,
        "modules": "exact",
        "seed": 1,
    }
    found = machine_runs.long_run(values, tmp_path)
    assert found["solved"] is True
    assert found["ticks"] == found["expected_ticks"] == ticks_to(goal)
    assert found["task_level"] == (goal - 1) // 4 + 1


def test_a_transfer_goes_on_with_the_levels_that_lack(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = machine_runs.transfer_run(TRANSFER, tmp_path / "whole")
    files = sorted(path.name for path in (tmp_path / "whole").iterdir())
    assert files == ["level-1.safetensors", "level-2.safetensors"]
    assert (whole["samples"], whole["mistakes"]) == (251 * 20, 0)
    assert whole["levels"] == [[1, 250], [2, 1]]
    assert kind_of("transfer").fraction(TRANSFER, tmp_path / "whole") == pytest.approx(2 / 21)
    (tmp_path / "whole" / "level-2.safetensors").unlink()
    done: list[int] = []
    keep = machine_runs.keep_level

    def noted(folder: Path, number: int, part: Part) -> None:
        done.append(number)
        keep(folder, number, part)

    monkeypatch.setattr(machine_runs, "keep_level", noted)
    assert machine_runs.transfer_run(TRANSFER, tmp_path / "whole") == whole
    assert done == [2]


def test_the_behaviour_is_that_of_breadth_first_search(tmp_path: Path) -> None:
    values = {"model": "zoo:plan", "world": "sokoban-6x6", "goal": 10, "seed": 2}
    found = machine_runs.behaviour_run(values, tmp_path)
    assert found["ended"] == "finished"
    assert found["op"] == [tick % 4 for tick in range(10)] + [4, 4, 4]
    assert found["read"] == [tick // 4 for tick in range(10)] + [10, 2, 0]
    shares, boards = found["shares"], found["boards"]
    assert isinstance(shares, list) and isinstance(boards, list)
    assert all(sum(row) == pytest.approx(1, abs=1e-5) and len(row) == 5 for row in shares)
    assert boards[0] == boards[3] == boards[12] and len(set(boards)) > 1
    json.dumps(found)


def test_the_workflow_shows_the_push_that_changes_most(tmp_path: Path) -> None:
    found = machine_runs.workflow_run({"world": "sokoban-6x6", "seed": 3}, tmp_path)
    assert found["faults"] == []
    word, view, change, inserted = tables(found, "boards")
    before, after = listed(word, "signs"), listed(inserted, "signs")
    differing = [cell for cell in range(36) if before[cell] != after[cell]]
    assert len(differing) == 3 and before.count("$") == after.count("$"), "the agent, a box, and its new cell"
    assert differing == wholes(change, "marked") == wholes(inserted, "marked")
    assert set(differing) < set(wholes(view, "marked"))
    assert [row["name"] for row in tables(found, "bits")] == ["d_m", "d_f", "c_a", "d_a", "c_o", "d_o"]
    json.dumps(found)
    with pytest.raises(ConfigError) as caught:
        machine_runs.workflow_run({"world": "free-tree", "seed": 3}, tmp_path)
    assert caught.value.code == "domain.cells"


def test_the_first_check_of_each_module_counts() -> None:
    records: list[Record] = [
        {"event": "round", "module": "alu", "errors": 9},
        {"event": "check", "module": "alu", "errors": 3},
        {"event": "check", "module": "alu", "errors": 0},
        {"event": "check", "module": "input", "errors": 0},
    ]
    assert first_checks(records) == {"alu": 3, "input": 0}


@pytest.mark.parametrize("left", ["nothing", "folders", "metadata"])
def test_what_a_kill_left_at_the_very_start_is_taken_away(left: str, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    if left != "nothing":
        (folder / "checkpoints").mkdir(parents=True)
    if left == "metadata":
        (folder / "meta.json").write_text("{}")
    assert not begun(folder)
    assert not folder.exists()


def test_unknown_kinds_are_refused() -> None:
    with pytest.raises(ConfigError) as caught:
        kind_of("dance")
    assert caught.value.code == "reproduce.kind"


@pytest.mark.parametrize("name", KINDS)
def test_every_kind_does_its_runs_under_its_own_version(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kind = kind_of(name)
    module = import_module(f"nhc.experiments.{kind.module}")
    monkeypatch.setattr(module, f"{name}_run", lambda values, folder: {"values": values, "folder": folder})
    assert kind.run({"x": 1}, Path("there")) == {"values": {"x": 1}, "folder": Path("there")}
    assert kind.version == f"{name}-{kind.schema}" and kind.schema >= 1


@pytest.mark.parametrize(
    ("kept", "counts"),
    [
        ({"schema": SCHEMA, "outcome": "refuted", "program": ""}, True),
        ({"schema": SCHEMA - 1, "outcome": "refuted", "program": ""}, False),
        ({"outcome": "refuted", "program": ""}, False),
        ({"schema": SCHEMA, "outcome": 3, "program": ""}, False),
        ("{", False),
        (None, False),
    ],
)
def test_a_kept_proof_counts_only_under_its_own_schema(
    kept: object, counts: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if kept is not None:
        (tmp_path / "verdict.json").write_text(kept if isinstance(kept, str) else json.dumps(kept))
    monkeypatch.setattr(proofs, "made_proof", lambda folder: Proved("proved", "new"))
    assert proof_of(tmp_path) == (Proved("refuted", "") if counts else Proved("proved", "new"))
    monkeypatch.setattr(proofs, "made_proof", lambda folder: Proved("undecided", ""))
    assert proof_of(tmp_path).outcome == ("refuted" if counts else "proved"), "it was kept"

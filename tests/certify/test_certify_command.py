"""`nhc certify`: exit codes, what is printed, and what lies in the folder afterwards."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.certify import data_check
from nhc.certify.checker import ASSUMPTIONS, CLAIMS
from nhc.certify.data_check import DataCheck
from nhc.cli import parse
from nhc.cli.main import COMMANDS, usage
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.model import Model, load_model, save_model
from nhc.supervised.check.report import load_report, record_path, save_report
from nhc.supervised.files import load_modules, save_modules
from nhc.zoo import modules_path
from tests.cli.command import Command
from tests.computer.machines import hand_made, model_of
from tests.oracles.free_tree import breadth_first_weights


@pytest.fixture
def nhc(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs commands in an empty folder, in a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "140")
    return Command(capsys)


def saved(name: str, model: Model) -> Path:
    path = Path(f"{name}.safetensors")
    save_model(path, model)
    return path


def files() -> set[str]:
    return {path.name for path in Path().iterdir()}


@pytest.mark.parametrize(("task", "claims"), CLAIMS.items())
def test_shipped_models_are_certified(nhc: Command, task: str, claims: list[str]) -> None:
    done = nhc("certify", f"zoo:{task}")
    assert (done.code, done.err) == (0, "")
    assert files() == {f"zoo-{task}.certificate.json"}
    certificate = json.loads(Path(f"zoo-{task}.certificate.json").read_text())
    model = load_model(f"zoo:{task}")
    assert certificate["kind"] == "certificate"
    assert certificate["weights"] == model.hash
    assert certificate["task"] == task
    assert certificate["machine"] == model.config.recorded()
    assert [claim["text"] for claim in certificate["claims"]] == claims
    assert {claim["label"] for claim in certificate["claims"]} == {"proved"}
    assert certificate["assumptions"] == ASSUMPTIONS
    assert "data" not in certificate
    assert certificate["program"]["task"] == task
    invariant = certificate["invariant"]
    assert len(invariant["prefix_words"]) == 4 * invariant["prefix"] + 1
    assert sorted({here for _, here in invariant["pairs"]}) == invariant["fresh"]
    words = " ".join(done.out.split())
    assert all(claim in words for claim in claims)
    assert f"weights {model.hash[:12]}" in words
    assert f"nhc check zoo-{task}.certificate.json zoo:{task}" in words
    assert all(kind in done.out for kind in ("sign", "mode", "content", "op"))


def test_a_certificate_lies_beside_its_model_or_where_it_is_wanted(nhc: Command) -> None:
    Path("runs").mkdir()
    path = saved("runs/made", hand_made())
    assert nhc("certify", path).code == 0
    beside = Path("runs/made.certificate.json").read_text()
    assert nhc("certify", path, "--out", "elsewhere.json").code == 0
    assert Path("elsewhere.json").read_text() == beside
    assert files() == {"runs", "elsewhere.json"}


def test_json_goes_to_stdout_and_nothing_is_written(nhc: Command) -> None:
    done = nhc("certify", "zoo:search", "--json")
    assert done.code == 0
    (certificate,) = done.data
    assert certificate["task"] == "search"
    assert files() == set()


def test_a_machine_that_is_not_the_algorithm_is_shown_to_fail(nhc: Command) -> None:
    path = saved("broken", hand_made(fault="stops at 2"))
    done = nhc("certify", path, "--out", "wanted.json")
    assert done.code == 1
    assert "not the algorithm: on the free tree with goal node 9, tick 9" in done.out
    assert "expected read of cell 2 and up, found read of cell 2 and nop" in done.out
    assert files() == {"broken.safetensors", "broken.failure.json"}
    trace = json.loads(Path("broken.failure.json").read_text())
    assert (trace["kind"], trace["domain"], trace["goal"]) == ("trace", "free-tree", 9)
    assert trace["weights"] == load_model(str(path)).hash
    assert trace["failure"] == {
        "goal": 9,
        "tick": 9,
        "expected": "read of cell 2 and up",
        "found": "read of cell 2 and nop",
    }
    ticks = trace["ticks"]
    assert ticks["read"][:8] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert ticks["op"][:9] == [0, 1, 2, 3, 0, 1, 2, 3, 4]
    assert {len(column) for column in ticks.values()} == {9}
    lines = done.out.splitlines()
    last = [line.split() for line in lines if line.split()[:1] == ["9"]]
    assert last and last[0][:4] == ["9", "2", "8", "nop"]


def test_linear_words_are_not_certified_and_the_reason_is_told(nhc: Command) -> None:
    path = saved("real", hand_made(words="real", mix="sum"))
    done = nhc("certify", path)
    assert (done.code, done.out) == (1, "")
    assert done.err == "not certified: unsupported options: words = real, mix = sum\n"
    assert files() == {"real.safetensors"}


def test_a_gap_that_is_too_small_is_not_certified_and_told(nhc: Command) -> None:
    weights = breadth_first_weights()
    weights["transform_c.b"][1] = np.float32(0.5 - 6e-8)
    done = nhc("certify", saved("narrow", model_of(weights)))
    assert done.code == 1
    assert done.err.startswith("not certified: margin: op at search word none op none")


def test_exact_data_modules_are_checked_on_the_whole_family(
    nhc: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(data_check, "ROWS", 1 << 9)
    done = nhc("certify", "zoo:plan", "--data", "sokoban-6x4", "--quiet")
    size = Sokoban(Board(6, 4)).family_size
    assert (done.code, done.err) == (0, "")
    certificate = json.loads(Path("zoo-plan.certificate.json").read_text())
    assert certificate["data"] == {
        "domain": "sokoban-6x4",
        "states": size,
        "expected_states": size,
        "cases": 5 * size,
        "errors": 0,
        "modules": "exact data modules",
        "words": "no two states share a data word",
        "evidence": "",
        "label": "exhaustive",
    }
    words = " ".join(done.out.split())
    assert (
        f"exhaustive The exact data modules follow the rules on all {size:,} states of sokoban-6x4" in words
    )
    whole = "exhaustive For every solvable task of sokoban-6x4 the emitted plan is valid and a shortest one."
    assert whole in words, "a claim is as strong as its weakest part"
    assert f"of the data modules: {5 * size:,} cases, 0 errors" in words


def test_data_modules_that_fail_leave_no_claim_about_tasks(
    nhc: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    failed = DataCheck("sokoban-6x4", 10, 10, 50, 3)
    monkeypatch.setattr(data_check, "check_exact_modules", lambda board, on_progress: failed)
    done = nhc("certify", "zoo:search", "--data", "sokoban-6x4")
    assert done.code == 1
    assert "3 errors" in done.out
    assert "For every solvable task" not in done.out
    assert "exhaustive" not in done.out


def test_learned_modules_of_a_large_board_are_proved_again(nhc: Command) -> None:
    """6.5 billion states, none of which is enumerated."""
    done = nhc("certify", "zoo:plan", "--data", "sokoban-8x8")
    words = " ".join(done.out.split())
    assert done.code == 0
    assert "follow the rules on all 6,520,283,532 states of sokoban-8x8" in words
    assert "proved The learned data modules" in words and "exhaustive" not in words
    assert "Transform_D and Output proved for all words, 3,864 decisions" in words
    assert (
        "proved For every solvable task of sokoban-8x8 the emitted plan is valid and a shortest one." in words
    )


def test_a_record_that_claims_a_proof_is_not_believed(nhc: Command, tmp_path: Path) -> None:
    """The networks are proved again, and these are wrong at one place of the agent."""
    model = load_modules(modules_path("zoo:sokoban-8x8"))
    view = model.networks["view"]
    wrong = eqx.tree_at(lambda network: network.weights, view, view.weights.at[17].set(0.0))
    broken = replace(model, networks={**model.networks, "view": wrong})
    path = tmp_path / "broken.safetensors"
    save_modules(path, broken)
    report = load_report(record_path(modules_path("zoo:sokoban-8x8")))
    report.weights = broken.hash
    save_report(record_path(path), report)
    done = nhc("certify", "zoo:plan", "--data", "sokoban-8x8", "--modules", str(path))
    assert done.code == 1
    assert "failed The learned data modules" in " ".join(done.out.split())
    assert "For every solvable task" not in done.out


def recorded(tmp_path: Path, name: str, **changes: object) -> Path:
    """A copy of shipped modules whose record says something else."""
    source, path = modules_path(f"zoo:{name}"), tmp_path / f"{name}.safetensors"
    path.write_bytes(source.read_bytes())
    save_report(record_path(path), replace(load_report(record_path(source)), **changes))
    return path


@pytest.mark.parametrize("changes", [{"world": "other"}, {"family_hash": "x"}, {"formula": 7}])
def test_a_record_of_another_family_is_refused(
    nhc: Command, tmp_path: Path, changes: dict[str, object]
) -> None:
    path = recorded(tmp_path, "sokoban-8x8", **changes)
    done = nhc("certify", "zoo:plan", "--data", "sokoban-8x8", "--modules", str(path))
    assert done.error_code == "check.record"


def test_a_record_of_fewer_cases_is_refused(nhc: Command, tmp_path: Path) -> None:
    tallies = load_report(record_path(modules_path("zoo:stacking"))).tallies
    tallies["alu"].cases -= 1
    path = recorded(tmp_path, "stacking", tallies=tallies)
    done = nhc("certify", "zoo:plan", "--data", "stacking", "--modules", str(path))
    assert done.error_code == "check.record" and "alu: expected 15,000 cases, found 14,999" in done.err


def test_the_alu_is_run_again_where_a_proof_is_claimed(nhc: Command, tmp_path: Path) -> None:
    model = load_modules(modules_path("zoo:sokoban-8x8"))
    acts = jax.tree.map(jnp.zeros_like, model.networks["acts"])
    broken = replace(model, networks={**model.networks, "acts": acts})
    path = recorded(tmp_path, "sokoban-8x8", weights=broken.hash)
    save_modules(path, broken)
    done = nhc("certify", "zoo:plan", "--data", "sokoban-8x8", "--modules", str(path))
    assert done.code == 1 and "For every solvable task" not in done.out


def test_search_claims_no_plans(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = DataCheck("sokoban-6x4", 10, 10, 50, 0)
    monkeypatch.setattr(data_check, "check_exact_modules", lambda board, on_progress: passed)
    words = " ".join(nhc("certify", "zoo:search", "--data", "sokoban-6x4").out.split())
    assert "For every solvable task of sokoban-6x4 the goal is found by breadth-first search." in words
    assert "shortest" not in words


def test_progress_is_told_unless_quiet(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    passed = DataCheck("sokoban-6x4", 10, 10, 50, 0)
    clock = itertools.count(0, 3)

    def slow(board: Board, on_progress) -> DataCheck:
        for share in (0.25, 1.0):
            on_progress(share)
        return passed

    monkeypatch.setattr(data_check, "check_exact_modules", slow)
    monkeypatch.setattr(parse.time, "monotonic", lambda: float(next(clock)))
    assert nhc("certify", "zoo:plan", "--data", "sokoban-6x4").err.splitlines() == [
        "  25% of the states of sokoban-6x4",
        "  100% of the states of sokoban-6x4",
    ]
    assert nhc("certify", "zoo:plan", "--data", "sokoban-6x4", "--quiet").err == ""


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["zoo:plan", "--data", "free-tree"], "certify.family"),
        (["zoo:plan", "--data", "free-tree", "--modules", "zoo:stacking"], "certify.family"),
        (["zoo:plan", "--data", "sokoban-8x8", "--modules", "exact"], "certify.family"),
        (["zoo:plan", "--data", "chess"], "domain.unknown"),
        (["zoo:nothing"], "model.zoo"),
        (["missing.safetensors"], "model.missing"),
        ([], "cli.options"),
        (["zoo:plan", "--out", "no/such/folder/c.json"], "storage.write"),
    ],
)
def test_what_cannot_be_done_is_an_error_with_a_code(nhc: Command, arguments: list[str], code: str) -> None:
    done = nhc("certify", *arguments)
    assert done.error_code == code
    assert done.code == (1 if code == "storage.write" else 2)
    assert files() == set()


def test_a_board_too_small_for_the_family_is_an_error_with_a_code(nhc: Command) -> None:
    done = nhc("certify", "zoo:plan", "--data", "sokoban-4x4")
    assert done.code in (0, 2)


def test_help_and_the_overview_name_the_command(nhc: Command) -> None:
    assert "certify" in COMMANDS
    assert COMMANDS["certify"] in usage()
    done = nhc("certify", "--help")
    assert done.code == 0
    assert "--data" in done.out and "nhc certify zoo:plan" in done.out

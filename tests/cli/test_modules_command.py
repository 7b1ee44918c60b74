"""`nhc modules train` and `nhc modules check`: exit codes, tables, JSON, files and errors."""

import io
import json
from dataclasses import replace
from pathlib import Path

import pytest

from nhc.cli import modules_train
from nhc.cli.modules_check import shown_on
from nhc.domains.registry import finite_world
from nhc.runs.progress import LineProgress
from nhc.supervised import keeping
from nhc.supervised.check.report import CaseCounts, CheckRecord, load_report, record_path, save_report
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import load_modules, save_modules
from nhc.zoo import modules_path
from tests.cli.command import Command

WORLD = "stacking-2"
MODEL = "zoo:stacking"


def test_learning_a_module(nhc: Command) -> None:
    done = nhc("modules", "train", WORLD, "--module", "input", "--json")
    (summary,) = done.data
    assert done.code == 0 and "updates" in done.err and "errors" in done.err
    assert (summary["module"], summary["errors"], summary["seed"]) == ("input", 0, 0)
    path = Path("runs") / f"{WORLD}-modules-seed0"
    assert summary["model"] == str(path / "modules.safetensors")
    assert load_modules(path / "modules.safetensors", finite_world(WORLD)).modules == ("input",)
    meta = json.loads((path / "meta.json").read_text())
    assert meta["status"] == "finished" and (path / "config.toml").exists()
    again = nhc("modules", "train", "--resume", path, "--quiet")
    assert again.code == 0 and "input" in again.out and "1 of 1 modules without errors" in again.out
    assert nhc("modules", "train", WORLD, "--module", "input").error_code == "run.exists"


def test_a_module_that_does_not_get_there(nhc: Command) -> None:
    done = nhc("modules", "train", WORLD, "--module", "input", "--budget", 1, "--out", "short", "--quiet")
    assert done.code == 1 and "not checked" in done.out and "0 of 1" in done.out
    assert done.err.splitlines() == [f"Learning the data modules of {WORLD}, seed 0: short"]


def test_several_seeds(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, str, tuple[str, ...]]] = []

    def train(config: ModulesConfig, path: Path, *_: object, **__: object) -> list[object]:
        seen.append((config.seed, str(path), config.modules))
        return []

    monkeypatch.setattr(keeping, "train_in_directory", train)
    monkeypatch.setattr(modules_train, "print_summaries", lambda summaries: None)
    nhc("modules", "train", WORLD, "--seeds", "3..4", "--out", "here")
    everything = ("input", "transform_d", "alu", "output")
    assert seen == [(seed, f"here/{WORLD}-modules-seed{seed}", everything) for seed in (3, 4)]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["wash"], "cli.options"),
        (["train"], "domain.unknown"),
        (["train", "chess"], "domain.unknown"),
        (["train", "free-tree"], "domain.cells"),
        (["train", WORLD, "--module", "brain"], "cli.options"),
        (["train", WORLD, "--seeds", "1,1"], "cli.numbers"),
        (["train", WORLD, "--seed", "-1"], "config.value"),
        (["train", WORLD, "--budget", "0"], "config.value"),
        (["train", "--resume", "nowhere"], "run.missing"),
        (["train", WORLD, "--resume", "nowhere"], "cli.options"),
        (["train", "--init", MODEL, "--resume", "x"], "cli.options"),
        (["train", WORLD, "--init", MODEL], "cli.options"),
        (["train", "--init", MODEL, "--budget", "0"], "config.value"),
        (["train", "--init", MODEL, "--seed", "-1"], "config.value"),
        (["train", "--init", "zoo:wash"], "model.zoo"),
        (["train", "--init", "nowhere"], "model.missing"),
        (["check", "nowhere"], "model.missing"),
        (["check", MODEL, "--module", "brain"], "cli.options"),
        (["check", MODEL, "--samples", "-1"], "check.options"),
    ],
)
def test_faults(nhc: Command, arguments: list[str], code: str) -> None:
    done = nhc("modules", *arguments)
    assert (done.code, done.error_code, done.out) == (2, code, "")
    assert not Path("runs").exists()


def test_help(nhc: Command) -> None:
    assert "train" in nhc("modules", "--help").out
    assert nhc("modules").code == 2
    assert "--module" in nhc("modules", "train", "--help").out


def test_going_on_from_a_file(nhc: Command) -> None:
    """Modules without errors are only checked, and stay as they are."""
    done = nhc("modules", "train", "--init", MODEL, "--module", "alu", "--json")
    (summary,) = done.data
    assert done.code == 0 and "stacking-modules-seed1" in done.err
    assert (summary["module"], summary["errors"], summary["updates"]) == ("alu", 0, 0)
    model, shipped = load_modules(Path(summary["model"])), load_modules(modules_path(MODEL))
    assert len(model.modules) == 4
    assert (model.networks["acts"].weights[0] == shipped.networks["acts"].weights[0]).all()
    again = nhc("modules", "train", "--resume", "runs/stacking-modules-seed1", "--quiet")
    assert again.code == 0 and "1 of 1 modules without errors" in again.out
    assert nhc("modules", "train", "--init", MODEL, "--module", "alu").error_code == "run.exists"
    config = ModulesConfig.model_validate(model.record["config"])
    assert (config.modules, config.seed, config.sizes.view) == (("alu",), 1, (500,))
    some = {name: shipped.networks[name] for name in ("equality", "acts", "change")}
    save_modules(Path("partial"), replace(shipped, networks=some))
    missing = nhc("modules", "train", "--init", "partial", "--module", "output", "--out", "none")
    assert missing.error_code == "model.incomplete" and not Path("none").exists()


def test_a_check_writes_into_this_folder_and_never_over_stronger_evidence(nhc: Command) -> None:
    shipped, here = record_path(modules_path(MODEL)), Path("stacking.check.json")
    before = shipped.read_bytes()
    by_path = nhc("modules", "check", modules_path(MODEL), "--module", "alu", "--quiet")
    assert by_path.code == 0 and shipped.read_bytes() == before and here.exists()
    here.unlink()
    first = nhc("modules", "check", MODEL, "--samples", 64, "--quiet")
    assert first.code == 0 and f"Check record: {here}" in first.err
    assert shipped.read_bytes() == before and load_report(here).label("output").startswith("sampled")
    whole = load_report(shipped)
    save_report(here, whole)
    for weaker in (["--samples", 64], ["--module", "alu"]):
        done = nhc("modules", "check", MODEL, *weaker, "--quiet")
        assert done.code == 0 and "Not written" in done.err and load_report(here) == whole
    elsewhere = nhc("modules", "check", MODEL, "--samples", 64, "--quiet", "--out", "other.json")
    assert elsewhere.code == 0 and load_report(Path("other.json")).checked == 64
    save_report(here, replace(whole, weights="of other weights"))
    nhc("modules", "check", MODEL, "--samples", 64, "--quiet")
    assert load_report(here).checked == 64
    here.write_text("damaged")
    nhc("modules", "check", MODEL, "--samples", 64, "--quiet")
    assert load_report(here).checked == 64 and shipped.read_bytes() == before


def test_a_check_tells_the_display_what_is_done_and_left() -> None:
    now, stream = [0.0], io.StringIO()
    note = shown_on(LineProgress(stream, lambda: now[0]))
    report = CheckRecord("w", "f", "h", "w", [], "jax", "", 0, 1, 100)
    report.tallies = {name: CaseCounts(9, errors) for name, errors in (("alu", 1), ("output", 1_000))}
    for chunks in (1, 2, 3):
        now[0] += 10.0
        report.chunks, report.checked = chunks, 4_096 * chunks
        note(report, 4)
    assert stream.getvalue().splitlines() == [
        "states 25.0%  checked 4,096  errors 1,001  elapsed 0:00:10  left -",
        "states 50.0%  checked 8,192  errors 1,001  elapsed 0:00:20  left 0:00:20",
        "states 75.0%  checked 12,288  errors 1,001  elapsed 0:00:30  left 0:00:10",
    ]

"""`nhc modules train`: exit codes, tables, JSON and errors."""

import json
from pathlib import Path

import pytest

from nhc.cli import modules_train
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import load_modules
from nhc.supervised.run import local_world
from tests.cli.command import Command

WORLD = "sokoban-6x6"


def test_learning_a_module(nhc: Command) -> None:
    done = nhc("modules", "train", WORLD, "--module", "input", "--json")
    (summary,) = done.data
    assert done.code == 0 and "updates" in done.err and "errors" in done.err
    assert (summary["module"], summary["errors"], summary["seed"]) == ("input", 0, 0)
    path = Path("runs") / f"{WORLD}-modules-seed0"
    assert summary["model"] == str(path / "modules.safetensors")
    assert load_modules(path / "modules.safetensors", local_world(WORLD)).modules == ("input",)
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

    monkeypatch.setattr(modules_train, "train_in_directory", train)
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

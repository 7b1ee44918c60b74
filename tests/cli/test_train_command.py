"""`nhc train` in this process: configuration, output, run directory, resuming, a full disk."""

import errno
import json
import os
import shutil
import stat
import tomllib
from pathlib import Path

import pytest

from nhc.cli.main import run
from nhc.cli.train_command import TrainOptions, named_settings, parsed, run_name
from nhc.evolve.config import TrainConfig
from nhc.model import load_model
from nhc.runs.arrays import load_arrays
from nhc.runs.checkpoints import checkpoint_files, temporary_files
from nhc.runs.toml import dump_toml
from nhc.training import keeping
from nhc.training.config import run_config
from tests.cli.command import Command
from tests.training.small import arguments, config

KEYS = [
    "task",
    "seed",
    "mastered",
    "level",
    "iterations",
    "learning_iterations",
    "restarts",
    "ticks_per_s",
    "wall_s",
    "model",
]
SHORT = 30


@pytest.fixture(autouse=True)
def no_pictures(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawing takes longer than these runs; one test looks at the pictures."""
    if "whole_run" not in request.node.name:
        monkeypatch.setattr(keeping, "draw_run", lambda *_: None)


def short(*more: object, **changes: object) -> list[object]:
    """A run that ends before it has learned much."""
    return ["train", *arguments(**({"budget": SHORT} | changes)), "--quiet", *more]


def kept(path: Path) -> tuple[bytes, bytes]:
    return (path / "metrics.jsonl").read_bytes(), (path / "model.safetensors").read_bytes()


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of one short run, to be copied."""
    path = tmp_path_factory.mktemp("short") / "run"
    assert run([*map(str, short("--out", path))]) == 1
    return path


@pytest.fixture
def a_run(short_run: Path, tmp_path: Path) -> Path:
    """A short run in `run`, for a test of its own."""
    return Path(shutil.copytree(short_run, tmp_path / "run"))


def shown(nhc: Command, *options: object) -> dict[str, object]:
    """The configuration that --dry-run prints."""
    done = nhc("train", *options, "--dry-run")
    assert (done.code, done.err) == (0, "")
    return tomllib.loads(done.out)


@pytest.mark.parametrize("task", ["plan", "search"])
@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--preset", "paper"],
        ["--fitness", "outcome", "--seed", "7"],
        ["--fitness", "success", "--restart.patience", "99", "--machine.no-usage-link"],
        ["--es.sigma", "0.05", "--machine.allocation", "learned", "--bad-memories.no-enabled"],
        ["--machine.attention", "soft", "--machine.free-heads", "2", "--novelty.enabled"],
    ],
)
def test_what_dry_run_prints_makes_the_same_configuration(
    nhc: Command, tmp_path: Path, task: str, options: list[str]
) -> None:
    text = nhc("train", task, *options, "--dry-run").out
    (tmp_path / "some.toml").write_text(text)
    assert nhc("train", task, "--config", "some.toml", "--dry-run").out == text
    assert dump_toml(TrainConfig.model_validate(tomllib.loads(text)).model_dump(mode="json")) == text
    assert os.listdir(tmp_path) == ["some.toml"], "nothing is begun"


def test_every_setting_is_printed_and_every_option_arrives(nhc: Command) -> None:
    assert shown(nhc, *arguments()) == config().model_dump(mode="json")
    assert shown(nhc, "plan") == run_config("plan").model_dump(mode="json")


def test_the_defaults_that_help_shows_are_those_of_a_planner() -> None:
    options, made = TrainOptions("plan"), run_config("plan")
    shown = {name: getattr(options, name) for name in TrainConfig.model_fields}
    assert shown == {name: getattr(made, name) for name in TrainConfig.model_fields}
    assert (made.sampling, made.until, made.es.population, made.domain) == ("exact", "certified", 40, "")


@pytest.mark.parametrize(
    "named",
    [
        ["--sampling", "sampled"],
        ["--sampling", "sampled", "--fitness", "success"],
        ["--sampling", "sampled", "--fitness", "answer"],
        ["--fitness", "outcome"],
        ["--fitness", "success"],
        ["--fitness", "answer"],
        ["--preset", "paper"],
    ],
)
def test_help_says_what_other_runs_begin_with(nhc: Command, named: list[str]) -> None:
    text = nhc("train", "--help").out

    def leaves(*options: str) -> set[str]:
        values = shown(nhc, "plan", *options)
        tables = {"": {key: value for key, value in values.items() if not isinstance(value, dict)}}
        tables |= {f"{name}.": value for name, value in values.items() if isinstance(value, dict)}
        return {
            f"--{table}{key} {value}".replace("_", "-")
            for table, each in tables.items()
            for key, value in each.items()
        }

    changed = leaves(*named) - leaves()
    assert {each for each in changed if each not in text} <= {
        "--domain sokoban-6x6",
        "--domain free-tree",
        "--fitness outcome",
    }


def test_a_domain_means_sampled_training_without_a_proof(nhc: Command) -> None:
    values = shown(nhc, "plan", "--domain", "stacking")
    assert (values["sampling"], values["until"], values["es"]["population"]) == ("sampled", "mastered", 20)
    done = nhc("train", "plan", "--domain", "stacking", "--sampling", "exact", "--dry-run")
    assert (done.code, done.error_code) == (2, "config.value")


def test_options_override_the_file_and_the_file_the_preset(nhc: Command, tmp_path: Path) -> None:
    text = 'batch = 30\nseed = 5\n[machine]\nmix = "winner"\n[es]\nsigma = 0.2\ngini = 0.3\n'
    (tmp_path / "some.toml").write_text(text)
    values = shown(
        nhc, "plan", "--preset", "paper", "--config", "some.toml", "--es.sigma", "0.4", "--seed", "6"
    )
    assert values["machine"]["words"] == "real", "by the preset"
    assert values["machine"]["mix"] == "winner", "by the file, over the preset"
    assert (values["batch"], values["es"]["gini"]) == (30, 0.3), "by the file"
    assert (values["es"]["sigma"], values["seed"]) == (0.4, 6), "by the options, over the file"
    assert values["es"]["population"] == 20, "by default"


def test_a_run_prints_its_summary_as_json_and_nothing_else(nhc: Command, tmp_path: Path) -> None:
    done = nhc(*short("--out", tmp_path / "run", "--json"))
    (summary,) = done.data
    assert list(summary) == KEYS
    assert (summary["task"], summary["seed"], summary["iterations"]) == ("search", 8, SHORT)
    assert (summary["mastered"], done.code) == (False, 1), "not mastered in so few iterations"
    assert summary["model"] == str(tmp_path / "run" / "model.safetensors")
    assert summary["ticks_per_s"] > 0 and summary["wall_s"] > 0
    assert done.err == f"Learning to search: {tmp_path / 'run'}\n"
    model = load_model(str(summary["model"]))
    assert model.record["iterations"] == SHORT and model.record["config"] == config(budget=SHORT).model_dump()


def test_the_whole_run_masters_its_levels_and_ends_with_zero(nhc: Command, tmp_path: Path) -> None:
    done = nhc("train", *arguments(), "--out", "run", "--quiet")
    assert done.code == 0
    assert done.out.startswith("1 of 1 mastered all levels; learning iterations: median ")
    lines = [line.split() for line in done.out.splitlines() if line.split()[:1] == ["search"]]
    assert len(lines) == 1 and lines[0][1:4] == ["8", "yes", "3"]
    files = {str(path.relative_to(tmp_path / "run")) for path in Path("run").resolve().rglob("*")}
    assert {"config.toml", "meta.json", "metrics.jsonl", "timing.jsonl", "model.safetensors"} <= files
    assert {"figures/learning_curve.png", "figures/learning_curve.svg"} <= files
    again = nhc("train", "search", "--resume", "run", "--json")
    assert again.code == 0
    kept_summary = json.loads(Path("run/meta.json").read_text())["summary"]
    assert again.data[0] == {key: kept_summary[key] for key in KEYS}
    assert again.err == "run has ended already.\n"


def test_progress_goes_to_stderr(nhc: Command) -> None:
    done = nhc("train", *arguments(budget=SHORT), "--out", "run", "--json")
    assert len(done.data) == 1
    assert f"iteration {SHORT}/{SHORT}" in done.err
    assert "level 1/3" in done.err


def test_the_kept_configuration_repeats_the_run(nhc: Command, a_run: Path) -> None:
    done = nhc("train", "search", "--config", "run/config.toml", "--out", "second", "--quiet")
    assert done.code == 1
    assert kept(a_run) == kept(Path("second"))


def test_runs_have_names_of_their_own_and_the_latest_can_be_resumed(nhc: Command) -> None:
    assert nhc(*short()).code == 1
    assert nhc(*short(seed=9)).code == 1
    assert sorted(os.listdir("runs")) == ["search-seed8", "search-seed9"]
    newest = nhc("train", "search", "--resume", "latest", "--json")
    assert "search-seed9" in str(newest.data[0]["model"])


def test_names_tell_preset_and_fitness() -> None:
    for line, name in {
        "": "plan-seed3",
        "--preset paper --fitness success": "plan-paper-success-seed3",
        "--sampling sampled": "plan-sampled-seed3",
    }.items():
        options, _ = parsed(["plan", *line.split()])
        assert run_name(options, 3) == name


def test_a_line_says_only_what_it_names() -> None:
    """An option at its default overrides the file all the same, in either spelling, either way."""
    named = [
        "--es.learning_rate=0.01",
        "--machine.usage-link",
        "--bad-memories.no-enabled",
        "--seed",
        "0",
        "--json",
    ]
    options, made = parsed(["plan", *named])
    assert named_settings(options, named) == {
        "es": {"learning_rate": 0.01},
        "machine": {"usage_link": True},
        "bad_memories": {"enabled": False},
        "seed": 0,
    }
    assert named_settings(options, ["plan"]) == {}
    assert not made.bad_memories.enabled


def test_switches_of_the_machine_read_forwards(nhc: Command) -> None:
    text = nhc("train", "--help").out
    assert "--machine.usage-link, --machine.no-usage-link" in text
    assert "--no-json" not in text


def test_a_directory_in_use_is_not_touched(nhc: Command, tmp_path: Path, a_run: Path) -> None:
    before = kept(a_run)
    done = nhc(*short("--out", "run", seed=9))
    assert (done.code, done.out, done.error_code) == (2, "", "run.exists")
    assert kept(Path("run")) == before
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    for options in ([], ["--overwrite"]):
        done = nhc(*short("--out", "mine", *options))
        assert (done.code, done.error_code) == (2, "run.exists")
    assert os.listdir("mine") == ["notes.txt"]
    (tmp_path / "file").write_text("mine")
    assert nhc(*short("--out", "file", "--overwrite")).error_code == "run.exists"
    assert Path("file").read_text() == "mine"


def test_overwrite_replaces_a_run_and_nothing_else(nhc: Command, a_run: Path) -> None:
    before = kept(a_run)
    Path("run/notes.txt").write_text("mine")
    assert nhc(*short("--out", "run", "--overwrite", seed=9)).code == 1
    assert kept(Path("run")) != before
    assert Path("run/notes.txt").read_text() == "mine"
    nhc(*short("--out", "other", seed=9))
    assert kept(Path("run")) == kept(Path("other"))


@pytest.mark.parametrize(("domain", "code"), [("chess", "domain.unknown"), ("sokoban-3x3", "board.size")])
def test_overwrite_does_not_delete_a_run_for_one_that_cannot_begin(
    nhc: Command, domain: str, code: str, a_run: Path
) -> None:
    before = kept(a_run)
    done = nhc(*short("--out", "run", "--overwrite", domain=domain))
    assert (done.code, done.error_code) == (2, code)
    assert kept(Path("run")) == before


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda run: (run / "meta.json").unlink(), "run.missing"),
        (lambda run: (run / "config.toml").unlink(), "run.missing"),
        (lambda run: (run / "meta.json").write_text("{"), "run.damaged"),
        (lambda run: (run / "meta.json").write_text('{"run_schema": 99}'), "run.schema"),
        (lambda run: (run / "config.toml").write_text("budget = 0\n"), "config.value"),
        (lambda run: (run / "config.toml").write_text("budget = \n"), "config.toml"),
        (lambda run: (run / "metrics.jsonl").write_text('{"iteration":1}\n[]\n'), "run.damaged"),
        (lambda run: [path.write_bytes(b"x") for path in (run / "checkpoints").iterdir()], "model.truncated"),
    ],
)
def test_a_damaged_run_is_not_resumed(nhc: Command, a_run: Path, damage, code: str) -> None:
    meta = json.loads(Path("run/meta.json").read_text())
    Path("run/meta.json").write_text(json.dumps(meta | {"status": "running"}))
    damage(Path("run"))
    before = {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()}
    done = nhc("train", "search", "--resume", "run", "--quiet")
    assert (done.code, done.out, done.error_code) == (2, "", code)
    assert {path: path.read_bytes() for path in Path("run").rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("number", [1, 3, 9, 10, 11, 12])
def test_a_full_disk_ends_a_run_that_then_continues(
    nhc: Command, short_run: Path, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The n-th time that something is to reach the disk, it is full; what is there stays usable."""
    fsync, left = os.fsync, number

    def full(descriptor: int) -> None:
        nonlocal left
        left -= not stat.S_ISDIR(os.fstat(descriptor).st_mode)
        if left == 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        fsync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(keeping, "CHECKPOINT_SECONDS", 0.0)
        patch.setattr(os, "fsync", full)
        done = nhc(*short("--out", "run"))
    assert (done.code, done.out, done.error_code) == (1, "", "storage.write")
    assert "No space left" in done.err
    assert temporary_files(Path("run")) == temporary_files(Path("run/checkpoints")) == []
    for file in checkpoint_files(Path("run/checkpoints")).values():
        load_arrays(file)
    if number == 1:  # not even its metadata could be written: it is no run
        return
    assert nhc("train", "search", "--resume", "run", "--quiet").code == 1
    assert kept(Path("run")) == kept(short_run)

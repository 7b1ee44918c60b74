"""The options of `nhc train`: what --help shows, what --dry-run prints, and what a run then has."""

import os
import tomllib
from pathlib import Path

import pytest

from nhc.cli.train_command import TrainOptions, named_settings, parsed, run_name
from nhc.evolve.config import TrainConfig
from nhc.runs.toml import dump_toml
from nhc.training.config import run_config
from tests.cli.command import Command
from tests.training.small import arguments, config


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

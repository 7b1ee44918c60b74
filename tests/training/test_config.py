"""Where a configuration comes from, and that nothing wrong gets into it."""

import math
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.runs.toml import dump_toml, parse_toml
from nhc.training.config import run_config, validated


def refused(**values: object) -> ConfigError:
    with pytest.raises(ConfigError) as caught:
        validated(values, Path("some.toml"))
    return caught.value


def test_preset_then_file_then_overrides() -> None:
    file = {"batch": 30, "seed": 1, "es": {"sigma": 0.2, "gini": 0.3}, "machine": {"mix": "winner"}}
    overrides = {"seed": 2, "es": {"sigma": 0.4}}
    config = run_config("plan", preset="paper", file=file, overrides=overrides)
    assert (config.machine.words, config.machine.mix) == ("real", "winner")
    assert (config.batch, config.seed, config.es.sigma, config.es.gini) == (30, 2, 0.4, 0.3)
    assert config.es.population == TrainConfig().es.population


def test_the_fitness_brings_its_own_defaults_which_the_file_overrides() -> None:
    config = run_config("search", fitness="success", file={"restart": {"patience": 7}})
    assert (config.domain, config.budget) == ("free-tree", 20_000)
    assert (config.restart.rule, config.restart.patience) == ("unsolved", 7)


@pytest.mark.parametrize("task", ["plan", "search"])
@pytest.mark.parametrize("preset", ["default", "paper"])
@pytest.mark.parametrize("fitness", ["steps", "outcome", "success"])
def test_what_is_written_reads_as_the_same(task: str, preset: str, fitness: str) -> None:
    config = run_config(task, preset=preset, fitness=fitness)
    assert validated(parse_toml(dump_toml(config.model_dump(mode="json")))) == config


def test_unknown_keys_have_their_own_code_and_are_all_named() -> None:
    error = refused(sygma=1, es={"gamma": 2})
    assert error.code == "config.key"
    assert "sygma: unknown key" in error.message and "es.gamma: unknown key" in error.message
    assert error.place is not None and error.place.file == "some.toml"


@pytest.mark.parametrize(
    ("values", "named"),
    [
        ({"es": {"sigma": math.nan}}, "es.sigma"),
        ({"es": {"learning_rate": math.inf}}, "es.learning_rate"),
        ({"es": {"sigma": 0}}, "es.sigma"),
        ({"es": 3}, "es"),
        ({"budget": 1.5}, "budget"),
        ({"curriculum": {"earlier_share": "much"}}, "curriculum.earlier_share"),
        ({"machine": {"words": "letters"}}, "machine.words"),
        ({"task": "sort"}, "task"),
        ({"seed": 2**32}, "seed"),
    ],
)
def test_values_that_are_not_allowed_are_named(values: dict[str, object], named: str) -> None:
    error = refused(**values)
    assert error.code == "config.value"
    assert f"{named}: " in error.message


def test_all_faults_are_told_at_once() -> None:
    error = refused(budget=0, sygma=1)
    assert error.code == "config.value"
    assert "budget" in error.message and "sygma" in error.message


def test_parts_that_do_not_fit_are_refused() -> None:
    for values in (
        {"task": "search"},
        {"fitness": "outcome"},
        {"machine": {"constrained_gate": "learned", "constrained_head": False}},
    ):
        assert refused(**values).code == "config.value"


@pytest.mark.parametrize("domain", ["chess", "sokoban-3x3", "sokoban-9x9"])
def test_a_world_that_does_not_exist_is_refused_with_the_configuration(domain: str) -> None:
    """Before anything is written for the run."""
    with pytest.raises(ConfigError):
        validated({"domain": domain})

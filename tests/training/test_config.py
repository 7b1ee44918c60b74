"""Where a configuration comes from, and that nothing wrong gets into it."""

import math
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.runs.toml import dump_toml, parse_toml
from nhc.training.config import run_config, validated
from nhc.training.presets import FITNESS, PRESETS, SAMPLING, merged
from tests.computer.machines import ALGORITHMS, PLAN


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


@pytest.mark.parametrize(("fitness", "patience"), [("success", 1_500), ("answer", 400)])
def test_the_fitness_brings_its_own_defaults_which_the_file_overrides(fitness: str, patience: int) -> None:
    file = {"restart": {"patience": 7}}
    config = run_config("search", fitness=fitness, file={**file, "sampling": "sampled"})
    assert (config.domain, config.budget) == ("free-tree", 20_000)
    assert (config.restart.rule, config.restart.patience) == ("unsolved", 7)
    exact = run_config("search", fitness=fitness)
    assert (exact.sampling, exact.domain, exact.budget) == ("exact", "", 20_000)
    assert (exact.restart.rule, exact.restart.patience) == ("unreached", patience)


def test_levels_are_exact_and_end_with_a_proof_unless_told_otherwise() -> None:
    """A world, a preset or the option itself asks for samples; what cannot be proved is mastered."""

    def kinds(**overrides: object) -> tuple[str, str, str]:
        config = run_config("plan", overrides=overrides)
        return config.sampling, config.until, config.domain

    assert kinds() == ("exact", "certified", "")
    assert kinds(until="mastered") == ("exact", "mastered", "")
    assert kinds(domain="stacking") == ("sampled", "mastered", "stacking")
    assert kinds(sampling="sampled") == ("sampled", "mastered", "sokoban-6x6")
    assert kinds(sampling="sampled", until="certified") == ("sampled", "certified", "sokoban-6x6")
    assert (
        kinds(machine={"attention": "soft"}) == kinds(machine={"words": "real"}) == ("exact", "mastered", "")
    )
    assert run_config("plan", preset="paper").sampling == "sampled"
    exact, sampled = run_config("plan"), run_config("plan", overrides={"sampling": "sampled"})
    assert (exact.es.population, exact.es.learning_rate) == (40, 0.02)
    assert (sampled.es.population, sampled.es.learning_rate) == (20, 0.01)
    assert run_config("plan", overrides={"es": {"population": 6}}).es.population == 6


def test_an_algorithm_says_what_suits_it_and_is_overruled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PLAN, "defaults", {"seed": 3, "es": {"sigma": 0.3}}, raising=False)
    monkeypatch.setattr(PLAN, "levels", 4, raising=False)
    config = run_config(PLAN, preset="paper", file={"es": {"gini": 0.2}}, overrides={"seed": 4})
    assert (config.seed, config.es.sigma, config.es.gini, config.curriculum.levels) == (4, 0.3, 0.2, 4)
    monkeypatch.setattr(type(PLAN), "tasks", lambda self, level: None)
    assert run_config(PLAN).sampling == "sampled"


def test_what_does_not_exist_is_refused_by_name() -> None:
    for ask, code in (
        (lambda: run_config("shuffle"), "algorithm.unknown"),
        (lambda: run_config("plan", preset="fast"), "config.preset"),
        (lambda: run_config("plan", fitness="best"), "config.value"),
        (lambda: validated({"task": "shuffle"}), "algorithm.unknown"),
    ):
        with pytest.raises(ConfigError) as caught:
            ask()
        assert caught.value.code == code


@pytest.mark.parametrize("task", ALGORITHMS)
@pytest.mark.parametrize("preset", PRESETS)
@pytest.mark.parametrize("sampling", SAMPLING)
@pytest.mark.parametrize("fitness", ["steps", "outcome", "success", "answer"])
def test_every_preset_is_a_run_and_what_is_written_reads_as_the_same(
    task: str, preset: str, sampling: str, fitness: str
) -> None:
    config = run_config(task, preset=preset, fitness=fitness, overrides={"sampling": sampling})
    assert (config.task, config.fitness, config.sampling) == (task, fitness, sampling)
    literal = ("real", "sum") if preset == "paper" else ("bits", "winner")
    assert (config.machine.words, config.machine.mix) == literal
    assert (config.machine.signals, config.machine.ops) == (2 if task == "search" else 3, 5)
    world = "sokoban-6x6" if fitness == "steps" else "free-tree"
    assert config.domain == (world if sampling == "sampled" else "")
    assert config.budget == (20_000 if (sampling, fitness) in FITNESS and fitness != "outcome" else 10_000)
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


def test_tables_are_laid_over_each_other_key_by_key() -> None:
    lower = {"a": {"x": 1, "y": {"p": 1, "q": 2}}, "b": 3, "c": {"z": 1}}
    upper = {"a": {"y": {"q": 5}}, "b": {"n": 1}, "c": 7, "d": 4}
    kept = {"a": {"x": 1, "y": {"p": 1, "q": 5}}, "b": {"n": 1}, "c": 7, "d": 4}
    assert merged(lower, upper) == kept
    assert lower == {"a": {"x": 1, "y": {"p": 1, "q": 2}}, "b": 3, "c": {"z": 1}}

"""What a run's configuration allows, and what the presets make of it."""

import math

import pytest
from pydantic import BaseModel, ValidationError

from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from tests.computer.machines import PLAN, SEARCH

SEARCH_MACHINE = {"signals": 2}


def refused(match: str, **values: object) -> None:
    with pytest.raises(ConfigError, match=match):
        TrainConfig.model_validate(values)


def test_the_defaults_are_those_of_the_paper_and_the_measured_readings() -> None:
    config = TrainConfig()
    assert (config.task, config.fitness, config.domain) == ("plan", "steps", "sokoban-6x6")
    assert (config.budget, config.batch, config.until, config.sampling) == (10_000, 20, "mastered", "sampled")
    es = config.es
    assert (es.population, es.sigma, es.learning_rate, es.weight_decay) == (20, 0.1, 0.01, 0.9995)
    assert (es.gini, es.utility_scale, es.initial_scale) == (0.1, 3.0, 0.1)
    assert (config.curriculum.levels, config.curriculum.solved_after) == (21, 250)
    assert config.curriculum.earlier_share == 0.2
    bad = config.bad_memories
    assert (bad.enabled, bad.capacity, bad.share, bad.cleared_after) == (True, 200, 0.25, 10)
    assert (config.restart.rule, config.restart.patience) == ("unreached", 2500)
    novelty = config.novelty
    assert (novelty.enabled, novelty.neighbours, novelty.capacity) == (False, 10, 1000)
    assert (novelty.initial_weight, novelty.step, novelty.patience) == (1.0, 0.05, 50)
    machine = config.machine
    assert (machine.attention, machine.free_heads) == ("hard", 1)
    assert (machine.signals, machine.mix, machine.words) == (3, "winner", "bits")
    assert {machine.constrained_gate, machine.write_gate, machine.allocation} == {"always"}


@pytest.mark.parametrize("part", ["", "machine", "es", "curriculum", "bad_memories", "restart", "novelty"])
def test_unknown_keys_are_refused(part: str) -> None:
    refused("unknown: unknown key", **({part: {"unknown": 1}} if part else {"unknown": 1}))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
@pytest.mark.parametrize(
    ("part", "key"),
    [
        *(("es", key) for key in ("sigma", "learning_rate", "weight_decay", "gini", "utility_scale")),
        ("es", "initial_scale"),
        ("curriculum", "earlier_share"),
        ("bad_memories", "share"),
        *(("novelty", key) for key in ("initial_weight", "step")),
    ],
)
def test_numbers_must_be_finite(part: str, key: str, value: float) -> None:
    refused(key, **{part: {key: value}})


@pytest.mark.parametrize(
    ("part", "key", "value"),
    [
        ("es", "population", 1),
        ("es", "sigma", 0.0),
        ("es", "learning_rate", 0.0),
        ("es", "weight_decay", 1.01),
        ("es", "weight_decay", 0.0),
        ("es", "gini", 0.0),
        ("es", "gini", 1.5),
        ("es", "utility_scale", 0.0),
        ("es", "initial_scale", -0.1),
        ("curriculum", "levels", 0),
        ("curriculum", "levels", 201),
        ("curriculum", "solved_after", 0),
        ("curriculum", "earlier_share", 1.1),
        ("bad_memories", "capacity", 0),
        ("bad_memories", "share", -0.1),
        ("bad_memories", "cleared_after", 0),
        ("restart", "patience", 0),
        ("restart", "rule", "sometimes"),
        ("novelty", "neighbours", 0),
        ("novelty", "capacity", 0),
        ("novelty", "initial_weight", 1.01),
        ("novelty", "step", -0.01),
        ("novelty", "patience", 0),
        ("machine", "attention", "both"),
        ("machine", "free_heads", 3),
        ("machine", "free_heads", 0),
    ],
)
def test_values_have_ranges(part: str, key: str, value: object) -> None:
    refused(key, **{part: {key: value}})


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("seed", -1),
        ("seed", 2**32),
        ("budget", 0),
        ("batch", 0),
        ("fitness", "best"),
        ("until", "late"),
    ],
)
def test_values_of_the_run_have_ranges(key: str, value: object) -> None:
    refused(key, **{key: value})


def test_the_machine_must_have_the_signals_of_the_task() -> None:
    refused(r"search needs machine.signals = 2, found 3", task="search")
    refused(r"plan needs machine.signals = 3, found 2", task="plan", machine=SEARCH_MACHINE)
    assert TrainConfig.model_validate({"task": "search", "machine": SEARCH_MACHINE}).algorithm is SEARCH
    assert TrainConfig().algorithm is PLAN
    refused(r"plan needs machine.ops = 5, found 4", machine={"ops": 4})


def test_the_best_fitness_is_the_main_part_and_the_bonus() -> None:
    """The paper, Eq. 3: f_e and f_b."""
    assert (SEARCH.maximum, PLAN.maximum) == (120.0, 150.0)


def test_the_algorithm_is_one_that_ships_or_is_given() -> None:
    """A configuration may name another, which is then given with it."""
    config = TrainConfig.model_validate({"task": "shuffle", "sampling": "exact"})
    with pytest.raises(
        ConfigError, match=r"expected one of search, plan, .*, or .*, found 'shuffle'"
    ) as caught:
        _ = config.algorithm
    assert caught.value.code == "algorithm.unknown"
    with pytest.raises(ValueError, match=r"plan needs machine.signals = 3, found 5"):
        TrainConfig.model_validate({"task": "shuffle", "machine": {"signals": 5}}).require_fit(PLAN)


def test_exact_levels_are_of_no_world() -> None:
    config = TrainConfig.model_validate({"sampling": "exact", "fitness": "success"})
    assert (config.domain, config.last_level) == ("", 21)
    assert TrainConfig().last_level == 22
    refused("exact needs no domain, found stacking", sampling="exact", domain="stacking")
    refused("sampling: Input should be 'exact' or 'sampled'", sampling="all")


def test_what_an_algorithm_lacks_cannot_be_asked_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(type(PLAN), "tasks", lambda self, level: None)
    monkeypatch.setattr(type(PLAN), "probe", lambda self: None)
    refused("plan cannot be listed: it needs sampling = sampled", sampling="exact")
    refused("plan has no probe", novelty={"enabled": True})
    TrainConfig()


@pytest.mark.parametrize("fitness", ["outcome", "success", "answer"])
def test_weaker_teachers_need_the_free_tree(fitness: str) -> None:
    refused(f"{fitness} needs domain = free-tree, found sokoban-6x6", fitness=fitness)
    assert TrainConfig.model_validate({"fitness": fitness, "domain": "free-tree"}).fitness == fitness


def test_a_gate_can_only_be_learned_where_there_is_one() -> None:
    refused("constrained_head = true", machine={"constrained_gate": "learned", "constrained_head": False})
    TrainConfig.model_validate({"machine": {"constrained_gate": "learned"}})
    TrainConfig.model_validate({"machine": {"constrained_head": False}})


def test_only_the_machine_itself_can_train_until_it_is_proved() -> None:
    for option in ({"attention": "soft"}, {"free_heads": 2}):
        refused("certified needs a machine without ablations", until="certified", machine=option)
        TrainConfig.model_validate({"machine": option})
    TrainConfig.model_validate({"until": "certified", "novelty": {"enabled": True}})


def test_a_configuration_does_not_change_and_can_be_written_down() -> None:
    config = TrainConfig(seed=3)
    with pytest.raises(ValidationError):
        config.seed = 4
    with pytest.raises(ValidationError):
        config.es.sigma = 0.2
    assert isinstance(config, BaseModel)
    assert TrainConfig.model_validate(config.model_dump()) == config
    assert hash(TrainConfig(seed=3)) == hash(config)

"""Training to the end in a tiny world: determinism, resuming, counterexamples."""

from collections.abc import Mapping
from dataclasses import replace

import jax
import numpy as np
import pytest

from nhc.data.networks import Dense
from nhc.runs.codec import decoded, encoded
from nhc.supervised.config import MODULES, ModulesConfig
from nhc.supervised.equality_proof import has_signs
from nhc.supervised.learner import recipe_of
from nhc.supervised.run import RunState, train_modules
from nhc.supervised.train import Record, TrainState, initial_state, networks_of, next_rate, training
from nhc.supervised.verify import CheckOutcome, Verify, verify_equality, verify_module
from tests.supervised.corridor import FORM, Corridor
from tests.supervised.plain_check import check_family
from tests.supervised.small import config

WORLD = Corridor()


def whole(
    module: str, settings: ModulesConfig, world: Corridor = WORLD, verify: Verify | None = None
) -> tuple[TrainState, list[Record]]:
    """Train a module to its end."""
    first = initial_state(world.form, settings, module)
    found = list(training(world, settings, module, first, verify or verify_module(WORLD, module, 0)))
    return found[-1][0], [record for _, record in found]


def leaves(state: TrainState) -> list[np.ndarray]:
    return [np.asarray(leaf) for leaf in jax.tree.leaves(state)]


def same(left: TrainState, right: TrainState) -> bool:
    return all((a == b).all() for a, b in zip(leaves(left), leaves(right), strict=True))


@pytest.mark.parametrize("module", MODULES)
def test_every_module_gets_to_zero_errors_on_the_whole_family(module: str) -> None:
    state, records = whole(module, config())
    assert state.done and records[-1].event == "check" and records[-1].errors == 0
    cases = {"input": 1 + 5 * 3, "transform_d": 55, "alu": 5 * len(WORLD.views()), "output": 5 * 55}
    assert records[-1].fresh == cases[module]
    verdict = verify_module(WORLD, module, 0)(networks_of(module, state))
    assert (verdict.cases, verdict.errors) == (cases[module], 0)


def test_a_seed_decides_everything() -> None:
    settings = config(budget=400)
    state, records = whole("alu", settings)
    again, others = whole("alu", settings)
    assert same(state, again) and records == others
    assert not same(state, whole("alu", config(budget=400, seed=1))[0])


def test_a_refuted_input_hands_back_what_it_confuses() -> None:
    state, _ = whole("input", config())
    network = networks_of("input", state)["equality"]
    assert isinstance(network, Dense) and has_signs(network)
    assert verify_equality(FORM, {"equality": network}).label == "proved"
    # One unit less on one bit: words that differ in it by little are taken for equal.
    first = network.weights[0].at[:, 6:8].set(0.0)
    wrong = verify_equality(FORM, {"equality": Dense((first, *network.weights[1:]), network.biases)})
    assert not wrong.passed and wrong.errors == len(wrong.counterexamples) == 1
    assert wrong.counterexamples.tolist() == [[0, 0, 0, 0, 0, 0, 0, 1, 0, 0]]


@pytest.mark.parametrize("module", ["transform_d", "alu", "output"])
def test_the_check_finds_what_the_plain_one_finds(module: str) -> None:
    settings = config(budget=200, learning_rate=1e-3)
    state, _ = whole(module, settings)
    networks = networks_of(module, state)
    plain, fast = check_family(WORLD, module, networks), verify_module(WORLD, module, 0)(networks)
    assert plain.errors > 0 and not fast.passed and fast.label == "exhaustive"
    wrong = ({*map(tuple, each.counterexamples.tolist())} for each in (plain, fast))
    assert next(wrong) == next(wrong)


def test_the_learning_rate_is_halved_after_good_rounds() -> None:
    settings = config(learning_rate=8e-3, least_rate=0.25)
    assert next_rate(settings, "alu", 8e-3, 1e-3, 2) == 8e-3
    assert next_rate(settings, "alu", 8e-3, 1e-3, 3) == 4e-3
    assert next_rate(settings, "alu", 8e-3, 9e-4, 0) == 4e-3
    assert next_rate(settings, "alu", 3e-3, 0.0, 0) == 2e-3
    assert next_rate(settings, "transform_d", 8e-3, 2e-4, 0) == 8e-3
    assert next_rate(settings, "input", 1e-2, 0.0, 9) == 1e-2


def test_stale_rounds_are_counted_from_the_best_one_and_from_each_halving() -> None:
    settings = config(learning_rate=1e-5, least_rate=1e-3, budget=6_000)
    _, records = whole("alu", settings)
    rounds = [record for record in records if record.event == "round"]
    rate, least, stale, halvings = settings.learning_rate, 1.0, 0, 0
    for record in rounds:
        assert record.rate == rate
        share = record.errors / record.fresh
        stale = 0 if share < least else stale + 1
        least = min(least, share)
        if stale == 3:
            rate, stale, halvings = rate / 2, 0, halvings + 1
    assert halvings > 0 and least > 0.1, "too slow to learn anything"


@pytest.mark.parametrize("module", ["transform_d", "output"])
def test_counterexamples_repair_what_samples_never_show(module: str) -> None:
    """The sampler leaves out every state with the agent on the last two cells, so the stream runs clean
    long before the module is right; only the check knows."""
    narrow = Corridor(seen=(0, 1, 2))
    state, records = whole(module, config(), narrow)
    checks = [record for record in records if record.event == "check"]
    assert checks[0].errors > 0 and state.refuted >= 1 and state.done
    assert checks[-1].errors == 0 and len(state.pool) >= checks[0].errors
    verdict = verify_module(WORLD, module, 0)(networks_of(module, state))
    assert verdict.errors == 0 and verdict.label == "exhaustive"

    def told_nothing(networks: Mapping[str, Dense]) -> CheckOutcome:
        found = verify_module(WORLD, module, 0)(networks)
        return replace(found, counterexamples=found.counterexamples[:0])

    blind, _ = whole(module, config(budget=4_000), narrow, told_nothing)
    assert not blind.done and blind.refuted >= 1, "without counterexamples in its batches it stays wrong"


def test_counterexamples_have_a_place_in_a_batch_unless_their_share_is_zero() -> None:
    places = [recipe_of(config(pool_share=share)).counterexamples for share in (0, 0.01, 0.5)]
    assert places == [0, 1, 10]


def test_checks_come_after_clean_rounds_only_and_the_budget_ends_a_run() -> None:
    asked: list[int] = []

    def never(networks: Mapping[str, Dense]) -> CheckOutcome:
        asked.append(1)
        return CheckOutcome("exhaustive", 9, 1, np.zeros((1, 10), np.uint8))

    state, records = whole("transform_d", config(clean_rounds=3, budget=6_000), verify=never)
    assert not state.done and state.updates >= 6_000 and state.checks == len(asked) == state.refuted > 1
    for place, record in enumerate(records):
        if record.event == "check":
            before = records[place - 3 : place]
            assert [(each.event, each.errors) for each in before] == [("round", 0)] * 3
    assert len(state.pool) == len(asked)


def test_an_undecided_check_is_no_end() -> None:
    def undecided(networks: Mapping[str, Dense]) -> CheckOutcome:
        return CheckOutcome("undecided", 0, 0, np.zeros((0, 10), np.uint8))

    state, _ = whole("transform_d", config(budget=6_000), verify=undecided)
    assert not state.done and state.checks > 0 and state.refuted == 0


def run_from(run: RunState, settings: ModulesConfig) -> list[tuple[RunState, Record]]:
    return list(train_modules(WORLD, settings, run, lambda *_: None))


def test_a_checkpoint_goes_on_bit_for_bit() -> None:
    settings = config(modules=("alu", "transform_d"), budget=800)
    unbroken = run_from(RunState(0, {}), settings)
    alu_end = sum(record.module == "alu" for _, record in unbroken)
    for cut in (1, alu_end + 1):
        kept = unbroken[cut - 1][0]
        example = RunState(0, {name: initial_state(FORM, settings, name) for name in settings.modules})
        restored = decoded(*encoded(kept), example, {"*/pool": 0})
        assert restored.iteration == kept.iteration == cut
        rest = run_from(restored, settings)
        assert [record for _, record in rest] == [record for _, record in unbroken[cut:]]
        last, expected = rest[-1][0], unbroken[-1][0]
        assert last.states.keys() == expected.states.keys() == {"alu", "transform_d"}
        assert all(same(last.states[module], expected.states[module]) for module in last.states)

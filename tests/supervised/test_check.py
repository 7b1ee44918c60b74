"""Checks of the passage's modules: both engines, a plain evaluation case by case, resuming, damage."""

import json
from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.dense import Dense, initial_dense
from nhc.data.learned import LearnedModules, Networks
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.errors import ConfigError, InputError, ModelError
from nhc.supervised.check.damage import find_damage
from nhc.supervised.check.fast import FastEngine
from nhc.supervised.check.report import Report, Slice, load_report
from nhc.supervised.check.run import CheckOptions, check_modules, check_networks, constant_symbols
from nhc.supervised.check.tally import Tally
from nhc.supervised.check.truth import Truth
from nhc.supervised.check.weights import named_networks, plain_networks
from nhc.supervised.sizes import ends
from tests.supervised.fitted import changed_weights, passage_modules
from tests.supervised.passage import Passage, Walk

WORLD = Passage()
HERE = CheckOptions(workers=0, chunk=100)


def family() -> Walk:
    return Walk(*(np.concatenate(parts) for parts in zip(*WORLD.family_states(), strict=True)))


def plain_errors(modules: LearnedModules) -> dict[str, set[tuple[int, int]]]:
    """The wrong cases, by the modules themselves and one operation after the other."""
    states = family()
    words = WORLD.encode(states)
    found: dict[str, set[tuple[int, int]]] = {"transform_d": set(), "output": set(), "composed": set()}
    views = np.asarray(modules.view(jnp.asarray(words))).reshape(len(words), 3, 4)
    contents = WORLD.contents(states)
    right_views = np.full((len(words), 3), 3)
    for number, row in enumerate(contents):
        here = int(np.flatnonzero(row == 0)[0])
        for slot, cell in enumerate((here, here - 1, here + 1)):
            if 0 <= cell < 7:
                right_views[number, slot] = row[cell]
    found["transform_d"] = {(int(i), -1) for i in np.flatnonzero((views.argmax(2) != right_views).any(1))}
    for op in range(5):
        after = WORLD.encode(WORLD.step(states, op)) if op < 4 else words
        ops = jnp.full(len(words), op)
        inputs = {"composed": jnp.asarray(views.reshape(len(words), 12))}
        changed, change = modules.alu(ops, inputs["composed"])
        result = np.asarray(modules.insert(changed, change, jnp.asarray(words)))
        found["composed"] |= {(int(i), op) for i in np.flatnonzero((result != after).any(1))}
        exact_changed, symbols = WORLD.act(right_views, ops)
        direction = np.eye(4, dtype=np.uint8)[[op % 4] * len(words)]
        exact = np.concatenate([direction, np.eye(4, dtype=np.uint8)[symbols].reshape(-1, 8)], axis=1)
        result = np.asarray(
            modules.insert(jnp.asarray(exact_changed), jnp.asarray(exact), jnp.asarray(words))
        )
        found["output"] |= {(int(i), op) for i in np.flatnonzero((result != after).any(1))}
    return found


def errors(tally: Tally) -> set[tuple[int, int]]:
    return {(case.state, case.op) for case in tally.wrong}


def same_counts(one: Report, other: Report) -> None:
    assert one.tallies.keys() == other.tallies.keys()
    for name, tally in one.tallies.items():
        twin = other.tallies[name]
        assert (tally.cases, tally.errors, tally.failing) == (twin.cases, twin.errors, twin.failing)
        assert errors(tally) == errors(twin)
        assert tally.margin == pytest.approx(twin.margin, abs=1e-3)


def test_right_modules_pass_exhaustively() -> None:
    report = check_modules(WORLD, passage_modules(), HERE)
    assert report.passed and report.checked == report.enumerated == report.formula == 7 * 64
    assert {name: tally.cases for name, tally in report.tallies.items()} == {
        "transform_d": 448,
        "alu": 9 * 5,
        "output": 448 * 5,
        "composed": 448 * 5,
    }
    assert all(report.label(name) == "exhaustive" for name in report.tallies)
    assert all(tally.margin > 0 for tally in report.tallies.values())
    assert not any(errors for errors in plain_errors(passage_modules()).values())


@pytest.mark.parametrize(
    ("name", "noise"), [("view", 0.3), ("acts", 0.5), ("change", 0.4), ("inserts", 0.6), ("mask", 0.25)]
)
def test_wrong_modules_fail_on_exactly_the_wrong_cases(name: str, noise: float) -> None:
    modules = changed_weights(passage_modules(), name, noise, seed=4)
    report = check_modules(WORLD, modules, HERE)
    wanted = plain_errors(modules)
    assert wanted["composed"] and not report.passed
    for module, cases in wanted.items():
        assert errors(report.tallies[module]) == cases, module
        assert report.tallies[module].errors == len(cases)
        assert report.tallies[module].failing == len({state for state, _ in cases})
        assert (report.tallies[module].margin > 0) == (not cases)
        assert report.tallies[module].disagreements == 0
    same_counts(report, check_modules(WORLD, modules, replace(HERE, engine="jax")))
    for case in report.tallies["composed"].wrong[:3]:
        np.testing.assert_array_equal(case.symbols, WORLD.contents(family())[case.state])


def test_an_interrupted_check_goes_on_where_it_stopped(tmp_path: Path) -> None:
    modules = changed_weights(passage_modules(), "mask", 0.2, seed=1)
    whole = check_modules(WORLD, modules, HERE)
    options = replace(HERE, progress_file=tmp_path / "p.json", resume=True)

    def stop(report: Report, chunks: int) -> None:
        assert chunks == 5
        if report.chunks == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_modules(WORLD, modules, options, stop)
    half = load_report(tmp_path / "p.json")
    assert half.chunks == 2 and half.checked == 200 and not half.passed
    seen: list[int] = []
    again = check_modules(WORLD, modules, options, lambda report, chunks: seen.append(report.chunks))
    assert seen == [3, 4, 5]
    same_counts(again, whole)
    assert again.words == whole.words and again.label("output") == "exhaustive"
    assert load_report(tmp_path / "p.json") == again
    with pytest.raises(InputError, match="belongs to another check"):
        check_modules(WORLD, passage_modules(), options)


def test_damaged_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    check_modules(WORLD, passage_modules(), replace(HERE, progress_file=path))
    text = path.read_text()
    values = json.loads(text)
    values["tallies"]["transform_d"]["errors"] = 1
    for wrong in (text[:-30], json.dumps(values), "[]", "{}", "not JSON"):
        path.write_text(wrong)
        with pytest.raises(InputError) as caught:
            load_report(path)
        assert caught.value.code == "check.record"
    path.unlink()
    with pytest.raises(InputError):
        load_report(path)


def test_slices_cover_the_family_and_say_what_they_are() -> None:
    modules = changed_weights(passage_modules(), "view", 0.3, seed=4)
    parts = [check_modules(WORLD, modules, replace(HERE, slice=Slice(part, 3))) for part in (1, 2, 3)]
    whole = check_modules(WORLD, modules, HERE)
    assert [part.checked for part in parts] == [200, 148, 100]
    together = set().union(*(errors(part.tallies["transform_d"]) for part in parts))
    assert together == errors(whole.tallies["transform_d"])
    assert parts[0].label("transform_d") == "sampled slice 1/3, not exhaustive"
    with pytest.raises(ConfigError):
        check_modules(WORLD, modules, replace(HERE, slice=Slice(4, 3)))


def test_early_end_samples_and_single_modules() -> None:
    modules = changed_weights(passage_modules(), "view", 0.5, seed=4)
    report = check_modules(WORLD, modules, replace(HERE, stop_after=1, modules=frozenset({"transform_d"})))
    assert report.chunks < 5 and list(report.tallies) == ["transform_d"] and not report.passed
    assert report.label("transform_d").startswith("stopped")
    sampled = check_modules(WORLD, passage_modules(), replace(HERE, samples=250))
    assert sampled.passed and sampled.checked == 250
    assert sampled.label("output").startswith("sampled: 0 of 250 failed")
    alone = check_modules(WORLD, passage_modules(), replace(HERE, modules=frozenset({"alu"})))
    assert alone.passed and list(alone.tallies) == ["alu"] and alone.label("alu") == "exhaustive"
    with pytest.raises(ModelError) as caught:
        check_modules(Sokoban(Board(6, 6)), passage_modules(), HERE)
    assert caught.value.code == "model.encoding"


def test_processes_give_what_one_process_gives() -> None:
    modules = changed_weights(passage_modules(), "mask", 0.25, seed=4)
    here = check_modules(WORLD, modules, HERE)
    spread = check_modules(WORLD, modules, replace(HERE, workers=2))
    same_counts(spread, here)
    assert spread.words == here.words and spread.rates and spread.share_of_rate is not None


@pytest.mark.parametrize("module", ["transform_d", "output"])
def test_small_damage_is_reported_exactly(module: str) -> None:
    networks = named_networks(passage_modules())
    damage = find_damage(WORLD, networks, module, most=4)
    assert damage is not None and 1 <= damage.tally.errors <= 4
    modules = LearnedModules(Networks(**{**networks, **damage.networks}), WORLD.form, WORLD.name)
    report = check_modules(WORLD, modules, HERE)
    wanted = plain_errors(modules)
    assert {name: errors(report.tallies[name]) for name in wanted} == wanted
    assert errors(damage.tally) == wanted[module] and len(wanted[module]) == damage.tally.errors


def test_constant_cells_are_folded_only_where_they_are_constant() -> None:
    world = Sokoban(Board(6, 6))
    networks = {
        name: initial_dense((before, 12, after), key=jax.random.key(number))
        for number, (name, (before, after)) in enumerate(ends(world.form).items())
    }
    networks = {name: moved(network) for name, network in networks.items()}
    options = CheckOptions(workers=0, samples=300, chunk=200)
    constant = constant_symbols(world)
    rim = [cell for cell in range(36) if cell // 6 in (0, 5) or cell % 6 in (0, 5)]
    assert np.flatnonzero(constant == 2).tolist() == rim and (np.delete(constant, rim) == -1).all()
    report = check_networks(world, networks, options)
    assert report.constant == rim
    same_counts(report, check_networks(world, networks, replace(options, engine="jax")))
    # A wrong guess: inner cells taken for empty. The result stays, and the report claims nothing.
    truth, plain, states = Truth(world), plain_networks(networks), world.sample(np.random.default_rng(0), 200)
    everything = frozenset({"transform_d", "output", "composed"})
    wrong = FastEngine(truth, plain, np.where(constant < 0, 3, constant), everything).check(states, 0)
    right = FastEngine(truth, plain, constant, everything).check(states, 0)
    assert right.constant and not wrong.constant
    for name in everything:
        assert errors(wrong.tallies[name]) == errors(right.tallies[name])
        assert wrong.tallies[name].margin == pytest.approx(right.tallies[name].margin, abs=1e-4)
    assert right.flops < 0.7 * wrong.flops


def moved(network: Dense) -> Dense:
    """With biases that are not zero."""
    shifts = tuple(bias + 0.1 * jnp.arange(len(bias)) % 0.7 - 0.3 for bias in network.biases)
    return Dense(network.weights, shifts)

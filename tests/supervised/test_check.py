"""Checks of the passage's modules against a plain evaluation case by case; resuming, records, experts."""

import math
from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest

import nhc
from nhc.data.learned import LearnedModules
from nhc.data.networks import Network
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.errors import InputError, ModelError
from nhc.supervised.check.cases import tallied
from nhc.supervised.check.engine import judged_mask
from nhc.supervised.check.plain import composed
from nhc.supervised.check.report import LOW_MARGIN, CaseCounts, CheckRecord, load_report
from nhc.supervised.check.run import CheckOptions, check_networks
from nhc.supervised.verify import verify_module
from tests.supervised.designed import designed
from tests.supervised.fitted import changed_weights, passage_modules
from tests.supervised.passage import Passage, Walk
from tests.supervised.plain_check import check_family

WORLD = Passage()
HERE = CheckOptions(chunk=100)


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


def errors(counts: CaseCounts) -> set[tuple[int, int]]:
    return {(case.state, case.op) for case in counts.wrong}


def same_counts(one: CheckRecord, other: CheckRecord) -> None:
    assert one.tallies.keys() == other.tallies.keys()
    for name, counts in one.tallies.items():
        twin = other.tallies[name]
        assert (counts.cases, counts.errors, counts.failing) == (twin.cases, twin.errors, twin.failing)
        assert errors(counts) == errors(twin)
        assert counts.margin == pytest.approx(twin.margin, abs=1e-3)


def test_right_modules_pass_exhaustively() -> None:
    report = check_networks(WORLD, passage_modules().networks, HERE)
    assert report.passed and report.checked == report.enumerated == report.formula == 7 * 64
    assert {name: counts.cases for name, counts in report.tallies.items()} == {
        "transform_d": 448,
        "alu": 9 * 5,
        "output": 448 * 5,
        "composed": 448 * 5,
    }
    assert all(report.label(name) == "exhaustive" for name in report.tallies)
    assert all(counts.margin > 0 for counts in report.tallies.values())
    assert not any(errors for errors in plain_errors(passage_modules()).values())


@pytest.mark.parametrize(
    ("name", "noise"), [("view", 0.3), ("acts", 0.5), ("change", 0.4), ("inserts", 0.6), ("mask", 0.25)]
)
def test_wrong_modules_fail_on_exactly_the_wrong_cases(name: str, noise: float) -> None:
    modules = changed_weights(passage_modules(), name, noise, seed=4)
    report = check_networks(WORLD, modules.networks, HERE)
    wanted = plain_errors(modules)
    assert wanted["composed"] and not report.passed
    for module, cases in wanted.items():
        assert errors(report.tallies[module]) == cases, module
        assert report.tallies[module].errors == len(cases)
        assert report.tallies[module].failing == len({state for state, _ in cases})
        assert (report.tallies[module].margin > 0) == (not cases)
        assert report.tallies[module].disagreements == 0
    states, ops = np.arange(448).repeat(5), np.tile(np.arange(5), 448)
    made = composed(modules.networks, WORLD.form, ops, WORLD.contents(family())[states], np.float64)
    after = np.stack(
        [WORLD.contents(WORLD.step(family(), op)) for op in range(4)] + [WORLD.contents(family())]
    )
    apart = (made != after[ops, states]).any(axis=1)
    assert {(int(s), int(o)) for s, o in zip(states[apart], ops[apart], strict=True)} == wanted["composed"]
    for case in report.tallies["composed"].wrong[:3]:
        np.testing.assert_array_equal(case.symbols, WORLD.contents(family())[case.state])


def test_an_interrupted_check_goes_on_where_it_stopped(tmp_path: Path) -> None:
    modules = changed_weights(passage_modules(), "mask", 0.2, seed=1)
    whole = check_networks(WORLD, modules.networks, HERE)
    options = replace(HERE, progress_file=tmp_path / "p.json", resume=True)

    def stop(report: CheckRecord, chunks: int) -> None:
        assert chunks == 5
        if report.chunks == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        check_networks(WORLD, modules.networks, options, stop)
    half = load_report(tmp_path / "p.json")
    assert half.chunks == 2 and half.checked == 200 and not half.passed
    seen: list[int] = []
    again = check_networks(
        WORLD, modules.networks, options, lambda report, chunks: seen.append(report.chunks)
    )
    assert seen == [3, 4, 5]
    same_counts(again, whole)
    assert again.words == whole.words and again.label("output") == "exhaustive"
    assert load_report(tmp_path / "p.json") == again
    with pytest.raises(InputError, match="belongs to another check"):
        check_networks(WORLD, passage_modules().networks, options)


def test_early_end_samples_and_single_modules() -> None:
    modules = changed_weights(passage_modules(), "view", 0.5, seed=4)
    report = check_networks(
        WORLD, modules.networks, replace(HERE, stop_after=1, modules=frozenset({"transform_d"}))
    )
    assert report.chunks < 5 and list(report.tallies) == ["transform_d"] and not report.passed
    assert report.label("transform_d").startswith("stopped")
    sampled = check_networks(WORLD, passage_modules().networks, replace(HERE, samples=250))
    assert sampled.passed and sampled.checked == 250
    assert sampled.label("output").startswith("sampled: 0 of 250 failed")
    alone = check_networks(WORLD, passage_modules().networks, replace(HERE, modules=frozenset({"alu"})))
    assert alone.passed and list(alone.tallies) == ["alu"] and alone.label("alu") == "exhaustive"
    with pytest.raises(ModelError) as caught:
        nhc.check_modules(Sokoban(Board(6, 6)), passage_modules())
    assert caught.value.code == "model.encoding"


@pytest.mark.parametrize(("module", "name"), [("transform_d", "view"), ("alu", "change"), ("output", "mask")])
def test_training_gets_the_rows_that_a_plain_check_finds(module: str, name: str) -> None:
    networks = changed_weights(passage_modules(), name, 0.3, seed=4).networks
    fast, plain = verify_module(WORLD, module, 0)(networks), check_family(WORLD, module, networks)
    assert (fast.label, fast.cases, fast.errors) == (plain.label, plain.cases, plain.errors)
    assert fast.errors > 0 and not fast.passed
    same = [np.unique(each.counterexamples, axis=0) for each in (fast, plain)]
    np.testing.assert_array_equal(*same)


def test_decisions_by_little_are_looked_at_again() -> None:
    """A float64 that disagrees fails the check; so does a margin of nothing."""
    report = check_networks(WORLD, changed_weights(passage_modules(), "view", 0.2, seed=1).networks, HERE)
    counts = report.tallies["transform_d"]
    assert 0 < counts.repeated < counts.cases
    right = CaseCounts(cases=9, margin=0.5)
    assert right.passed and not replace(right, disagreements=1).passed
    assert not replace(right, margin=0.0).passed and not replace(right, margin=math.nan).passed


@pytest.mark.parametrize("noise", [0.0, 0.4])
def test_experts_are_checked_too(noise: float) -> None:
    world = Sokoban(Board(5, 5))
    networks: dict[str, Network] = designed(world, noise=noise)
    options = CheckOptions(modules=frozenset({"transform_d", "output"}), samples=300, chunk=200)
    report = check_networks(world, networks, options)
    assert report.checked == 300 and report.tallies["output"].cases == 1500
    errors = [report.tallies[name].errors for name in ("transform_d", "output")]
    assert all(errors) if noise else errors == [0, 0]
    assert report.passed == (noise == 0)


CELLS, CHANGES, SYMBOLS, ROWS = 7, 2, 3, 400


def word(contents: np.ndarray, places: list[int], after: np.ndarray) -> list[int]:
    """Insert one change after the other."""
    result = contents.tolist()
    for place, symbol in zip(places, after.tolist(), strict=True):
        if place < CELLS and symbol < SYMBOLS:
            result[place] = symbol
    return result


def test_margins_of_the_mask_are_gaps_to_places_that_spoil_the_word() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 1, (ROWS, CHANGES * (CELLS + 1))).astype(np.float32)
    contents = rng.integers(0, SYMBOLS, (ROWS, CELLS)).astype(np.uint8)
    after = rng.integers(0, SYMBOLS + 1, (ROWS, CHANGES)).astype(np.uint8)
    chosen = logits.reshape(ROWS, CHANGES, CELLS + 1).argmax(axis=2)
    wanted = np.array([word(*row) for row in zip(contents, chosen.tolist(), after, strict=True)], np.uint8)
    spoilt = rng.random(ROWS) < 0.2
    wanted[spoilt, 1] = (wanted[spoilt, 1] + 1) % SYMBOLS
    parts = map(jnp.asarray, (logits, contents, after, wanted))
    right, margins = map(np.asarray, judged_mask(WORLD.form, *parts))
    np.testing.assert_array_equal(right, ~spoilt)
    assert (margins[spoilt] == 0).all()
    exact = 0
    for row in np.flatnonzero(right):
        gaps = [np.inf]
        for change in range(CHANGES):
            for place in range(CELLS + 1):
                others = chosen[row].tolist()
                others[change] = place
                if word(contents[row], others, after[row]) != wanted[row].tolist():
                    of_change = logits[row].reshape(CHANGES, CELLS + 1)[change]
                    gaps.append(float(of_change.max() - of_change[place]))
        # Two changes on one cell hide each other's faults; there the margin is careful, else it is exact.
        assert margins[row] <= min(gaps) + 1e-6
        if chosen[row, 0] != chosen[row, 1]:
            exact += margins[row] == np.float32(min(gaps))
    assert exact > 150


def test_cases_that_a_second_look_sees_otherwise_are_counted() -> None:
    """Close ones alone are looked at again; they disagree where the two looks do, right or wrong."""
    right = np.array([[True, True], [False, True], [True, False]])
    margins = np.array([[0.5, LOW_MARGIN / 2], [-LOW_MARGIN / 3, 0.7], [LOW_MARGIN / 4, -2.0]])
    again = np.array([[False, False], [True, False], [True, True]])
    numbers, ops, symbols = (
        np.array([7, 8, 9]),
        np.array([0, 1]),
        np.arange(12).reshape(3, 4).astype(np.uint8),
    )
    found = tallied(right, margins, lambda rows, cases: again[rows, cases], numbers, ops, symbols)
    assert (found.cases, found.errors, found.failing, found.repeated) == (6, 2, 2, 3)
    assert found.disagreements == 2 and found.margin == -2.0
    assert [(each.state, each.op) for each in found.wrong] == [(8, 0), (9, 1)]

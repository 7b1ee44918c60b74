"""Damage that only a handful of cases show, and its repair by counterexample rounds."""

from dataclasses import replace
from itertools import permutations
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.dense import Dense
from nhc.domains.local import FiniteWorld
from nhc.domains.registry import AnyState
from nhc.errors import ModelError
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import SilentProgress, Standing
from nhc.supervised import checks, keeping
from nhc.supervised.check.damage import Damage, Spot, between, find_damage, in_the_middle, shifted
from nhc.supervised.check.weights import named_networks
from nhc.supervised.checks import verify_equality, verify_family
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import DataModel, encoding_hash, load_modules
from nhc.supervised.keeping import resume_in_directory
from nhc.supervised.repair import ModuleRepair, repair_config, repair_in_directory, resume_repair
from nhc.supervised.run import local_world
from nhc.supervised.shipped import modules_path
from nhc.supervised.verdict import Note, Verify
from nhc.supervised.weights import effective, has_signs, raw_of
from tests.supervised.fitted import passage_modules
from tests.supervised.passage import Passage

SLIDING = "sliding-3x3"
QUIET = SilentProgress()


@pytest.fixture(scope="module")
def sliding() -> FiniteWorld[AnyState]:
    world = local_world(SLIDING)
    assert isinstance(world, FiniteWorld)
    return world


@pytest.fixture(scope="module")
def shipped() -> DataModel:
    return load_modules(modules_path(f"zoo:{SLIDING}"))


@pytest.fixture(scope="module")
def damage(sliding: FiniteWorld[AnyState], shipped: DataModel) -> Damage:
    found = find_damage(sliding, shipped.networks, "transform_d", most=5)
    assert found is not None
    return found


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "SMALL", 10**9)


def wrong_boards(network: Dense) -> set[tuple[int, ...]]:
    """All permutations of hole and tiles of which the network shows another view, in plain NumPy."""
    (w, v), (b, c) = (list(map(np.asarray, part)) for part in (network.weights, network.biases))
    found = set()
    for part in np.array_split(np.array(list(permutations(range(9)))), 40):
        hidden = np.eye(9, dtype=np.float32)[part].reshape(len(part), 81) @ w.T + b
        logits = np.where(hidden > 0, hidden, np.float32(0.01) * hidden) @ v.T + c
        views = logits.reshape(-1, 5, 10).argmax(axis=2).tolist()
        pairs = zip(part.tolist(), views, strict=True)
        found |= {tuple(board) for board, view in pairs if view != view_of_board(board)}
    return found


def view_of_board(board: list[int]) -> list[int]:
    """The hole, then what is below, left of, above and right of it: the tile that each operation slides."""
    hole = board.index(0)
    below = board[hole + 3] if hole < 6 else 9
    left = board[hole - 1] if hole % 3 else 9
    above = board[hole - 3] if hole > 2 else 9
    right = board[hole + 1] if hole % 3 < 2 else 9
    return [0, below, left, above, right]


def test_a_complete_check_reports_exactly_the_boards_that_damage_makes_wrong(
    shipped: DataModel, damage: Damage
) -> None:
    tally = damage.tally
    assert 1 <= tally.errors <= 5 and tally.cases == 362_880 and tally.disagreements == 0
    assert {case.symbols for case in tally.wrong} == wrong_boards(damage.networks["view"])
    assert len(tally.wrong) == tally.errors
    before, after = shipped.networks["view"].biases[-1], damage.networks["view"].biases[-1]
    assert np.flatnonzero(before != after).tolist() == [damage.unit]
    assert after[damage.unit] == before[damage.unit] + np.float32(damage.change)


def test_counterexample_rounds_repair_the_sliding_world(
    sliding: FiniteWorld[AnyState], shipped: DataModel, damage: Damage, one_process: None, tmp_path: Path
) -> None:
    broken = replace(shipped, networks=damage.networks)
    config = repair_config(broken, ["transform_d"]).model_copy(update={"clean_rounds": 1})
    assert config.sizes.view == (500,) and config.seed == 1
    (repair,) = repair_in_directory(broken, config, tmp_path / "run", QUIET)
    assert (repair.before, repair.after, repair.check) == (damage.tally.errors, 0, "exhaustive")
    assert repair.counterexample_rounds >= 1 and repair.cases == 362_880
    metrics = RunDirectory(tmp_path / "run").metrics.read()
    assert {line["rate"] for line in metrics} == {1e-4}, "the least learning rate"
    assert [line["event"] for line in metrics][:2] == ["check", "round"]
    model = load_modules(Path(repair.model), sliding)
    moved = np.abs(model.networks["view"].weights[0] - shipped.networks["view"].weights[0])
    assert 0 < moved.max() < 0.1, "it goes on from the weights of the file"


PASSAGE = Passage()


def passage_model(**changed: Dense) -> DataModel:
    networks = {**named_networks(passage_modules()), **changed}
    return DataModel(networks, PASSAGE.form, PASSAGE.name, encoding_hash(PASSAGE), {})


def short(model: DataModel, *modules: str) -> ModulesConfig:
    return repair_config(model, modules).model_copy(update={"round": 100, "clean_rounds": 2})


@pytest.fixture
def passage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry does not know the world of the tests."""
    monkeypatch.setattr(keeping, "local_world", lambda name: PASSAGE)


@pytest.mark.parametrize("module", ["alu", "output"])
def test_alu_and_output_are_damaged_and_repaired(passage: None, module: str, tmp_path: Path) -> None:
    damage = find_damage(PASSAGE, passage_model().networks, module, most=3)
    assert damage is not None and 1 <= damage.tally.errors <= 3
    again = find_damage(PASSAGE, passage_model().networks, module, most=3)
    assert again is not None and (again.unit, again.change) == (damage.unit, damage.change)
    model = passage_model(**damage.networks)
    assert verify_family(PASSAGE, module, model.networks).errors == damage.tally.errors
    (repair,) = repair_in_directory(model, short(model, module), tmp_path / "run", QUIET)
    assert (repair.before, repair.after) == (damage.tally.errors, 0) and repair.counterexample_rounds >= 1
    repaired = load_modules(Path(repair.model), PASSAGE)
    assert verify_family(PASSAGE, module, repaired.networks).errors == 0
    untouched = repaired.networks["view"].weights[0] == model.networks["view"].weights[0]
    assert untouched.all(), "the modules that are not repaired are in the file too"


class Interrupting(SilentProgress):
    """Ctrl-C at the given update of the display."""

    def __init__(self, at: int) -> None:
        self.left = at

    def update(self, standing: Standing) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt


def interrupted(module: str, note: Note) -> Verify:
    raise KeyboardInterrupt


def weights(repair: ModuleRepair) -> list[bytes]:
    networks = load_modules(Path(repair.model), PASSAGE).networks
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(networks)]


@pytest.mark.parametrize("at", [0, 1, 3])
def test_an_interrupted_repair_goes_on(passage: None, at: int, tmp_path: Path) -> None:
    """In its first check, if `at` is 0: nothing but the first checkpoint tells that the run is a repair."""
    networks = shifted(passage_model().networks, Spot("acts", 0, 1.0), 9.0)
    broken = passage_model(acts=networks["acts"])
    config = short(broken, "alu")
    (whole,) = repair_in_directory(broken, config, tmp_path / "whole", QUIET)
    with pytest.raises(KeyboardInterrupt):
        checks = None if at else interrupted
        repair_in_directory(broken, config, tmp_path / "broken", Interrupting(at), verifiers=checks)
    resume_in_directory(tmp_path / "broken", QUIET)
    (again,) = resume_repair(tmp_path / "broken", QUIET)
    assert whole.after == 0 and whole.before is not None and whole.before > 1
    assert again._replace(seconds=0, model="") == whole._replace(seconds=0, model="")
    assert weights(again) == weights(whole)


def test_a_module_that_errs_is_not_damaged() -> None:
    networks = shifted(passage_model().networks, Spot("view", 3, 1.0), 9.0)
    with pytest.raises(ModelError, match="expected a module without errors") as caught:
        find_damage(PASSAGE, networks, "transform_d")
    assert caught.value.code == "modules.wrong"


def test_a_sound_module_is_only_checked(passage: None, tmp_path: Path) -> None:
    model = passage_model()
    (repair,) = repair_in_directory(model, short(model, "alu"), tmp_path / "run", QUIET)
    assert (repair.before, repair.after, repair.updates, repair.counterexample_rounds) == (0, 0, 0, 0)
    again = load_modules(Path(repair.model), PASSAGE).networks
    assert (again["change"].weights[0] == model.networks["change"].weights[0]).all()


def test_a_monotone_input_is_repaired_with_its_signs(
    sliding: FiniteWorld[AnyState], shipped: DataModel, tmp_path: Path
) -> None:
    network = shipped.networks["equality"]
    assert has_signs(network)
    raw = effective(True, raw_of(True, {"equality": network}))["equality"]
    for back, weight in zip(raw.weights, network.weights, strict=True):
        np.testing.assert_allclose(back, weight, rtol=2e-6)
    first, last = network.biases
    broken = Dense(network.weights, (first, last + 20.0))
    errors = verify_equality(shipped.form, {"equality": broken}).errors
    assert errors > 0
    model = replace(shipped, networks={"equality": broken})
    config = repair_config(model, ["input"]).model_copy(update={"clean_rounds": 1})
    (repair,) = repair_in_directory(model, config, tmp_path / "run", QUIET)
    assert (repair.before, repair.after, repair.check) == (errors, 0, "proved")
    assert has_signs(load_modules(Path(repair.model), sliding).networks["equality"])


def test_weights_of_zero_keep_their_sign() -> None:
    network = Dense((jnp.zeros((2, 3)), -jnp.ones((1, 2))), (jnp.zeros(2), jnp.zeros(1)))
    back = effective(True, raw_of(True, {"equality": network}))["equality"]
    assert float(back.weights[0].max()) < 1e-20 and bool((back.weights[1] == -1).all())
    assert not has_signs(Dense((-jnp.ones((2, 3)), network.weights[1]), network.biases))


def test_the_search_takes_the_middle_of_what_gives_a_few_errors() -> None:
    """Cases go wrong at these sizes; three at once are too many, two too near to the next are not chosen."""
    edges = np.array([5.0, 5.0, 5.0, 9.0])

    def errors(size: float) -> int:
        return int((edges <= size).sum())

    assert between(errors, 2) is None
    middle = in_the_middle(errors, 3, 12.0)
    assert middle == pytest.approx(7.0, abs=0.01)
    edges = np.array([5.0, 5.0005])
    assert in_the_middle(errors, 1, 12.0) is None
    assert in_the_middle(errors, 2, 12.0) == pytest.approx((5.0005 + 12) / 2, abs=0.01)
    edges = np.array([5000.0])
    assert between(errors, 1) is None


def test_one_bias_is_shifted() -> None:
    networks = named_networks(passage_modules())
    changed = shifted(networks, Spot("mask", 3, -1.0), 2.5)
    difference = changed["mask"].biases[-1] - networks["mask"].biases[-1]
    assert np.flatnonzero(difference).tolist() == [3] and difference[3] == pytest.approx(-2.5, abs=1e-5)
    assert eqx.tree_equal(changed["view"], networks["view"])

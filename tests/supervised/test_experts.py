"""Linear experts: what they compute, how they learn, and that nothing of them is lost."""

import shutil
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.data.networks import Experts, Network, initial_experts
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.errors import ModelError
from nhc.runs.arrays import Arrays, load_arrays
from nhc.runs.progress import SilentProgress, Standing
from nhc.supervised import keeping
from nhc.supervised.check.plain import chosen
from nhc.supervised.config import PROVABLE, ModulesConfig, layers
from nhc.supervised.files import DataModel, blocks, encoding_hash, from_blocks, load_modules, save_modules
from nhc.supervised.keeping import resume_in_directory, train_in_directory
from nhc.supervised.losses import RowOutcome, shared
from nhc.supervised.run import RunState, config_of_model, state_of_model
from nhc.supervised.words_proof import prove_words
from tests.supervised.designed import designed
from tests.supervised.small import config
from tests.supervised.test_keeping import kept

WORLD = Sokoban(Board(4, 5))
SAMPLED = Sokoban(Board(5, 5))
"""Large enough to draw states of."""
RNG = np.random.default_rng


def experts(reads: int = 5, outputs: int = 3) -> Experts:
    """Four experts for four of seven bits."""
    rng = RNG(0)
    weights, biases = rng.normal(size=(4, outputs, reads)), rng.normal(size=(4, outputs))
    strengths = jnp.asarray([0.5, 2.0, 2.0, -1.0], jnp.float32)
    return Experts(
        strengths, jnp.asarray(weights, jnp.float32), jnp.asarray(biases, jnp.float32), (0, 2, 3, 6)
    )


def inputs(count: int) -> NDArray[np.float32]:
    """Bits of which the first is always set."""
    rows = (RNG(1).random((count, 9)) < 0.5).astype(np.float32)
    rows[:, 0] = 1
    return rows


def test_the_strongest_set_bit_names_the_expert() -> None:
    network, rows = experts(), inputs(40)
    weights, biases = np.asarray(network.weights), np.asarray(network.biases)
    found, used = np.asarray(eqx.filter_jit(network)(jnp.asarray(rows))), set()
    for row, logits in zip(rows, found, strict=True):
        strengths = dict(zip(network.bits, network.strengths.tolist(), strict=True))
        best = max((bit for bit in network.bits if row[bit]), key=lambda bit: (strengths[bit], -bit))
        expert = network.bits.index(best)
        used.add(expert)
        expected = weights[expert] @ row[-5:] + biases[expert]
        np.testing.assert_allclose(logits, expected, rtol=1e-5, atol=1e-6)
    assert used == {0, 1, 2}
    np.testing.assert_allclose(chosen(network, rows, np.float32), found, rtol=1e-5, atol=1e-6)


def test_experts_lose_by_their_shares_and_fail_by_the_one_chosen() -> None:
    network, rows = experts(), inputs(11)

    def judged(logits: jax.Array) -> RowOutcome:
        return RowOutcome((logits**2).sum(axis=1), logits[:, 0] > logits[:, 1])

    found = eqx.filter_jit(shared)(network, jnp.asarray(rows), judged)
    loss, failed = map(np.asarray, found)
    decided = np.asarray(eqx.filter_jit(network)(jnp.asarray(rows)))
    strengths, weights, biases = map(np.asarray, (network.strengths, network.weights, network.biases))
    for number, row in enumerate(rows):
        held = [expert for expert, bit in enumerate(network.bits) if row[bit]]
        parts = np.exp([0.1 * float(strengths[expert]) for expert in held])
        losses = []
        for expert in held:
            logits = weights[expert] @ row[-5:] + biases[expert]
            losses.append((logits**2).sum())
        assert float(loss[number]) == pytest.approx(float(parts / parts.sum() @ losses), rel=1e-4)
        assert bool(failed[number]) == bool(decided[number, 0] > decided[number, 1])


def test_experts_without_a_share_learn_nothing() -> None:
    network, row = experts(), jnp.asarray([[1, 0, 1, 0, 0, 0, 0, 1, 1]], jnp.float32)

    def loss(each: Experts) -> jax.Array:
        return shared(each, row, lambda logits: RowOutcome(logits.sum(axis=1), logits[:, 0] > 0)).loss.sum()

    gradient = eqx.filter_jit(eqx.filter_grad(loss))(network)
    moved = np.abs(np.asarray(gradient.weights)).sum(axis=(1, 2)) > 0
    assert moved.tolist() == [True, True, False, False]
    assert np.isfinite(np.asarray(gradient.strengths)).all()


def settings(**changes: object) -> ModulesConfig:
    """Of the large board, for a small one."""
    small: dict[str, object] = {"modules": ("transform_d", "output"), "round": 60, "budget": 6_000}
    return ModulesConfig.of_world("sokoban-8x8", learning_rate=3e-2, **{**small, **changes})


class Copying(SilentProgress):
    """Copies a run's directory as a killed run leaves it: an update of the display after the first check."""

    def __init__(self, run: Path, copy: Path) -> None:
        self.run, self.copy, self.after = run, copy, 0

    def update(self, standing: Standing) -> None:
        self.after += "last check" in dict(standing.fields)
        if self.after == 2 and not self.copy.exists():
            shutil.copytree(self.run, self.copy)


def test_learning_ends_with_a_proof_and_goes_on_bit_for_bit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also from a checkpoint after experts were left out."""
    monkeypatch.setattr(keeping, "finite_world", lambda name: SAMPLED)
    monkeypatch.setattr(keeping, "CHECKPOINT_SECONDS", 0.0)
    progress = Copying(tmp_path / "unbroken", tmp_path / "killed")
    done = train_in_directory(settings(), tmp_path / "unbroken", progress)
    assert [each.check for each in done] == ["proved", "proved"]
    assert [each.errors for each in done] == [0, 0] and done[0].counterexample_rounds >= 1
    model = load_modules(tmp_path / "unbroken" / "modules.safetensors", SAMPLED)
    for module, network in (("transform_d", "view"), ("output", "mask")):
        assert prove_words(SAMPLED, module, model.networks).proved
        assert model.networks[network].sizes[1] == 9
    resume_in_directory(tmp_path / "killed", SilentProgress())
    assert kept(tmp_path / "killed") == kept(tmp_path / "unbroken")


def model(networks: dict[str, Network]) -> DataModel:
    return DataModel(networks, WORLD.form, WORLD.name, encoding_hash(WORLD), {})


def test_files_keep_experts(tmp_path: Path) -> None:
    networks = designed(WORLD, noise=0.1)
    save_modules(tmp_path / "file", model(networks))
    back = load_modules(tmp_path / "file", WORLD).networks
    for name in ("view", "mask"):
        found, wanted = (jax.tree.flatten(each[name]) for each in (back, networks))
        assert found[1] == wanted[1] and all(map(np.array_equal, found[0], wanted[0]))
    arrays, _ = load_arrays(tmp_path / "file")
    assert {name for name in arrays if name.startswith("view")} == {
        "view.bits",
        "view.strengths",
        "view.weights",
        "view.biases",
    }


def changed(name: str, value: NDArray[np.floating] | None) -> Arrays:
    """Blocks of right networks with one of them replaced, or left out."""
    arrays: Arrays = {**blocks(designed(WORLD))}
    del arrays[name]
    return arrays if value is None else {**arrays, name: value.astype(np.float32)}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("view.strengths", None),
        ("view.strengths", np.zeros(79)),
        ("view.bits", np.arange(80)[::-1]),
        ("view.bits", np.arange(80) + 0.5),
        ("view.bits", np.arange(80) - 1),
        ("view.biases", np.zeros((80, 35))),
        ("view.weights", np.zeros((80, 36))),
        ("view.weights", np.zeros((80, 36, 0))),
    ],
)
def test_experts_that_do_not_fit_together_are_refused(name: str, value: NDArray[np.floating] | None) -> None:
    with pytest.raises(ModelError) as caught:
        from_blocks(changed(name, value))
    assert caught.value.code == "model.shape"


@pytest.mark.parametrize("number", range(4))
def test_experts_for_other_words_are_refused(number: int, tmp_path: Path) -> None:
    networks = designed(WORLD)
    view, mask = networks["view"], networks["mask"]
    assert isinstance(view, Experts) and isinstance(mask, Experts)
    late = Experts(view.strengths, view.weights, view.biases, (*view.bits[:-1], 80))
    wrong: list[dict[str, Network]] = [
        {**networks, "view": late},
        {**networks, "view": mask},
        {**networks, "inserts": view},
        {"equality": initial_experts((80, 80, 1))},
    ]
    save_modules(tmp_path / "file", model(wrong[number]))
    with pytest.raises(ModelError) as caught:
        load_modules(tmp_path / "file", WORLD)
    assert caught.value.code == "model.shape"


def test_sizes() -> None:
    form = WORLD.form
    assert layers(form, PROVABLE, "view") == (80, 80, 36) and layers(form, PROVABLE, "mask") == (17, 80, 63)
    assert layers(form, PROVABLE, "inserts") == (97, 1)


def test_a_repair_begins_with_the_experts_that_are_there() -> None:
    networks = designed(WORLD)
    view = networks["view"]
    assert isinstance(view, Experts)
    broken: dict[str, Network] = {"view": view.keeping(tuple(range(0, 80, 4)))}
    repaired = config_of_model(model(broken), ["transform_d"])
    assert repaired.sizes.experts == ("view",)
    state = state_of_model(model(broken), repaired)
    assert isinstance(state, RunState) and state.states["transform_d"].learner.raw["view"].sizes[1] == 20
    assert config_of_model(model({"inserts": networks["inserts"]}), ["output"]).sizes.inserts == ()
    assert config().sizes.experts == ()

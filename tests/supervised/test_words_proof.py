"""The proof for all words against running all words, on a board that is small enough."""

from collections.abc import Iterator, Mapping
from functools import cache
from itertools import product

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.data.networks import Dense, Experts, Network, initial_dense
from nhc.domains.local import WordCase, direction_of, views_of
from nhc.domains.protocol import NOP, OPS
from nhc.domains.sokoban.rules import Board, State
from nhc.domains.sokoban.world import AGENT, BOX, WALL, Sokoban
from nhc.domains.states import picked
from nhc.supervised.check.plain import (
    Change,
    group_margins,
    output_contents,
    output_logits,
    view_logits,
)
from nhc.supervised.files import load_modules
from nhc.supervised.losses import outcome
from nhc.supervised.rounding import sum_error
from nhc.supervised.rows import labelled, split
from nhc.supervised.verify import verify_module
from nhc.supervised.words_proof import deciding, provable, prove_words
from nhc.zoo import modules_path
from tests.supervised.designed import designed, scaled

SMALL = Sokoban(Board(4, 5))
"""Six inner cells: 6 x 3^5 words."""
LARGE = Sokoban(Board(8, 8))


@cache
def all_words(world: Sokoban) -> list[tuple[WordCase, NDArray[np.uint8]]]:
    """Every case with all its words, by plain enumeration."""
    found = []
    for case in world.word_cases():
        choices = [np.flatnonzero(row).tolist() for row in case.allowed]
        found.append((case, np.array(list(product(*choices)), np.uint8)))
    return found


def test_cases_hold_every_state_once_and_their_views() -> None:
    world = Sokoban(Board(5, 5))
    contents = world.contents(world.sample(np.random.default_rng(0), 300))
    inside = np.zeros((300, 9), bool)
    for number, case in enumerate(world.word_cases()):
        inside[:, number] = case.allowed[np.arange(25), contents].all(axis=1)
        rows = contents[inside[:, number]]
        assert (np.asarray(world.cells_in_view(rows)) == case.cells).all()
    assert (inside.sum(axis=1) == 1).all()
    assert sum(len(words) for _, words in all_words(SMALL)) == 6 * 3**5


OUTCOME = jax.jit(outcome, static_argnames=("form", "module"))


def fails(module: str, networks: dict[str, Network], rows: NDArray[np.uint8]) -> bool:
    """Does the first row, the worst, go wrong?"""
    return bool(OUTCOME(SMALL.form, module, networks, jnp.asarray(rows[:1])).failed[0])


def view_margin(world: Sokoban, networks: Mapping[str, Network]) -> float:
    """The smallest margin of Transform_D over all words, in float64."""
    margins = []
    for _, words in all_words(world):
        logits = view_logits(networks, world.form, words, np.float64)
        margins.append(group_margins(logits, views_of(world, words))[1].min())
    return float(min(margins))


@pytest.mark.parametrize("noise", [0.0, 0.2, 0.5])
@pytest.mark.parametrize("seed", range(2))
def test_the_least_margin_of_the_view_is_that_of_the_worst_word(noise: float, seed: int) -> None:
    networks = designed(SMALL, noise=noise, seed=seed)
    network = networks["view"]
    assert isinstance(network, Experts)
    # Only the logits are noisy: strengths are compared, and their differences are margins too.
    sharp = eqx.tree_at(lambda each: each.strengths, network, designed_strengths())
    proof = prove_words(SMALL, "transform_d", {"view": sharp})
    expected = view_margin(SMALL, {"view": sharp})
    assert proof.margin < expected <= proof.margin + 1e-3
    assert proof.proved == (proof.margin > 0)
    assert proof.cases == len(proof.margins) and (np.diff(proof.margins) >= 0).all()
    if not proof.proved:
        assert proof.margins[0] < -1e-3
        rows = labelled(SMALL, "transform_d", proof.contents, proof.ops)
        assert fails("transform_d", {"view": sharp}, rows)


def designed_strengths() -> jnp.ndarray:
    """Strong bits for the agent, by far."""
    bits = np.arange(SMALL.form.word_bits) % len(SMALL.form.symbols) == AGENT
    return jnp.asarray(100.0 * bits, jnp.float32)


def wrong_cases(world: Sokoban, networks: Mapping[str, Network]) -> int:
    """Words and operations that Output gets wrong, by running all of them."""
    form, wrong = world.form, 0
    for _, words in all_words(world):
        views = views_of(world, words)
        for op in range(len(OPS)):
            ops = np.full(len(words), op)
            changed, after = (np.asarray(part) for part in world.act(views, ops))
            direction = direction_of(ops)
            change = Change(changed, direction, after.astype(np.uint8))
            gate, places = output_logits(networks, form, change, words, np.float64)
            made = output_contents(form, gate, places, change.after, words)
            parts = split(form, "output", labelled(world, "output", words, ops))
            wrong += int((made != parts["wanted"]).any(axis=1).sum())
    return wrong


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_output_is_proved_exactly_if_no_word_goes_wrong(noise: float) -> None:
    verdicts = set()
    for seed in range(2):
        networks = designed(SMALL, noise=noise, seed=seed)
        mask = networks["mask"]
        assert isinstance(mask, Experts)
        networks["mask"] = eqx.tree_at(lambda each: each.strengths, mask, designed_strengths())
        proof = prove_words(SMALL, "output", networks)
        wrong = wrong_cases(SMALL, networks)
        assert proof.proved == (wrong == 0)
        verdicts.add(proof.proved)
        if not proof.proved:
            assert fails("output", networks, labelled(SMALL, "output", proof.contents, proof.ops))
    assert verdicts == {noise <= 0.1}


def broken() -> Iterator[tuple[str, dict[str, Network]]]:
    """Right networks with one thing wrong."""
    good = designed(SMALL)
    view, mask, gate = good["view"], good["mask"], good["inserts"]
    assert isinstance(view, Experts) and isinstance(mask, Experts) and isinstance(gate, Dense)
    inner = SMALL.board.inner_cells()
    expert = inner[2] * 4 + AGENT
    # A box beside the agent counts more for the wall than for the box.
    slot = (1 * 4 + WALL, int(next(iter(all_words(SMALL)[2][0].cells[1:2]))) * 4 + BOX)
    yield (
        "transform_d",
        {"view": eqx.tree_at(lambda e: e.weights, view, view.weights.at[expert, *slot].set(2.5))},
    )
    yield (
        "transform_d",
        {"view": eqx.tree_at(lambda e: e.strengths, view, view.strengths.at[expert].set(0.0))},
    )
    box = inner[3] * 4 + BOX
    yield "transform_d", {"view": eqx.tree_at(lambda e: e.strengths, view, view.strengths.at[box].set(1.5))}
    yield "output", {**good, "mask": eqx.tree_at(lambda e: e.weights, mask, mask.weights.at[expert].set(0.0))}
    yield "output", {**good, "inserts": Dense(gate.weights, (jnp.full(1, 0.5),))}
    yield "output", {**good, "inserts": Dense(gate.weights, (jnp.full(1, -5.0),))}


@pytest.mark.parametrize("number", range(6))
def test_one_wrong_number_is_found(number: int) -> None:
    module, networks = list(broken())[number]
    verdict = verify_module(SMALL, module, 0)(networks)
    assert verdict.label == "refuted" and verdict.errors > 0 and not verdict.passed
    assert fails(module, networks, verdict.counterexamples)


def test_designed_networks_are_proved() -> None:
    for world in (SMALL, LARGE):
        networks = designed(world)
        for module in ("transform_d", "output"):
            verdict = verify_module(world, module, 0)(networks)
            assert verdict.label == "proved" and verdict.passed
            assert len(verdict.deciding) == len(world.board.inner_cells())


def test_a_margin_within_rounding_is_no_proof() -> None:
    """A logit that is right by 1e-6 beside weights of 1,000 may be wrong in float32."""
    network = designed(SMALL)["view"]
    assert isinstance(network, Experts)
    flat = eqx.tree_at(lambda e: e.weights, network, network.weights * 5e-7)
    assert prove_words(SMALL, "transform_d", {"view": flat}).proved
    lifted = eqx.tree_at(lambda e: e.biases, flat, flat.biases + 1_000.0)
    proof = prove_words(SMALL, "transform_d", {"view": lifted})
    assert not proof.proved and -0.1 < proof.margin < 0
    assert sum_error(26, np.array([3.0]))[0] == pytest.approx(2 * 3 * 26 / 2**24, rel=1e-5)


def test_only_what_decides_is_kept() -> None:
    network = designed(SMALL)["view"]
    assert isinstance(network, Experts)
    experts = deciding(SMALL, network)
    assert experts == tuple(cell * 4 + AGENT for cell in SMALL.board.inner_cells())
    lean = network.keeping(experts)
    assert lean.bits == experts and lean.sizes == (80, 6, 36)
    words = np.concatenate([words for _, words in all_words(SMALL)])[::7]
    inputs = jnp.asarray(np.eye(4, dtype=np.float32)[words].reshape(len(words), -1))
    assert (np.asarray(lean(inputs)) == np.asarray(network(inputs))).all()
    assert deciding(SMALL, lean) == tuple(range(6))
    level = eqx.tree_at(lambda each: each.strengths, network, jnp.zeros_like(network.strengths))
    assert deciding(SMALL, level) == ()


def test_layers_are_not_tried() -> None:
    gate = designed(SMALL)["inserts"]
    deep = initial_dense((3, 2, 1), key=jax.random.key(0))
    mask = designed(SMALL)["mask"]
    assert not provable("transform_d", {"view": deep})
    assert not provable("output", {"mask": mask, "inserts": deep})
    assert not provable("output", {"mask": deep, "inserts": gate})
    assert provable("output", {"mask": mask, "inserts": gate}) and not provable("alu", {})


def test_rows_of_words_want_what_a_step_makes_of_states() -> None:
    states = LARGE.sample(np.random.default_rng(1), 200)
    ops = np.random.default_rng(2).integers(5, size=200)
    wanted = split(LARGE.form, "output", labelled(LARGE, "output", LARGE.contents(states), ops))["wanted"]
    for row, op in enumerate(ops.tolist()):
        state = picked(states, slice(row, row + 1))
        after = state if op == NOP else LARGE.step(state, op)
        assert (LARGE.contents(after)[0] == wanted[row]).all()


def test_the_local_rule_is_the_rule_on_every_view_of_the_large_board() -> None:
    """Step against view and act, at each place of the agent and for each view: what the proof is about."""
    form, board, compared = LARGE.form, LARGE.board, 0
    power = np.uint64(1) << np.arange(board.cells, dtype=np.uint64)
    for case in LARGE.word_cases():
        shown = [np.flatnonzero(case.allowed[c]) if c >= 0 else np.array([WALL]) for c in case.cells.tolist()]
        views = np.stack(np.meshgrid(*shown, indexing="ij"), axis=-1).reshape(-1, form.slots)
        seen = case.cells >= 0
        contents = np.tile(case.allowed.argmax(axis=1).astype(np.uint8), (len(views), 1))
        contents[:, case.cells[seen]] = views[:, seen]
        assert (views_of(LARGE, contents) == views).all()
        bits = [
            np.where(contents == symbol, power, np.uint64(0)).sum(axis=1) for symbol in (WALL, BOX, AGENT)
        ]
        state = State(*bits)
        for op in range(NOP):
            rows = labelled(LARGE, "output", contents, np.full(len(views), op))
            wanted = split(form, "output", rows)["wanted"]
            assert (LARGE.contents(LARGE.step(state, op)) == wanted).all()
            compared += len(views)
    assert compared == 219_024


def test_the_shipped_modules_are_proved() -> None:
    model = load_modules(modules_path("zoo:sokoban-8x8"), LARGE)
    for module, cases in (("transform_d", 2_304), ("output", 1_560)):
        proof = prove_words(LARGE, module, model.networks)
        assert proof.proved and proof.cases == cases and proof.margin > 0.1


@pytest.mark.parametrize("size", [1e-40, float("nan"), 2.0**127])
@pytest.mark.parametrize("network", ["view", "mask", "inserts"])
def test_numbers_at_the_limits_of_float32_prove_nothing(network: str, size: float) -> None:
    """Subnormal numbers may be taken for zero, large sums overflow, and nothing follows from NaN."""
    networks = designed(SMALL)
    module = "transform_d" if network == "view" else "output"
    networks[network] = scaled(networks[network], size)
    proof = prove_words(SMALL, module, networks)
    assert not proof.proved and not proof.margin > 0
    verdict = verify_module(SMALL, module, 0)(networks)
    assert not verdict.passed


def test_strengths_that_may_be_taken_for_zero_choose_nothing() -> None:
    network = designed(SMALL)["view"]
    assert isinstance(network, Experts)
    faint = eqx.tree_at(lambda each: each.strengths, network, network.strengths * jnp.float32(1e-40))
    assert deciding(SMALL, faint) == () and not prove_words(SMALL, "transform_d", {"view": faint}).proved

"""The plain engine: the learned modules as they are, in JAX, on whatever device JAX has; the fast one's twin.

Every case is evaluated, none is shared or folded. On a GPU it runs unchanged.
"""

import time
from functools import partial
from typing import Generic

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt8

from nhc.data.learned import LearnedModules, output_inputs
from nhc.domains.local import LocalStateT, WordForm
from nhc.domains.protocol import OPS
from nhc.domains.states import picked
from nhc.supervised.check.judged import ChunkResult, Judge, Judged, digest
from nhc.supervised.check.truth import Demands, Truth
from nhc.supervised.check.weights import named_networks, plain_networks

STATES = 1024
"""States evaluated in one call; the last one of a chunk is filled up."""


class TwinEngine(Generic[LocalStateT]):
    """Checks chunks of states."""

    name = "jax"

    def __init__(
        self, truth: Truth[LocalStateT], modules: LearnedModules, checked: frozenset[str], rows: int = STATES
    ) -> None:
        self.truth, self.learned, self.modules, self.rows = truth, modules, checked, rows
        self.judge = Judge(truth, plain_networks(named_networks(modules)))

    def check(self, states: LocalStateT, first: int) -> ChunkResult:
        """The tallies of a chunk whose first state has the number `first`."""
        began = time.perf_counter()
        demands = self.truth.of(states)
        count = len(demands.contents)
        parts = []
        for start in range(0, count, self.rows):
            rows = np.minimum(np.arange(start, start + self.rows), count - 1)
            parts.append(self._judged(picked(demands, rows)))
        judged = Judged(*(np.concatenate(columns)[:count] for columns in zip(*parts, strict=True)))
        tallies = self.judge.tallies(demands, judged, first, self.modules)
        return ChunkResult(
            len(demands.contents), tallies, 0.0, time.perf_counter() - began, digest(demands), False
        )

    def _judged(self, demands: Demands) -> Judged:
        truth = self.truth
        contents = jnp.asarray(demands.contents)
        view, view_margin = judged_view(self.learned, contents, jnp.asarray(demands.view))
        right, margins = [], []
        for op in range(len(OPS)):
            numbers = demands.changes[:, op]
            correct, margin = judged_output(
                self.learned,
                contents,
                jnp.asarray(truth.changes.changed[numbers]),
                jnp.asarray(truth.change_words[numbers][:, :-1]),
                jnp.asarray(truth.changes.after[numbers]),
                jnp.asarray(demands.after_step[:, op]),
            )
            right.append(np.asarray(correct))
            margins.append(np.asarray(margin))
        return Judged(
            np.asarray(view), np.asarray(view_margin), np.stack(right, axis=1), np.stack(margins, axis=1)
        )


def words_of(form: WordForm, contents: UInt8[Array, "n cells"]) -> UInt8[Array, "n word"]:
    """One-hot words."""
    return jax.nn.one_hot(contents, len(form.symbols), dtype=jnp.uint8).reshape(len(contents), form.word_bits)


@eqx.filter_jit
def judged_view(
    modules: LearnedModules, contents: UInt8[Array, "n cells"], right: UInt8[Array, "n slots"]
) -> tuple[Bool[Array, " n"], Float[Array, " n"]]:
    """Transform_D's verdicts and margins."""
    form, words = modules.form, words_of(modules.form, contents)
    wanted = jax.nn.one_hot(right, form.view_symbols, dtype=jnp.uint8)
    correct = (modules.view(words).reshape(wanted.shape) == wanted).all(axis=(1, 2))
    logits = modules.networks.view(words.astype(jnp.float32)).reshape(wanted.shape)
    chosen = (logits * wanted).sum(axis=2)
    others = jnp.where(wanted == 1, -jnp.inf, logits).max(axis=2)
    return correct, (chosen - others).min(axis=1)


@eqx.filter_jit
def judged_output(
    modules: LearnedModules,
    contents: UInt8[Array, "n cells"],
    changed: Bool[Array, " n"],
    change: UInt8[Array, "n change"],
    after: UInt8[Array, "n changes"],
    wanted: UInt8[Array, "n cells"],
) -> tuple[Bool[Array, " n"], Float[Array, " n"]]:
    """Output's verdicts and margins on one operation."""
    form, words = modules.form, words_of(modules.form, contents)
    result = modules.insert(changed, change, words)
    correct = (result == words_of(form, wanted)).all(axis=1)
    inputs = output_inputs(changed, change, words)
    gate = modules.networks.inserts(inputs)[:, 0]
    logits = modules.networks.mask(inputs).reshape(-1, form.changes, form.cells + 1)
    distance = jax.vmap(partial(mask_margin, len(form.symbols)))(logits, contents, after, wanted)
    gate_margin = jnp.where(changed, gate, -gate)
    both = jnp.minimum(gate_margin, distance)
    unchanged = jnp.where(gate > 0, distance, gate_margin)
    return correct, jnp.where(changed, both, unchanged)


def mask_margin(
    symbols: int,
    logits: Float[Array, "changes places"],
    contents: UInt8[Array, " cells"],
    after: UInt8[Array, " changes"],
    wanted: UInt8[Array, " cells"],
) -> Float[Array, ""]:
    """The smallest gap between a chosen place and one that could spoil the word; 0 if it is spoilt."""
    cells = jnp.arange(len(contents))
    places: Int[Array, " changes"] = logits.argmax(axis=1)
    writes = (places[:, None] == cells[None, :]) & (after < symbols)[:, None]
    result = contents
    for number in range(len(after)):
        result = jnp.where(writes[number], after[number], result)
    spoils = writes & (after[:, None] != wanted[None, :])
    needed = contents != wanted
    nowhere = jnp.zeros((len(after), 1), bool)
    harmful = jnp.concatenate([after[:, None] != wanted[None, :], nowhere], axis=1)
    gaps = []
    for number in range(len(after)):
        others = jnp.delete(spoils, number, axis=0).any(axis=0)
        leaves = jnp.append(needed | others, False)[places[number]]
        counts = (harmful[number] | leaves) & (jnp.arange(len(cells) + 1) != places[number])
        gap = jnp.where(counts, logits[number, places[number]] - logits[number], jnp.inf).min()
        gaps.append(jnp.where(after[number] < symbols, gap, jnp.inf))
    return jnp.where((result == wanted).all(), jnp.stack(gaps).min(), 0.0)

"""The engine of a complete check: the learned modules in JAX, on whatever device it has.

The first layer of a network that reads words is a sum of two parts, the word's and the local change's. The
word's part is computed once for the five operations, the change's once for all words. `nop` and an `up`
without effect are one case, evaluated once, and the mask is evaluated only where something is inserted. Sums
are so taken in another order than in use, which float32 rounding may see.
"""

from collections.abc import Iterator
from functools import partial
from typing import Generic

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float, Int, UInt8

from nhc.data.networks import Dense, Experts, Network, Networks
from nhc.domains.local import WordForm, put
from nhc.domains.protocol import NOP, StateT
from nhc.domains.states import picked
from nhc.runs.storage import sha256
from nhc.supervised.check.cases import CaseCounter, ChunkResult, Decisions, Demands, Rows, Truth
from nhc.supervised.check.plain import Flags, Floats, group_margins

ROWS = 1024
"""States or cases that are evaluated at once; the last ones are filled up, so that all are compiled once."""


class Engine(Generic[StateT]):
    """Checks chunks of states; of the networks only those of the checked `modules` have to be there."""

    def __init__(self, truth: Truth[StateT], networks: Networks, modules: frozenset[str]) -> None:
        self.truth, self.networks, self.modules = truth, networks, modules
        self.counter = CaseCounter(truth, networks)
        form = truth.form
        readers = {name: networks[name] for name in ("inserts", "mask") if name in networks}
        changes = jnp.asarray(truth.change_words, jnp.float32)
        self._changes = {name: _change_part(form, network, changes) for name, network in readers.items()}

    def check(self, states: StateT, first: int) -> ChunkResult:
        """The counts of a chunk whose first state has the number `first`."""
        demands = self.truth.of(states)
        parts = [self._decisions(picked(demands, rows)) for rows in _blocks(len(demands.contents))]
        columns = (np.concatenate(column)[: len(demands.contents)] for column in zip(*parts, strict=True))
        counts = self.counter.counts(demands, Decisions(*columns), first, self.modules)
        return ChunkResult(len(demands.contents), counts, sha256(demands.contents.tobytes()))

    def _decisions(self, demands: Demands) -> Decisions:
        """Of `ROWS` states; modules that are not checked count as right."""
        form, shape = self.truth.form, demands.changes.shape
        words = _words(form, jnp.asarray(demands.contents))
        view, view_margin = np.ones(ROWS, bool), np.full(ROWS, np.inf, np.float32)
        output, output_margin = np.ones(shape, bool), np.full(shape, np.inf, np.float32)
        if self.modules & {"transform_d", "composed"}:
            logits = np.asarray(_plain_logits(self.networks["view"], words))
            groups = logits.reshape(ROWS, form.slots, form.view_symbols)
            view, view_margin = group_margins(groups, demands.view)
        if self.modules & {"output", "composed"}:
            output, output_margin = self._output(demands, words)
        return Decisions(view, view_margin, output, output_margin)

    def _output(self, demands: Demands, words: Float[Array, "rows word"]) -> tuple[Flags, Floats]:
        # `nop` has the input of operation 0 where that has no effect, and demands the same.
        own = np.ones(demands.changes.shape, bool)
        apart = (demands.after_step[:, NOP] != demands.after_step[:, 0]).any(axis=1)
        own[:, NOP] = apart | (demands.changes[:, NOP] != demands.changes[:, 0])
        states, ops = np.nonzero(own)
        changes, wanted = demands.changes[states, ops], demands.after_step[states, ops]
        gate = self._gate(words, states, changes)
        changed = self.truth.changes.changed[changes]
        right = (gate > 0) | (wanted == demands.contents[states]).all(axis=1)
        margins = np.where(changed, gate, -gate)
        opened = np.flatnonzero((gate > 0) | changed)
        put, distance = self._mask(words, demands, states[opened], ops[opened])
        inserted = gate[opened] > 0
        right[opened] &= put | ~inserted
        # A gate that opens where nothing changes does no harm if the mask then keeps the word.
        needless = inserted & ~changed[opened]
        margins[opened] = np.where(needless, distance, np.minimum(margins[opened], distance))
        places = np.cumsum(own).reshape(own.shape) - 1
        places[:, NOP] = np.where(own[:, NOP], places[:, NOP], places[:, 0])
        return right[places], margins[places]

    def _gate(self, words: Float[Array, "rows word"], states: Rows, changes: Rows) -> Floats:
        network, table = self.networks["inserts"], self._changes["inserts"]
        part = _word_part(network, words)
        logits = [_case_logits(network, part, table, states[b], changes[b]) for b in _blocks(len(states))]
        return np.concatenate([np.asarray(each)[:, 0] for each in logits])[: len(states)]

    def _mask(
        self, words: Float[Array, "rows word"], demands: Demands, states: Rows, ops: Rows
    ) -> tuple[Flags, Floats]:
        """Is the inserted word right, and how far from another; 0 if it is wrong."""
        network, table = self.networks["mask"], self._changes["mask"]
        part, changes = _word_part(network, words), demands.changes[states, ops]
        contents, wanted = demands.contents[states], demands.after_step[states, ops]
        after = self.truth.changes.after[changes]
        found: list[tuple[Flags, Floats]] = [(np.ones(0, bool), np.zeros(0, np.float32))]
        for b in _blocks(len(states)):
            logits = _case_logits(network, part, table, states[b], changes[b])
            made = judged_mask(self.truth.form, logits, *map(jnp.asarray, (contents[b], after[b], wanted[b])))
            found.append((np.asarray(made[0]), np.asarray(made[1])))
        right, margins = (np.concatenate(column)[: len(states)] for column in zip(*found, strict=True))
        return right, margins


def _blocks(count: int) -> Iterator[Rows]:
    """The numbers of `count` rows, `ROWS` at a time; the last block repeats the last row."""
    for start in range(0, count, ROWS):
        yield np.minimum(np.arange(start, start + ROWS), count - 1)


@partial(jax.jit, static_argnames="form")
def _words(form: WordForm, contents: UInt8[Array, "rows cells"]) -> Float[Array, "rows word"]:
    return jax.nn.one_hot(contents, len(form.symbols)).reshape(len(contents), form.word_bits)


@eqx.filter_jit
def _plain_logits(network: Network, inputs: Float[Array, "rows inputs"]) -> Float[Array, "rows outputs"]:
    return network(inputs)


@eqx.filter_jit
def _word_part(network: Network, words: Float[Array, "rows word"]) -> Float[Array, "rows _"]:
    """What words add to the sums of the first layer; experts need the words themselves."""
    if isinstance(network, Experts):
        return words
    weight = network.weights[0][:, : words.shape[1]]
    return jnp.matmul(words, weight.T, precision=jax.lax.Precision.HIGHEST)


def _change_part(
    form: WordForm, network: Network, changes: Float[Array, "changes bits"]
) -> Float[Array, "changes _"]:
    """What biases and local changes add to the sums of the first layer; for experts the changes."""
    if isinstance(network, Experts):
        return changes
    return Dense((network.weights[0][:, form.word_bits :],), network.biases[:1])(changes)


@eqx.filter_jit
def _case_logits(
    network: Network,
    words: Float[Array, "rows _"],
    changes: Float[Array, "changes _"],
    states: Int[Array | np.ndarray, " cases"],
    numbers: Int[Array | np.ndarray, " cases"],
) -> Float[Array, "cases outputs"]:
    if isinstance(network, Experts):
        return network(jnp.concatenate([words[states], changes[numbers]], axis=1))
    return network.after_first(words[states] + changes[numbers])


@partial(jax.jit, static_argnames="form")
def judged_mask(
    form: WordForm,
    logits: Float[Array, "cases outputs"],
    contents: UInt8[Array, "cases cells"],
    after: UInt8[Array, "cases changes"],
    wanted: UInt8[Array, "cases cells"],
) -> tuple[Bool[Array, " cases"], Float[Array, " cases"]]:
    """Does each case make the wanted word, and by what margin?

    It is the smallest gap between a chosen place and one that could spoil the word; 0 if it is spoilt.

    A place is harmless if the word wants there what is written and the change is not needed where it is.
    """
    groups = logits.reshape(-1, form.changes, form.cells + 1)
    return jax.vmap(partial(_mask_margin, form))(groups, contents, after, wanted)


def _mask_margin(
    form: WordForm,
    logits: Float[Array, "changes places"],
    contents: UInt8[Array, " cells"],
    after: UInt8[Array, " changes"],
    wanted: UInt8[Array, " cells"],
) -> tuple[Bool[Array, ""], Float[Array, ""]]:
    places, holds = logits.argmax(axis=1), after < len(form.symbols)
    other = after[:, None] != wanted[None, :]
    spoils = other & (places[:, None] == jnp.arange(form.cells)[None, :]) & holds[:, None]
    harmful = jnp.pad(other, ((0, 0), (0, 1)))
    margin = jnp.asarray(jnp.inf, logits.dtype)
    for number in range(form.changes):
        others = jnp.delete(spoils, number, axis=0).any(axis=0)
        needed = jnp.append((contents != wanted) | others, False)[places[number]]
        counts = (harmful[number] | needed) & (jnp.arange(form.cells + 1) != places[number])
        gap = jnp.where(counts, logits[number, places[number]] - logits[number], jnp.inf).min()
        margin = jnp.minimum(margin, jnp.where(holds[number], gap, jnp.inf))
    right = (put(form, contents, places, after) == wanted).all()
    return right, jnp.where(right, margin, 0.0)

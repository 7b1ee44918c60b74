"""What a module loses on a row, and whether its hardened output is wrong there.

Cross-entropy everywhere. The insertion mask of Output is never shown: the probability that the insertion
gives the wanted content is computed cell by cell, with the choice of places summed out.
"""

from collections.abc import Callable, Mapping
from typing import NamedTuple

import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float, UInt8

from nhc.data.exact import bits_of, change_of
from nhc.data.learned import alu_inputs, differences, output_inputs
from nhc.data.networks import Dense, Network, Networks
from nhc.domains.local import WordForm, direction_of, put
from nhc.domains.protocol import BRANCHING
from nhc.supervised.rows import split

FLOOR = 1e-6
"""Added to a weight before its logarithm."""

Logits = Float[Array, "rows _"]
Parts = Mapping[str, UInt8[Array, "rows _"]]


class RowOutcome(NamedTuple):
    """Per row."""

    loss: Float[Array, " rows"]
    failed: Bool[Array, " rows"]
    """Is an output wrong after hardening?  Where a gate closes a network off, that network cannot fail."""


def outcome(form: WordForm, module: str, networks: Networks, rows: UInt8[Array, "rows width"]) -> RowOutcome:
    """Loss and failure of each row of `module`."""
    judge = {"input": _equality, "transform_d": _view, "alu": _alu, "output": _output}[module]
    return judge(form, networks, split(form, module, rows))


def _equality(form: WordForm, networks: Networks, parts: Parts) -> RowOutcome:
    left, right = (bits_of(parts[name], len(form.symbols)) for name in ("left", "right"))
    logit = networks["equality"](differences(left, right))[:, 0]
    return gate(logit, (parts["left"] == parts["right"]).all(axis=1))


def _view(form: WordForm, networks: Networks, parts: Parts) -> RowOutcome:
    def judged(logits: Logits) -> RowOutcome:
        return choices(logits.reshape(-1, form.slots, form.view_symbols), parts["view"])

    word = bits_of(parts["contents"], len(form.symbols)).astype(jnp.float32)
    return shared(networks["view"], word, judged)


def _alu(form: WordForm, networks: Networks, parts: Parts) -> RowOutcome:
    op = parts["op"][:, 0].astype(jnp.int32)
    inputs = alu_inputs(op, bits_of(parts["view"], form.view_symbols))
    changed = parts["changed"][:, 0] == 1
    acts = gate(networks["acts"](inputs)[:, 0], changed)
    logits = networks["change"](inputs)
    direction = choices(logits[:, None, :BRANCHING], direction_of(op)[:, None].astype(jnp.uint8))
    after = logits[:, BRANCHING:].reshape(-1, form.changes, form.view_symbols)
    return behind(acts, changed, direction, choices(after, parts["after"]))


def _output(form: WordForm, networks: Networks, parts: Parts) -> RowOutcome:
    op = parts["op"][:, 0].astype(jnp.int32)
    word = bits_of(parts["contents"], len(form.symbols))
    change = change_of(form, direction_of(op), parts["after"])
    changed = parts["changed"][:, 0] == 1
    inputs = output_inputs(changed, change, word)
    inserts = gate(networks["inserts"](inputs)[:, 0], changed)

    def judged(logits: Logits) -> RowOutcome:
        logits = logits.reshape(-1, form.changes, form.cells + 1)
        loss = insertion_loss(form, logits, parts["contents"], parts["after"], parts["wanted"])
        result = put(form, parts["contents"], logits.argmax(axis=-1), parts["after"])
        return RowOutcome(loss, (result != parts["wanted"]).any(axis=1))

    return behind(inserts, changed, shared(networks["mask"], inputs, judged))


def shared(
    network: Network, inputs: Float[Array, "rows inputs"], judged: Callable[[Logits], RowOutcome]
) -> RowOutcome:
    """What `judged` says of the logits; experts lose by their shares, and fail by the one that is chosen.

    Each expert learns from what it says itself, not from the mixture: else the first to be fair for all
    words keeps the others from becoming perfect for a few.
    """
    found = judged(network(inputs))
    if isinstance(network, Dense):
        return found
    losses = jax.vmap(lambda logits: judged(logits).loss, in_axes=1, out_axes=1)(network.all(inputs))
    return found._replace(loss=(network.shares(inputs) * losses).sum(axis=1))


def insertion_loss(
    form: WordForm,
    logits: Float[Array, "rows changes places"],
    contents: UInt8[Array, "rows cells"],
    after: UInt8[Array, "rows changes"],
    wanted: UInt8[Array, "rows cells"],
) -> Float[Array, " rows"]:
    """Minus the summed logarithms of how much each cell holds of the wanted content.

    Each change goes to a softmax over the cells and "nowhere"; changes are inserted softly, one after the
    other. A change to the symbol beyond the word's own is never inserted.
    """
    places = jax.nn.softmax(logits, axis=-1)[..., :-1]
    weight = (contents == wanted).astype(jnp.float32)
    for number in range(form.changes):
        symbol = after[:, number, None]
        here = jnp.where(symbol < len(form.symbols), places[:, number], 0.0)
        weight = weight * (1 - here) + here * (symbol == wanted)
    return -jnp.log(weight + FLOOR).sum(axis=1)


def gate(logit: Float[Array, " rows"], opens: Bool[Array, " rows"]) -> RowOutcome:
    """A bit that is set if its logit is positive: softplus of the logit against it."""
    return RowOutcome(jax.nn.softplus(jnp.where(opens, -logit, logit)), (logit > 0) != opens)


def choices(logits: Float[Array, "rows groups symbols"], wanted: UInt8[Array, "rows groups"]) -> RowOutcome:
    """One-hot groups: the strongest symbol wins, the lowest on ties."""
    chances = jax.nn.log_softmax(logits, axis=-1)
    index = wanted.astype(jnp.int32)[..., None]
    loss = -jnp.take_along_axis(chances, index, axis=-1)[..., 0].sum(axis=1)
    return RowOutcome(loss, (logits.argmax(axis=-1) != wanted).any(axis=1))


def behind(control: RowOutcome, opens: Bool[Array, " rows"], *data: RowOutcome) -> RowOutcome:
    """A gate and what it lets through: data count only on rows where the gate should be open."""
    loss = sum((each.loss for each in data), jnp.zeros_like(control.loss))
    failed = jnp.stack([each.failed for each in data]).any(axis=0)
    return RowOutcome(control.loss + jnp.where(opens, loss, 0.0), control.failed | (opens & failed))

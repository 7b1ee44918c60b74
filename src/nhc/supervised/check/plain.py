"""The learned modules once more, in NumPy: for few cases, in float32 or float64, without compilation.

The ALU on all its views, the cases that are looked at twice, pictures, and the twin of the engine in tests.

Words, views and changes are symbol numbers here, not bits.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nhc.data.networks import SLOPE, Experts, Network, Networks
from nhc.domains.local import WordForm, direction_of, held_in, one_hot, put
from nhc.domains.protocol import BRANCHING, OPS

Symbols: TypeAlias = NDArray[np.uint8]
Floats: TypeAlias = NDArray[np.floating]
Flags: TypeAlias = NDArray[np.bool_]


class Change(NamedTuple):
    """What the ALU says: anything changed?, the direction, and the symbols of the slots after it."""

    changed: Flags
    direction: NDArray[np.intp]
    after: Symbols


def forward(network: Network, inputs: Floats, dtype: DTypeLike) -> Floats:
    """The logits of a network, computed in `dtype`; the leaky slope is the one that float32 has."""
    values = inputs.astype(dtype)
    if isinstance(network, Experts):
        return chosen(network, values, dtype)
    slope = np.asarray(np.float32(SLOPE), dtype)
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        values = values @ np.asarray(weight, dtype).T + np.asarray(bias, dtype)
        if number < len(network.weights) - 1:
            values = np.maximum(values, slope * values)
    return values


def chosen(network: Experts, values: Floats, dtype: DTypeLike) -> Floats:
    """The logits of each row's expert, that of its strongest set bit."""
    strengths, weights, biases = map(np.asarray, (network.strengths, network.weights, network.biases))
    experts = np.where(values[:, list(network.bits)] > 0, strengths, -np.inf).argmax(axis=1)
    logits = np.zeros((len(values), biases.shape[1]), dtype)
    read = values[:, -network.reads :]
    for expert in np.unique(experts):
        rows = experts == expert
        logits[rows] = read[rows] @ weights[expert].astype(dtype).T + biases[expert].astype(dtype)
    return logits


def view_logits(
    networks: Networks, form: WordForm, contents: Symbols, dtype: DTypeLike = np.float32
) -> Floats:
    """Transform_D, shape (n, slots, view symbols)."""
    words = one_hot(contents, len(form.symbols)).astype(dtype)
    return forward(networks["view"], words, dtype).reshape(len(contents), form.slots, form.view_symbols)


def alu_logits(
    networks: Networks, form: WordForm, op: NDArray[np.intp], view: Symbols, dtype: DTypeLike = np.float32
) -> tuple[Floats, Floats]:
    """ALU: the gate (n,), and the logits of direction and slots (n, change bits)."""
    bits = np.concatenate([np.eye(len(OPS))[op], one_hot(view, form.view_symbols)], axis=1)
    return forward(networks["acts"], bits, dtype)[:, 0], forward(networks["change"], bits, dtype)


def alu_change(form: WordForm, op: NDArray[np.intp], view: Symbols, gate: Floats, logits: Floats) -> Change:
    """What the ALU decides by its logits."""
    changed = gate > 0
    direction = logits[:, :BRANCHING].argmax(axis=1)
    after = logits[:, BRANCHING:].reshape(len(op), form.changes, form.view_symbols).argmax(axis=2)
    return Change(
        changed,
        np.where(changed, direction, direction_of(op)),
        np.where(changed[:, None], after, held_in(form, view, op)).astype(np.uint8),
    )


def change_bits(form: WordForm, change: Change) -> NDArray[np.uint8]:
    """The local change and c_a as Output reads them, shape (n, change bits + 1)."""
    parts = (
        np.eye(BRANCHING, dtype=np.uint8)[change.direction],
        one_hot(change.after, form.view_symbols),
        change.changed[:, None].astype(np.uint8),
    )
    return np.concatenate(parts, axis=1)


def output_logits(
    networks: Networks, form: WordForm, change: Change, contents: Symbols, dtype: DTypeLike = np.float32
) -> tuple[Floats, Floats]:
    """Output: the gate (n,) and the places (n, changes, cells + 1)."""
    words = one_hot(contents, len(form.symbols))
    bits = np.concatenate([words, change_bits(form, change)], axis=1).astype(dtype)
    places = forward(networks["mask"], bits, dtype).reshape(len(contents), form.changes, form.cells + 1)
    return forward(networks["inserts"], bits, dtype)[:, 0], places


def output_contents(
    form: WordForm, gate: Floats, places: Floats, after: Symbols, contents: Symbols
) -> Symbols:
    """The word that Output makes."""
    return put(form, contents, np.where(gate[:, None] > 0, places.argmax(axis=2), -1), after)


def composed(
    networks: Networks, form: WordForm, op: NDArray[np.intp], contents: Symbols, dtype: DTypeLike = np.float32
) -> Symbols:
    """Transform_D, ALU and Output in a row."""
    view = view_logits(networks, form, contents, dtype).argmax(axis=2).astype(np.uint8)
    change = alu_change(form, op, view, *alu_logits(networks, form, op, view, dtype))
    gate, places = output_logits(networks, form, change, contents, dtype)
    return output_contents(form, gate, places, change.after, contents)


def group_margins(logits: Floats, right: NDArray[np.integer]) -> tuple[Flags, Floats]:
    """Of groups (n, groups, symbols): are all decided as `right` (n, groups), and the smallest margin.

    A margin is the right symbol's logit minus the largest other one.
    """
    chosen = np.take_along_axis(logits, right[..., None].astype(np.intp), axis=2)
    others = logits.copy()
    np.put_along_axis(others, right[..., None].astype(np.intp), -np.inf, axis=2)
    correct = (logits.argmax(axis=2) == right).all(axis=1)
    return correct, (chosen[..., 0] - others.max(axis=2)).min(axis=1)

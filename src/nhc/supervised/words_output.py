"""Output of linear experts on every word of a world: does its gate open rightly, is each change put right?"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import Dense
from nhc.data.experts import Experts
from nhc.data.learned import Network
from nhc.domains.local import CasedWorld, LocalStateT, WordCase, WordForm, direction_of, held_in, slots_of
from nhc.domains.protocol import OPS
from nhc.errors import ConfigError
from nhc.supervised.check.plain import Change, change_bits
from nhc.supervised.rounding import Floats, Found, Symbols, expert_of, extreme, sum_error


def output_decisions(world: CasedWorld[LocalStateT], networks: Mapping[str, Network]) -> Iterator[Found]:
    """Output: for each case, view and operation, does the gate open rightly, and is each change put right?"""
    mask, gate, form = networks["mask"], networks["inserts"], world.form
    assert isinstance(mask, Experts) and isinstance(gate, Dense), "provable"
    known = {view.tobytes() for view in np.asarray(world.views(), np.uint8)}
    for case in world.word_cases():
        expert, choice = expert_of(mask, form, case)
        yield choice
        changes = changes_of(world, case, known)
        yield from gate_decisions(form, case, changes, gate)
        yield from mask_decisions(form, case, changes, mask, expert)


class Changes(NamedTuple):
    """The local changes of a case, each with a word's view and the operation that lead to it."""

    views: Symbols
    ops: NDArray[np.intp]
    changed: NDArray[np.bool_]
    after: Symbols
    held: Symbols
    """What the operation's slots hold before it."""
    targets: NDArray[np.integer]
    """Their cells."""
    bits: Floats
    """The local change and c_a as Output reads them."""


def changes_of(world: CasedWorld[LocalStateT], case: WordCase, known: set[bytes]) -> Changes:
    """Every view of a case with every operation; `known` are the world's views.

    Raises ConfigError (`world.views`) if a case is none: it shows a cell twice, or a view the world lacks.
    """
    form = world.form
    shown = [
        np.array([form.beyond]) if cell < 0 else np.flatnonzero(case.allowed[cell])
        for cell in case.cells.tolist()
    ]
    grid = np.stack(np.meshgrid(*shown, indexing="ij"), axis=-1).reshape(-1, form.slots).astype(np.uint8)
    ops, views = np.tile(np.arange(len(OPS)), len(grid)), np.repeat(grid, len(OPS), axis=0)
    changed, after = (np.asarray(part) for part in world.act(views, ops))
    seen = case.cells[case.cells >= 0]
    if len({*seen.tolist()}) < len(seen) or any(view.tobytes() not in known for view in grid):
        raise ConfigError("world.views", f"{world.name}: a case shows a cell twice, or a view of no state")
    change = Change(np.asarray(changed), direction_of(ops), after.astype(np.uint8))
    bits = change_bits(form, change).astype(np.float64)
    held, targets = held_in(form, views, ops), case.cells[slots_of(form, ops)]
    return Changes(views, ops, change.changed, change.after, held, targets, bits)


def gate_decisions(form: WordForm, case: WordCase, changes: Changes, gate: Dense) -> Iterator[Found]:
    """c_o = c_a: the gate's worst logit over the cells outside the view, per view and operation.

    Of all views and operations the worst of each operation, changing or not, comes back.
    """
    weights, bias = np.asarray(gate.weights[0][0], np.float64), float(gate.biases[0][0])
    word = weights[: form.word_bits].reshape(form.cells, -1)
    seen = case.cells >= 0
    outside = np.setdiff1d(np.arange(form.cells), case.cells[seen])
    allowed = case.allowed.copy()
    allowed[np.setdiff1d(np.arange(form.cells), outside)] = False
    inside = word[case.cells[seen]][np.arange(seen.sum()), changes.views[:, seen]].sum(axis=1)
    logits = inside + changes.bits @ weights[form.word_bits :] + bias
    largest = np.where(case.allowed, abs(word), 0.0).max(axis=1).sum() + abs(weights[form.word_bits :]).sum()
    error = float(sum_error(len(weights) + 1, np.asarray(largest + abs(bias))))
    for opens, sign in ((True, 1.0), (False, -1.0)):
        least, contents = extreme(sign * word, allowed)
        margins = sign * logits + least - error
        for op in range(len(OPS)):
            rows = np.flatnonzero((changes.changed == opens) & (changes.ops == op))
            if len(rows):
                row = rows[margins[rows].argmin()]
                yield Found(float(margins[row]), with_view(contents, case, changes.views[row]), op)


def mask_decisions(
    form: WordForm, case: WordCase, changes: Changes, mask: Experts, expert: int
) -> Iterator[Found]:
    """Where each change goes, once for all views and operations that Output cannot tell apart."""
    rows = np.flatnonzero(changes.changed)
    if not len(rows):
        return
    # Views with the same change may differ in what the slots held: then less may be left out.
    keys = np.concatenate([changes.bits[rows], changes.held[rows]], axis=1)
    rows = rows[np.unique(keys, axis=0, return_index=True)[1]]
    weights = np.asarray(mask.weights[expert], np.float64)
    biases = np.asarray(mask.biases[expert], np.float64)
    places = (changes.bits[rows] @ weights.T + biases).reshape(len(rows), form.changes, form.cells + 1)
    errors = sum_error(mask.reads + 1, abs(weights).sum(axis=1) + abs(biases))
    error = errors.reshape(form.changes, form.cells + 1).max(axis=1)
    only = case.allowed.sum(axis=1) == 1
    for row, logits in zip(rows.tolist(), places, strict=True):
        for number in range(form.changes):
            harmless = harmless_places(form, case, changes, row, number, only)
            right = np.where(harmless, logits[number], -np.inf)
            wrong = np.where(harmless, -np.inf, logits[number])
            margin = float(right.max() - wrong.max() - 2 * error[number])
            contents = with_view(case.allowed.argmax(axis=1).astype(np.uint8), case, changes.views[row])
            spoilt(case, contents, int(wrong.argmax()), int(changes.after[row, number]))
            yield Found(margin, contents, int(changes.ops[row]))


def harmless_places(
    form: WordForm, case: WordCase, changes: Changes, row: int, number: int, only: NDArray[np.bool_]
) -> NDArray[np.bool_]:
    """The places, cells and "nowhere", where a change does no harm; it does what it must at its own cell."""
    symbol, target = int(changes.after[row, number]), int(changes.targets[row, number])
    harmless = np.zeros(form.cells + 1, bool)
    if symbol >= len(form.symbols):
        harmless[:] = True
        return harmless
    harmless[:-1] = only & case.allowed[:, symbol]
    harmless[changes.targets[row]] = False
    harmless[-1] = target < 0 or symbol == changes.held[row, number]
    if target >= 0:
        harmless[target] = True
    return harmless


def spoilt(case: WordCase, contents: Symbols, place: int, symbol: int) -> None:
    """Make a wrong place show, where that is possible: its cell must not hold the symbol already."""
    outside = place < len(contents) and place not in case.cells
    others = np.flatnonzero(case.allowed[place]) if outside else np.zeros(0, np.intp)
    others = others[others != symbol]
    if len(others):
        contents[place] = others[0]


def with_view(contents: Symbols, case: WordCase, view: Symbols) -> Symbols:
    """The word with a view's symbols in the cells that it shows."""
    word, seen = contents.copy(), case.cells >= 0
    word[case.cells[seen]] = view[seen]
    return word

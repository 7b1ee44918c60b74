"""Transform_D and Output proved for every word of a world, where they are made of linear experts.

The words fall into cases (`nhc.domains.local.WordCase`). In a case one bit is set in every word and stronger
than every other bit that can be set: then one expert decides. Its logits are sums over cells, and cells are
independent of each other, so the least difference between the right logit and another one is a sum of least
parts. It has to exceed a bound on the float32 error of both sums, whatever their order. This covers more
than the states: any number of boxes and walls.

All arithmetic here is float64, whose own error is far below the bound.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import Dense
from nhc.data.experts import Experts
from nhc.data.learned import Network
from nhc.domains.local import CasedWorld, LocalStateT, LocalWorld, Numbers, WordCase, WordForm, slots_of
from nhc.domains.protocol import NOP, OPS

ROUNDING = 2.0**-24
"""Relative error of one float32 operation."""

Floats = NDArray[np.float64]
Symbols = NDArray[np.uint8]


class WordsProof(NamedTuple):
    """What is known about a module on all words of a world."""

    cases: int
    """Decisions whose worst words were computed."""
    failures: int
    """Of these, how many are not proved."""
    margin: float
    """The least difference of logits, less the bound on its float32 error."""
    contents: Symbols
    """The worst words of the least certain decisions, (words, cells); worst first."""
    ops: NDArray[np.intp]
    """For Output the operation of each; 0 for Transform_D."""
    margins: Floats
    """Of each."""

    @property
    def proved(self) -> bool:
        """Is every decision right on every word?"""
        return self.failures == 0


class _Found(NamedTuple):
    """The worst word of one decision."""

    margin: float
    contents: Symbols
    op: int


def provable(module: str, networks: Mapping[str, Network]) -> bool:
    """Are the networks of a module of the form that can be proved?"""
    if module == "transform_d":
        return isinstance(networks["view"], Experts)
    if module != "output":
        return False
    gate = networks["inserts"]
    return isinstance(networks["mask"], Experts) and isinstance(gate, Dense) and len(gate.weights) == 1


def prove_words(
    world: CasedWorld[LocalStateT], module: str, networks: Mapping[str, Network], keep: int = 4096
) -> WordsProof:
    """Try to prove Transform_D or Output; at most `keep` words come back, which are worth learning from."""
    decisions = view_decisions if module == "transform_d" else output_decisions
    found = sorted(decisions(world, networks), key=lambda one: one.margin)
    worst = found[:keep]
    return WordsProof(
        cases=len(found),
        failures=sum(1 for one in found if one.margin <= 0),
        margin=found[0].margin,
        contents=np.stack([one.contents for one in worst]),
        ops=np.array([one.op for one in worst]),
        margins=np.array([one.margin for one in worst]),
    )


def proofs_of(world: LocalWorld[LocalStateT], networks: Mapping[str, Network]) -> dict[str, WordsProof]:
    """The proofs of Transform_D and Output, of those that can be tried."""
    if not isinstance(world, CasedWorld):
        return {}
    named = [
        name
        for name, needs in (("transform_d", {"view"}), ("output", {"inserts", "mask"}))
        if needs <= networks.keys() and provable(name, networks)
    ]
    return {name: prove_words(world, name, networks) for name in named}


def expert_of(network: Experts, form: WordForm, case: WordCase) -> tuple[int, _Found]:
    """The expert that decides in every word of a case, and the word in which another is strongest.

    Without any bit that is set in all words there is none, and margin minus infinity. Strengths are stored
    numbers that are only compared, so there is no rounding.
    """
    symbols = len(form.symbols)
    cell, symbol = np.array(network.bits) // symbols, np.array(network.bits) % symbols
    possible = case.allowed[cell, symbol]
    always = possible & (case.allowed.sum(axis=1) == 1)[cell]
    strengths = np.asarray(network.strengths, np.float64)
    contents = case.allowed.argmax(axis=1).astype(np.uint8)
    if not always.any():
        return 0, _Found(-np.inf, contents, 0)
    expert = int(np.where(always, strengths, -np.inf).argmax())
    rivals = np.where(possible, strengths, -np.inf)
    rivals[expert] = -np.inf
    rival = int(rivals.argmax())
    if possible[rival]:
        contents[cell[rival]] = symbol[rival]
    return expert, _Found(float(strengths[expert] - rivals[rival]), contents, 0)


def deciding(world: CasedWorld[LocalStateT], network: Experts) -> tuple[int, ...]:
    """The experts that decide; none unless one surely decides in each case. The others can be left out."""
    choices = [expert_of(network, world.form, case) for case in world.word_cases()]
    if any(choice.margin <= 0 for _, choice in choices):
        return ()
    return tuple(sorted({expert for expert, _ in choices}))


def view_decisions(world: CasedWorld[LocalStateT], networks: Mapping[str, Network]) -> Iterator[_Found]:
    """Transform_D: for each case, slot, symbol that it can show and symbol that it must not be taken for."""
    network, form = networks["view"], world.form
    assert isinstance(network, Experts), "provable"
    for case in world.word_cases():
        expert, choice = expert_of(network, form, case)
        yield choice
        weights = np.asarray(network.weights[expert], np.float64)
        weights = weights.reshape(form.slots, form.view_symbols, form.cells, len(form.symbols))
        biases = np.asarray(network.biases[expert], np.float64).reshape(form.slots, form.view_symbols)
        error = rounding(weights, biases, case)
        for slot, cell in enumerate(case.cells.tolist()):
            shown = [form.beyond] if cell < 0 else np.flatnonzero(case.allowed[cell]).tolist()
            for right, other in product(shown, range(form.view_symbols)):
                if right == other:
                    continue
                allowed = case.allowed.copy()
                if cell >= 0:
                    allowed[cell] = np.arange(len(form.symbols)) == right
                least, contents = extreme(weights[slot, right] - weights[slot, other], allowed)
                difference = least + biases[slot, right] - biases[slot, other]
                yield _Found(difference - error[slot, right] - error[slot, other], contents, 0)


def output_decisions(world: CasedWorld[LocalStateT], networks: Mapping[str, Network]) -> Iterator[_Found]:
    """Output: for each case, view and operation, does the gate open rightly, and is each change put right?"""
    mask, gate, form = networks["mask"], networks["inserts"], world.form
    assert isinstance(mask, Experts) and isinstance(gate, Dense), "provable"
    for case in world.word_cases():
        expert, choice = expert_of(mask, form, case)
        yield choice
        changes = changes_of(world, case)
        yield from gate_decisions(form, case, changes, gate)
        yield from mask_decisions(form, case, changes, mask, expert)


class _Changes(NamedTuple):
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


def changes_of(world: LocalWorld[LocalStateT], case: WordCase) -> _Changes:
    """Every view of a case with every operation."""
    form = world.form
    shown = [
        np.array([form.beyond]) if cell < 0 else np.flatnonzero(case.allowed[cell])
        for cell in case.cells.tolist()
    ]
    grid = np.stack(np.meshgrid(*shown, indexing="ij"), axis=-1).reshape(-1, form.slots).astype(np.uint8)
    ops, views = np.tile(np.arange(len(OPS)), len(grid)), np.repeat(grid, len(OPS), axis=0)
    changed, after = (np.asarray(part) for part in world.act(cast(Numbers, views), cast(Numbers, ops)))
    slots = np.asarray(slots_of(form, cast(Numbers, ops)))
    held = np.take_along_axis(views, slots, axis=1)
    direction = np.where(ops == NOP, 0, ops)
    symbols = after[..., None] == np.arange(form.view_symbols)
    parts = (np.eye(4)[direction], symbols.reshape(len(ops), -1), changed[:, None])
    bits = np.concatenate([part.astype(np.float64) for part in parts], axis=1)
    return _Changes(views, ops, changed, after.astype(np.uint8), held, case.cells[slots], bits)


def gate_decisions(form: WordForm, case: WordCase, changes: _Changes, gate: Dense) -> Iterator[_Found]:
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
    error = 2 * bound(len(weights) + 1) * (float(largest) + abs(bias))
    for opens, sign in ((True, 1.0), (False, -1.0)):
        least, contents = extreme(sign * word, allowed)
        margins = sign * logits + least - error
        for op in range(len(OPS)):
            rows = np.flatnonzero((changes.changed == opens) & (changes.ops == op))
            if len(rows):
                row = rows[margins[rows].argmin()]
                yield _Found(float(margins[row]), with_view(contents, case, changes.views[row]), op)


def mask_decisions(
    form: WordForm, case: WordCase, changes: _Changes, mask: Experts, expert: int
) -> Iterator[_Found]:
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
    largest = abs(weights).sum(axis=1) + abs(biases)
    error = (2 * bound(mask.reads + 1) * largest).reshape(form.changes, form.cells + 1).max(axis=1)
    only = case.allowed.sum(axis=1) == 1
    for row, logits in zip(rows.tolist(), places, strict=True):
        for number in range(form.changes):
            harmless = harmless_places(form, case, changes, row, number, only)
            right = np.where(harmless, logits[number], -np.inf)
            wrong = np.where(harmless, -np.inf, logits[number])
            margin = float(right.max() - wrong.max() - error[number])
            contents = with_view(case.allowed.argmax(axis=1).astype(np.uint8), case, changes.views[row])
            spoilt(case, contents, int(wrong.argmax()), int(changes.after[row, number]))
            yield _Found(margin, contents, int(changes.ops[row]))


def harmless_places(
    form: WordForm, case: WordCase, changes: _Changes, row: int, number: int, only: NDArray[np.bool_]
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


def extreme(weights: Floats, allowed: NDArray[np.bool_]) -> tuple[float, Symbols]:
    """The least sum over cells of one allowed symbol's weight each, and the word; cells without any add 0."""
    counted = np.where(allowed, weights, np.inf)
    word = counted.argmin(axis=1)
    least = counted[np.arange(len(word)), word]
    return float(least[np.isfinite(least)].sum()), word.astype(np.uint8)


def rounding(weights: Floats, biases: Floats, case: WordCase) -> Floats:
    """A bound on the float32 error of each logit over all words of a case, in any order of summation.

    Products with bits are exact, and so is adding zero: a sum of n numbers errs by at most
    (n - 1) u / (1 - (n - 1) u) times the sum of their sizes (Higham 2002, section 4.2), u = 2^-24. Doubled,
    to cover the float64 error here.
    """
    largest = np.where(case.allowed, abs(weights), 0.0).max(axis=-1).sum(axis=-1) + abs(biases)
    return 2 * bound(weights.shape[-2] + 1) * largest


def bound(terms: int) -> float:
    """The relative error of a float32 sum of so many numbers."""
    return (terms - 1) * ROUNDING / (1 - (terms - 1) * ROUNDING)

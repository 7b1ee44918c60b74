"""Transform_D and Output proved for every word of a world, where they are made of linear experts.

The words fall into cases (`nhc.domains.local.WordCase`). In a case one bit is set in every word and stronger
than every other bit that can be set: then one expert decides. Its logits are sums over cells, and cells are
independent of each other, so the least difference between the right logit and another one is a sum of least
parts. It has to exceed a bound on the float32 error of both sums, whatever their order. This covers more
than the states: any number of boxes and walls.

All arithmetic here is float64; the bound covers its error too.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from nhc.data.networks import Dense, Experts, Networks, dense
from nhc.domains.local import (
    CasedWorld,
    FiniteWorld,
    WordCase,
    WordForm,
    direction_of,
    held_in,
    slots_of,
)
from nhc.domains.protocol import OPS, StateT
from nhc.errors import ConfigError
from nhc.supervised.check.plain import Change, change_bits
from nhc.supervised.check.report import CaseCounts
from nhc.supervised.rounding import (
    Floats,
    Found,
    Symbols,
    expert_of,
    extreme,
    layers_error,
    one_of_each,
    rounding,
    sum_error,
)

KEPT = 4096
"""Words that come back, at most."""


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


def provable(module: str, networks: Networks) -> bool:
    """Are the networks of a module there, and of the form that can be proved?"""
    if module != "output":
        return module == "transform_d" and isinstance(networks.get("view"), Experts)
    gate = networks.get("inserts")
    return isinstance(networks.get("mask"), Experts) and isinstance(gate, Dense) and len(gate.weights) == 1


def prove_words(world: CasedWorld[StateT], module: str, networks: Networks) -> WordsProof:
    """Try to prove Transform_D or Output; the worst words come back: they are worth learning from.

    Weights that are not finite prove nothing, and no word shows it.
    """
    if not all(np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(dict(networks))):
        none = np.zeros(0)
        return WordsProof(1, 1, -np.inf, np.zeros((0, world.form.cells), np.uint8), none.astype(int), none)
    decisions = view_decisions if module == "transform_d" else output_decisions
    found = sorted(decisions(world, networks), key=lambda one: one.margin)
    worst = found[:KEPT]
    return WordsProof(
        cases=len(found),
        failures=sum(1 for one in found if not one.margin > 0),
        margin=found[0].margin,
        contents=np.stack([one.contents for one in worst]),
        ops=np.array([one.op for one in worst]),
        margins=np.array([one.margin for one in worst]),
    )


def proofs_of(world: FiniteWorld[StateT], networks: Networks) -> dict[str, WordsProof]:
    """The proofs of Transform_D and Output, of those that can be tried."""
    if not isinstance(world, CasedWorld):
        return {}
    named = [name for name in ("transform_d", "output") if provable(name, networks)]
    return {name: prove_words(world, name, networks) for name in named}


def proved_margins(
    form: WordForm, networks: Networks, proofs: Mapping[str, WordsProof], alu: CaseCounts | None
) -> dict[str, float]:
    """The modules that are proved for all words by `proofs_of`, with their least margins.

    If Transform_D and Output are, and the ALU is right on every view by more than float32 may cost it, so are
    the three in a row.
    """
    margins = {name: proof.margin for name, proof in proofs.items() if proof.proved}
    if len(margins) == 2 and alu is not None and alu.passed:
        # A decision compares two logits, or one with zero.
        margin = alu.margin - 2 * alu_error(form, networks)
        if margin > 0:
            margins["composed"] = min(*margins.values(), margin)
    return margins


def alu_error(form: WordForm, networks: Networks) -> float:
    """A bound on the float32 error of the ALU's logits, over all operations and views."""
    groups = (len(OPS), *[form.view_symbols] * form.slots)
    parts = [dense(networks, name) for name in ("acts", "change")]
    return max(layers_error(part, one_of_each(part, groups)) for part in parts)


def deciding(world: CasedWorld[StateT], network: Experts) -> tuple[int, ...]:
    """The experts that decide; none unless one surely decides in each case. The others can be left out."""
    choices = [expert_of(network, world.form, case) for case in world.word_cases()]
    if not all(choice.margin > 0 for _, choice in choices):
        return ()
    return tuple(sorted({expert for expert, _ in choices}))


def view_decisions(world: CasedWorld[StateT], networks: Networks) -> Iterator[Found]:
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
                yield Found(difference - error[slot, right] - error[slot, other], contents, 0)


def output_decisions(world: CasedWorld[StateT], networks: Networks) -> Iterator[Found]:
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


def changes_of(world: CasedWorld[StateT], case: WordCase, known: set[bytes]) -> Changes:
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
    allowed, seen = case.allowed.copy(), case.cells >= 0
    allowed[case.cells[seen]] = False
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
    if symbol >= len(form.symbols):
        return np.ones(form.cells + 1, bool)
    harmless = np.append(only & case.allowed[:, symbol], False)
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

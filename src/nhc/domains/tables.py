"""The rules of a small world as tables: every state, its successors, its view, and what each view becomes.

States and views are found by their numbers, which fit into 32 bits: that is what JAX and NumPy share.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import WordForm, view_of
from nhc.domains.protocol import BRANCHING
from nhc.errors import InputError

Step: TypeAlias = Callable[[str, int], str]
"""State and operation 0..3 -> the state after it."""
Look: TypeAlias = Callable[[str], Sequence[int | None]]
"""State -> the cell that each slot of the view shows, None for none."""

LARGEST_NUMBER = 2**31 - 1
MOST_STATES = 200_000


class Tables(NamedTuple):
    """n states and v views, both in the order of their numbers."""

    form: WordForm
    """How words, views and changes are made of cells."""
    numbers: NDArray[np.int32]
    """(n,)"""
    contents: NDArray[np.uint8]
    """(n, cells)"""
    successors: NDArray[np.int32]
    """(4, n): the number of the state after each operation."""
    seen: NDArray[np.int32]
    """(n, slots): the cell in each slot, -1 for none."""
    view_numbers: NDArray[np.int32]
    """(v,)"""
    views: NDArray[np.uint8]
    """(v, slots)"""
    changed: NDArray[np.bool_]
    """(v, 5): does the operation, or `nop`, change anything?"""
    after: NDArray[np.uint8]
    """(v, 5, changes): what its slots hold after it."""


def tabulated(form: WordForm, states: Iterable[str], step: Step, look: Look) -> Tables:
    """Ask the rules about every state.

    Raises InputError: `world.symbols`, `world.states`, `world.view`, `world.reach`, and `world.act` if what
    an operation does depends on more than the view.
    """
    texts = ordered(form, states)
    contents = np.array([[form.symbols.index(sign) for sign in text] for text in texts], np.uint8)
    seen = np.array([cells_seen(form, text, look(text)) for text in texts], np.int32)
    ranks = {text: rank for rank, text in enumerate(texts)}
    successors = np.array(
        [[successor(ranks, text, step(text, op), op) for op in range(BRANCHING)] for text in texts]
    )
    numbers = (contents.astype(np.int64) @ places(len(form.symbols), form.cells)).astype(np.int32)
    changed, held = effects(form, texts, contents, seen, successors)
    views = view_of(form, contents, seen)
    view_numbers, first, which = np.unique(
        views.astype(np.int64) @ places(form.view_symbols, form.slots),
        return_index=True,
        return_inverse=True,
    )
    same = (held == held[first][which]).all(axis=2) & (changed == changed[first][which])
    for row, op in np.argwhere(~same)[:1].tolist():
        message = (
            f"the states {texts[first[which[row]]]!r} and {texts[row]!r} show the same view, but operation"
        )
        raise InputError("world.act", f"{message} {op} changes them differently: the view must decide")
    idle = views[first][:, None, list(form.reach[0])]
    return Tables(
        form=form,
        numbers=numbers,
        contents=contents,
        successors=numbers[successors.T],
        seen=seen,
        view_numbers=view_numbers.astype(np.int32),
        views=views[first],
        changed=np.pad(changed[first], ((0, 0), (0, 1))),
        after=np.concatenate([held[first], idle], axis=1),
    )


def effects(
    form: WordForm,
    texts: list[str],
    contents: NDArray[np.uint8],
    seen: NDArray[np.int32],
    successors: NDArray[np.intp],
) -> tuple[NDArray[np.bool_], NDArray[np.uint8]]:
    """Per state and operation: does it change anything (n, 4), what do its slots hold then (n, 4, changes)?

    Raises InputError (`world.reach`) if an operation changes a cell that none of its slots shows.
    """
    changed = np.zeros(successors.shape, bool)
    held = np.empty((*successors.shape, form.changes), np.uint8)
    for op, reach in enumerate(form.reach):
        slots = np.array(reach)
        after, reached = contents[successors[:, op]], seen[:, slots]
        moved = after != contents
        shown = (reached[..., None] == np.arange(form.cells)).any(axis=1)
        for row, cell in np.argwhere(moved & ~shown)[:1].tolist():
            message = f"operation {op} changes cell {cell} of {texts[row]!r}, which none of its slots"
            raise InputError("world.reach", f"{message} {list(reach)} shows")
        changed[:, op] = moved.any(axis=1)
        held[:, op] = view_of(form, after, reached)
    return changed, held


def places(base: int, count: int) -> NDArray[np.int32]:
    """What a one in each place of a number is worth, the first least: `base` to the power of its place."""
    return np.array([base**place for place in range(count)], np.int32)


def number_of(form: WordForm, text: str) -> int:
    """The number of a state. Raises InputError (`world.symbols`) for another length or other signs."""
    if not is_text(text, form):
        message = f"expected a state of {form.cells} signs of {''.join(form.symbols)!r}, found {text!r}"
        raise InputError("world.symbols", message)
    return sum(form.symbols.index(sign) * len(form.symbols) ** cell for cell, sign in enumerate(text))


def is_text(value: object, form: WordForm) -> TypeGuard[str]:
    """Is it a text of as many symbols as there are cells?"""
    return isinstance(value, str) and len(value) == form.cells and {*value} <= {*form.symbols}


def ordered(form: WordForm, states: Iterable[str]) -> list[str]:
    """The states by number. Raises InputError: `world.symbols`, and `world.states` if one comes twice."""
    texts = sorted(states, key=lambda text: number_of(form, text))
    for text, following in pairwise(texts):
        if text == following:
            raise InputError("world.states", f"the state {text!r} comes twice")
    return texts


def cells_seen(form: WordForm, text: str, cells: Sequence[int | None]) -> tuple[int, ...]:
    """The cell in each slot, -1 for none. Raises InputError (`world.view`)."""
    found = tuple(-1 if cell is None else cell for cell in cells)
    if len(found) != form.slots or not all(-1 <= cell < form.cells for cell in found):
        expected = f"{form.slots} cells of 0..{form.cells - 1}, or None for a slot that shows none"
        raise InputError("world.view", f"the view of {text!r}: expected {expected}; found {list(cells)}")
    return found


def successor(ranks: dict[str, int], text: str, after: str, op: int) -> int:
    """The place of the state after an operation. Raises InputError (`world.states`) outside the family."""
    if after not in ranks:
        message = f"operation {op} leads from {text!r} to {after!r}, which is not among the states"
        raise InputError("world.states", message)
    return ranks[after]

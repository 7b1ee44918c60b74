"""The rules of a small world as tables: every state, its successors, its view, and what each view becomes.

States and views are found by their numbers, which fit into 32 bits: that is what JAX and NumPy share.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeAlias, TypeGuard

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import WordForm
from nhc.domains.protocol import BRANCHING
from nhc.errors import InputError

Step: TypeAlias = Callable[[str, int], str]
"""State and operation 0..3 -> the state after it."""
Look: TypeAlias = Callable[[str], Sequence[int | None]]
"""State -> the cell that each slot of the view shows, None for none."""
Effect: TypeAlias = tuple[bool, tuple[int, ...]]
"""Does the operation change anything, and what its slots hold after it."""

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

    Raises InputError: `world.symbols`, `world.states`, `world.view`, `world.reach`, `world.act`.
    """
    texts = ordered(form, states)
    rank = {text: number for number, text in enumerate(texts)}
    numbers = np.array([number_of(form, text) for text in texts], np.int32)
    seen = [cells_seen(form, text, look(text)) for text in texts]
    after = [[successor(rank, text, step(text, op), op) for op in range(BRANCHING)] for text in texts]
    effects = view_effects(form, texts, seen, after)
    views = np.array(list(effects), np.uint8).reshape(len(effects), form.slots)
    view_numbers = views.astype(np.int64) @ places(form.view_symbols, form.slots)
    order = np.argsort(view_numbers)
    rows = [(*effect, (False, held_by(form, view, 0))) for view, effect in effects.items()]
    return Tables(
        form=form,
        numbers=numbers,
        contents=np.array([[form.symbols.index(sign) for sign in text] for text in texts], np.uint8),
        successors=numbers[np.array([[rank[text] for text in row] for row in after]).T],
        seen=np.array(seen, np.int32).reshape(len(texts), form.slots),
        view_numbers=view_numbers[order].astype(np.int32),
        views=views[order],
        changed=np.array([[changed for changed, _ in row] for row in rows])[order],
        after=np.array([[held for _, held in row] for row in rows], np.uint8)[order],
    )


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


def successor(rank: dict[str, int], text: str, after: str, op: int) -> str:
    """The state after an operation. Raises InputError (`world.states`) if it is not of the family."""
    if after not in rank:
        message = f"operation {op} leads from {text!r} to {after!r}, which is not among the states"
        raise InputError("world.states", message)
    return after


def view_effects(
    form: WordForm, texts: list[str], seen: list[tuple[int, ...]], after: list[list[str]]
) -> dict[tuple[int, ...], tuple[Effect, ...]]:
    """What each operation does to each view.

    Raises InputError: `world.reach`, and `world.act` if what an operation does depends on more than the view.
    """
    effects: dict[tuple[int, ...], tuple[Effect, ...]] = {}
    witness: dict[tuple[int, ...], str] = {}
    for text, cells, successors in zip(texts, seen, after, strict=True):
        view = tuple(form.beyond if cell < 0 else form.symbols.index(text[cell]) for cell in cells)
        found = tuple(effect_of(form, text, cells, successors[op], op) for op in range(BRANCHING))
        first = witness.setdefault(view, text)
        for op, (mine, other) in enumerate(zip(found, effects.setdefault(view, found), strict=True)):
            if mine != other:
                message = f"the states {first!r} and {text!r} show the same view, but operation {op} changes "
                raise InputError("world.act", message + "them differently: the view must decide")
    return effects


def effect_of(form: WordForm, text: str, cells: tuple[int, ...], after: str, op: int) -> Effect:
    """What an operation does to a view. Raises InputError (`world.reach`) if it changes another cell."""
    reached = [cells[slot] for slot in form.reach[op]]
    for cell, (sign, then) in enumerate(zip(text, after, strict=True)):
        if sign != then and cell not in reached:
            message = f"operation {op} changes cell {cell} of {text!r}, which none of its slots "
            raise InputError("world.reach", f"{message}{list(form.reach[op])} shows")
    held = tuple(form.beyond if cell < 0 else form.symbols.index(after[cell]) for cell in reached)
    return after != text, held


def held_by(form: WordForm, view: tuple[int, ...], op: int) -> tuple[int, ...]:
    """What the slots of an operation hold before it."""
    return tuple(view[slot] for slot in form.reach[op])

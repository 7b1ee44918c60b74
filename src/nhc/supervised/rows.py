"""Training rows: one example of a module's task as a few small whole numbers, labelled by the world's rules.

A row holds symbol numbers, not bits: bad memories and counterexamples stay small, and bits are made where
the network needs them. A row says everything that its loss needs, so a row is right for ever. Fresh rows are
drawn: states come from the world's sampler and operations are uniform. The views of the ALU are uniform among
all that the world names, so rare ones are learned too.
"""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from jaxtyping import Array, UInt8
from numpy.typing import NDArray

from nhc.domains.local import FiniteWorld, WordForm, inserted, view_of
from nhc.domains.protocol import OPS, StateT

KINDS = 4
"""Of pairs for Input: identical, two cells swapped, one cell changed, two states."""

ArrayT = TypeVar("ArrayT", NDArray[np.uint8], UInt8[Array, "rows _"])


def columns(form: WordForm, module: str) -> dict[str, int]:
    """The parts of a module's rows in their order, and how many numbers each has.

    input: the contents of both words. transform_d: contents, and the symbol of each slot in view. alu: the
    view, the operation (0..4), does anything change (0 or 1), and what the operation's slots hold after it.
    output: contents, operation, changed and after as for alu, and the contents wanted.
    """
    return {
        "input": {"left": form.cells, "right": form.cells},
        "transform_d": {"contents": form.cells, "view": form.slots},
        "alu": {"view": form.slots, "op": 1, "changed": 1, "after": form.changes},
        "output": {
            "contents": form.cells,
            "op": 1,
            "changed": 1,
            "after": form.changes,
            "wanted": form.cells,
        },
    }[module]


def width(form: WordForm, module: str) -> int:
    """Numbers of a row."""
    return sum(columns(form, module).values())


def packed(form: WordForm, module: str, parts: Mapping[str, NDArray[np.generic]]) -> NDArray[np.uint8]:
    """Rows of the named parts, each of shape (rows, n), or (rows,) for a single number."""
    count = len(next(iter(parts.values())))
    names = columns(form, module)
    return np.concatenate(
        [np.asarray(parts[name], np.uint8).reshape(count, size) for name, size in names.items()], axis=1
    )


def split(form: WordForm, module: str, rows: ArrayT) -> dict[str, ArrayT]:
    """The parts of rows, each of shape (rows, n)."""
    parts, start = {}, 0
    for name, size in columns(form, module).items():
        parts[name] = rows[:, start : start + size]
        start += size
    return parts


def fresh_rows(
    world: FiniteWorld[StateT], module: str, rng: np.random.Generator, count: int
) -> NDArray[np.uint8]:
    """`count` independent rows of a module, uint8 (count, width); consumes `rng`."""
    if module == "input":
        return pair_rows(world, rng, count)
    if module == "alu":
        views = world.views()
        symbols = views[rng.integers(len(views), size=count)]
    else:
        symbols = world.contents(world.sample(rng, count))
    if module == "transform_d":
        return labelled(world, module, symbols, np.zeros(count, np.intp))
    return labelled(world, module, symbols, rng.integers(len(OPS), size=count))


def labelled(
    world: FiniteWorld[StateT], module: str, symbols: NDArray[np.uint8], ops: NDArray[np.integer]
) -> NDArray[np.uint8]:
    """Rows of Transform_D, the ALU or Output, by the rule on views; `ops`, (rows,), count for the last two.

    `symbols` are views (rows, slots) for the ALU, else words (rows, cells) that need not be those of states.
    """
    form = world.form
    if module == "alu":
        return packed(form, module, {"view": symbols, **acted(world, symbols, ops)})
    cells = world.cells_in_view(symbols)
    view = view_of(form, symbols, cells)
    if module == "transform_d":
        return packed(form, module, {"contents": symbols, "view": view})
    parts = acted(world, view, ops)
    wanted = inserted(form, symbols, cells, ops, parts["changed"], parts["after"])
    return packed(form, module, {"contents": symbols, **parts, "wanted": wanted})


def acted(
    world: FiniteWorld[StateT], view: NDArray[np.uint8], ops: NDArray[np.integer]
) -> dict[str, NDArray[np.generic]]:
    """The parts of rows that tell of an operation on each view."""
    changed, after = world.act(view, ops)
    return {"op": ops, "changed": np.asarray(changed), "after": np.asarray(after)}


def pair_rows(world: FiniteWorld[StateT], rng: np.random.Generator, count: int) -> NDArray[np.uint8]:
    """Rows of Input, a quarter of each kind.

    Pairs of states differ in many cells, so they alone teach nothing about a single one, which is the hard
    case. Swapped and changed words need not be states: equality is a question about words.
    """
    left = world.contents(world.sample(rng, count))
    other = world.contents(world.sample(rng, count))
    kind = rng.integers(KINDS, size=count)[:, None]
    near = np.where(kind == 1, swapped(left, rng), changed_cell(world.form, left, rng))
    right = np.where(kind == 0, left, np.where(kind == 3, other, near))
    return packed(world.form, "input", {"left": left, "right": right})


def swapped(contents: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Contents with a random cell swapped with a random one that holds something else, if there is any."""
    rows = np.arange(len(contents))
    first = rng.integers(contents.shape[1], size=len(contents))
    ranks = rng.random(contents.shape)
    differs = contents != contents[rows, first][:, None]
    second = np.where(differs, ranks, -1.0).argmax(axis=1)
    second = np.where(differs.any(axis=1), second, first)
    result = contents.copy()
    result[rows, first], result[rows, second] = contents[rows, second], contents[rows, first]
    return result


def changed_cell(form: WordForm, contents: NDArray[np.uint8], rng: np.random.Generator) -> NDArray[np.uint8]:
    """Contents with another symbol in one random cell."""
    rows = np.arange(len(contents))
    cells = rng.integers(form.cells, size=len(contents))
    steps = rng.integers(1, len(form.symbols), size=len(contents))
    result = contents.copy()
    result[rows, cells] = (contents[rows, cells] + steps) % len(form.symbols)
    return result

"""Training rows: one example of a module's task as a few small whole numbers.

A row holds symbol numbers, not bits: bad memories and counterexamples stay small, and bits are made where
the network needs them. A row says everything that its loss needs, so a row is right for ever.
"""

from collections.abc import Mapping
from typing import TypeVar

import numpy as np
from jaxtyping import Array, UInt8
from numpy.typing import NDArray

from nhc.domains.local import WordForm

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

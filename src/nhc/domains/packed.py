"""States packed into one integer, four bits a cell: for worlds of up to 16 cells and 16 symbols.

Written with operators that mean the same for Python integers and NumPy arrays.
"""

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

Code: TypeAlias = int | np.uint64 | NDArray[np.uint64]
"""Cell c holds the number in bits 4c to 4c + 3; or an array of such codes."""

BITS = 4
CELL = 15
"""The bits of cell 0."""


def pack(contents: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Codes of symbol numbers, shape (..., cells) -> (...)."""
    places = np.arange(contents.shape[-1], dtype=np.uint64) * np.uint64(BITS)
    return np.asarray(np.bitwise_or.reduce(contents.astype(np.uint64) << places, axis=-1))


def unpack(code: Code, cells: int) -> NDArray[np.uint8]:
    """The symbol number of each cell, shape (...) -> (..., cells)."""
    places = np.arange(cells, dtype=np.uint64) * np.uint64(BITS)
    numbers: NDArray[np.uint64] = np.asarray(code, np.uint64)[..., None] >> places & np.uint64(CELL)
    return numbers.astype(np.uint8)

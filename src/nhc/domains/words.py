"""Data words of any world that is made of cells: one one-hot group a cell, and how wrong ones are named."""

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import WordForm
from nhc.errors import InputError


def symbols_of(form: WordForm, words: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The symbol number of each cell, shape (..., word_bits) -> (..., cells).

    Raises InputError (code `word.invalid`) for another length and for cells that are not one-hot.
    """
    if words.ndim == 0 or words.shape[-1] != form.word_bits:
        raise InputError("word.invalid", f"a word has {form.word_bits} bits, these have shape {words.shape}")
    cells = words.reshape(*words.shape[:-1], form.cells, len(form.symbols))
    wrong = ((cells == 1).sum(axis=-1) != 1) | (cells > 1).any(axis=-1)
    if wrong.any():
        where = tuple(int(i) for i in np.argwhere(wrong)[0])
        raise InputError(
            "word.invalid",
            f"{name_cell(where)} must have exactly one of its bits {', '.join(form.symbols)} set, "
            f"found {cells[where].tolist()}",
        )
    return cells.argmax(axis=-1).astype(np.uint8)


def require(fine: NDArray[np.bool_] | np.bool_, expected: str) -> None:
    """Raises InputError (code `word.invalid`) unless all words are fine; names the first that is not."""
    if not np.all(fine):
        where = [int(i) for i in np.argwhere(~np.asarray(fine))[0]]
        of_word = f" in word {where}" if where else ""
        raise InputError("word.invalid", f"expected {expected}{of_word}")


def name_cell(where: tuple[int, ...]) -> str:
    """`cell 3`, or `cell 3 of word [0, 5]` in a batch."""
    of_word = f" of word {list(where[:-1])}" if len(where) > 1 else ""
    return f"cell {where[-1]}{of_word}"

"""The mask's margin against trying every other place, for the compiled loops and for JAX."""

from functools import partial

import jax
import jax.numpy as jnp
import numpy as np

from nhc.jit import compiled
from nhc.supervised.check import loops
from nhc.supervised.check.twin import mask_margin

CELLS, CHANGES, SYMBOLS, ROWS = 4, 2, 3, 400


def word(contents: np.ndarray, places: list[int], after: np.ndarray) -> list[int]:
    """Insert one change after the other."""
    result = contents.tolist()
    for place, symbol in zip(places, after.tolist(), strict=True):
        if place < CELLS and symbol < SYMBOLS:
            result[place] = symbol
    return result


def test_margins_are_gaps_to_places_that_spoil_the_word() -> None:
    rng = np.random.default_rng(2)
    logits = rng.normal(0, 1, (ROWS, CHANGES * (CELLS + 1))).astype(np.float32)
    contents = rng.integers(0, SYMBOLS, (ROWS, CELLS)).astype(np.uint8)
    after = rng.integers(0, SYMBOLS + 1, (ROWS, CHANGES)).astype(np.uint8)
    chosen = logits.reshape(ROWS, CHANGES, CELLS + 1).argmax(axis=2)
    wanted = np.array([word(*row) for row in zip(contents, chosen.tolist(), after, strict=True)], np.uint8)
    spoilt = rng.random(ROWS) < 0.2
    wanted[spoilt, 1] = (wanted[spoilt, 1] + 1) % SYMBOLS

    places, right = np.empty((ROWS, CHANGES), np.intp), np.empty(ROWS, bool)
    needed, margins = np.empty((ROWS, CHANGES), bool), np.empty(ROWS, np.float32)
    compiled(loops.choose_places)(logits, places)
    compiled(loops.judge_words)(contents, wanted, after, SYMBOLS, places, right)
    compiled(loops.find_needed)(contents, wanted, after, SYMBOLS, places, needed)
    compiled(loops.mask_margins)(logits, wanted, after, SYMBOLS, places, needed, margins)
    np.testing.assert_array_equal(places, chosen)
    np.testing.assert_array_equal(right, ~spoilt)

    exact = 0
    for row in np.flatnonzero(right):
        gaps = [np.inf]
        for change in range(CHANGES):
            for place in range(CELLS + 1):
                others = chosen[row].tolist()
                others[change] = place
                if word(contents[row], others, after[row]) != wanted[row].tolist():
                    of_change = logits[row].reshape(CHANGES, CELLS + 1)[change]
                    gaps.append(float(of_change.max() - of_change[place]))
        # Two changes on one cell hide each other's faults; there the margin is careful, else it is exact.
        assert margins[row] <= min(gaps) + 1e-6
        if places[row, 0] != places[row, 1]:
            exact += margins[row] == np.float32(min(gaps))
    assert exact > 150

    twin = jax.vmap(partial(mask_margin, SYMBOLS))(
        jnp.asarray(logits).reshape(ROWS, CHANGES, CELLS + 1),
        *(jnp.asarray(part) for part in (contents, after, wanted)),
    )
    np.testing.assert_allclose(np.where(right, margins, 0), twin, rtol=1e-6)

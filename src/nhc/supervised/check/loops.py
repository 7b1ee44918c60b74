"""The loops of the fast check around its matrix products; compiled by `jit.compiled`."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]
Bytes = NDArray[np.uint8]
Numbers = NDArray[np.intp]
Flags = NDArray[np.bool_]


def fill_inputs(contents: Bytes, columns: Numbers, inputs: Floats) -> None:
    """One-hot rows; `columns` (cells, symbols) names the column of each bit, -1 for none."""
    inputs[:] = 0
    for row in range(contents.shape[0]):
        for cell in range(contents.shape[1]):
            column = columns[cell, contents[row, cell]]
            if column >= 0:
                inputs[row, column] = 1


def rectify(values: Floats, bias: Floats, slope: np.float32) -> None:
    """values = leaky(values + bias), in place."""
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            value = values[row, column] + bias[column]
            values[row, column] = max(value, slope * value)


def first_layer(
    parts: Floats,
    start: int,
    table: Floats,
    states: Numbers,
    changes: Numbers,
    slope: np.float32,
    out: Floats,
) -> None:
    """out = leaky(the state's part + the change's part); parts of several networks stand side by side."""
    width = table.shape[1]
    for row in range(len(states)):
        part, change = parts[states[row]], table[changes[row]]
        for column in range(width):
            value = part[start + column] + change[column]
            out[row, column] = max(value, slope * value)


def distinct_cases(changes: Numbers, after_step: Bytes, states: Numbers, ops: Numbers, rows: Numbers) -> int:
    """The cases with different inputs or demands of Output: their states and operations, and how many.

    `rows` (n, ops) names the row that each case shares.
    """
    count = 0
    for state in range(changes.shape[0]):
        for op in range(changes.shape[1]):
            rows[state, op] = -1
            for earlier in range(op):
                if changes[state, earlier] == changes[state, op]:
                    same = True
                    for cell in range(after_step.shape[2]):
                        if after_step[state, earlier, cell] != after_step[state, op, cell]:
                            same = False
                    if same:
                        rows[state, op] = rows[state, earlier]
                        break
            if rows[state, op] < 0:
                states[count], ops[count], rows[state, op] = state, op, count
                count += 1
    return count


def judge_groups(logits: Floats, right: Bytes, symbols: int, correct: Flags, margins: Floats) -> None:
    """Groups of `symbols` logits: is the strongest, the first on ties, the right one, and by how much."""
    for row in range(right.shape[0]):
        ok, margin = True, np.float32(np.inf)
        for group in range(right.shape[1]):
            start, wanted = group * symbols, right[row, group]
            best, other = start, np.float32(-np.inf)
            for place in range(start, start + symbols):
                if logits[row, place] > logits[row, best]:
                    best = place
                if place != start + wanted:
                    other = max(other, logits[row, place])
            ok = ok and best == start + wanted
            margin = min(margin, logits[row, start + wanted] - other)
        correct[row], margins[row] = ok, margin


def choose_places(logits: Floats, places: Numbers) -> None:
    """The cell with the largest logit for each change, the first on ties; `places` (n, changes)."""
    count = logits.shape[1] // places.shape[1]
    for row in range(places.shape[0]):
        for change in range(places.shape[1]):
            start, best = change * count, 0
            for place in range(count):
                if logits[row, start + place] > logits[row, start + best]:
                    best = place
            places[row, change] = best


def judge_words(
    contents: Bytes, wanted: Bytes, after: Bytes, symbols: int, places: Numbers, correct: Flags
) -> None:
    """Is each word with its changes inserted, one after the other, the wanted one?"""
    for row in range(contents.shape[0]):
        ok = True
        for cell in range(contents.shape[1]):
            held = contents[row, cell]
            for change in range(places.shape[1]):
                if places[row, change] == cell and after[row, change] < symbols:
                    held = after[row, change]
            ok = ok and held == wanted[row, cell]
        correct[row] = ok


def find_needed(
    contents: Bytes, wanted: Bytes, after: Bytes, symbols: int, places: Numbers, out: Flags
) -> None:
    """Is each change needed where it is?  Out (n, changes): without it the word may not be the wanted one."""
    for row in range(contents.shape[0]):
        for change in range(places.shape[1]):
            here = places[row, change]
            out[row, change] = False
            if here < contents.shape[1]:
                needed = contents[row, here] != wanted[row, here]
                for other in range(places.shape[1]):
                    if other != change and places[row, other] == here and after[row, other] < symbols:
                        needed = needed or after[row, other] != wanted[row, here]
                out[row, change] = needed


def mask_margins(
    logits: Floats, wanted: Bytes, after: Bytes, symbols: int, places: Numbers, needed: Flags, margins: Floats
) -> None:
    """The smallest gap between a chosen place and one that could spoil the word.

    A place is harmless if the word wants there what is written and the change is not needed where it is.
    """
    cells = wanted.shape[1]
    for row in range(logits.shape[0]):
        margin = np.float32(np.inf)
        for change in range(places.shape[1]):
            start, here = change * (cells + 1), places[row, change]
            if after[row, change] < symbols:
                for place in range(cells + 1):
                    harmless = place == cells or wanted[row, min(place, cells - 1)] == after[row, change]
                    if place != here and (needed[row, change] or not harmless):
                        margin = min(margin, logits[row, start + here] - logits[row, start + place])
        margins[row] = margin

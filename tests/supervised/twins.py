"""Losses and failures again, in float64 with loops, one row at a time."""

import math
from collections.abc import Mapping, Sequence

import numpy as np

from nhc.data.networks import Dense
from nhc.domains.local import WordForm


def forward(network: Dense, inputs: Sequence[float]) -> list[float]:
    """The logits of one row."""
    values = list(inputs)
    for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
        rows, offsets = np.asarray(weight, np.float64), np.asarray(bias, np.float64)
        values = [
            sum(w * v for w, v in zip(row, values, strict=True)) + b
            for row, b in zip(rows, offsets, strict=True)
        ]
        if number < len(network.weights) - 1:
            values = [v if v > 0 else 0.01 * v for v in values]
    return values


def bits(numbers: Sequence[int], symbols: int) -> list[int]:
    return [int(number == symbol) for number in numbers for symbol in range(symbols)]


def softmax(logits: Sequence[float]) -> list[float]:
    top = max(logits)
    parts = [math.exp(z - top) for z in logits]
    return [part / sum(parts) for part in parts]


def gate(logit: float, opens: bool) -> tuple[float, bool]:
    return math.log1p(math.exp(-logit if opens else logit)), (logit > 0) != opens


def group(logits: Sequence[float], wanted: int) -> tuple[float, bool]:
    return -math.log(softmax(logits)[wanted]), max(
        range(len(logits)), key=lambda i: (logits[i], -i)
    ) != wanted


def input_row(form: WordForm, networks: Mapping[str, Dense], row: Sequence[int]) -> tuple[float, bool]:
    left, right = row[: form.cells], row[form.cells :]
    symbols = len(form.symbols)
    apart = [abs(x - y) for x, y in zip(bits(left, symbols), bits(right, symbols), strict=True)]
    return gate(forward(networks["equality"], apart)[0], left == right)


def view_row(form: WordForm, networks: Mapping[str, Dense], row: Sequence[int]) -> tuple[float, bool]:
    logits = forward(networks["view"], bits(row[: form.cells], len(form.symbols)))
    return groups(logits, row[form.cells :], form.view_symbols)


def groups(logits: Sequence[float], wanted: Sequence[int], symbols: int) -> tuple[float, bool]:
    found = [group(logits[symbols * n : symbols * (n + 1)], symbol) for n, symbol in enumerate(wanted)]
    return sum(loss for loss, _ in found), any(failed for _, failed in found)


def alu_row(form: WordForm, networks: Mapping[str, Dense], row: Sequence[int]) -> tuple[float, bool]:
    view, op, changed, after = row[: form.slots], row[form.slots], row[form.slots + 1], row[form.slots + 2 :]
    inputs = bits([op], 5) + bits(view, form.view_symbols)
    loss, failed = gate(forward(networks["acts"], inputs)[0], changed == 1)
    if changed:
        logits = forward(networks["change"], inputs)
        for more, wrong in (group(logits[:4], op), groups(logits[4:], after, form.view_symbols)):
            loss, failed = loss + more, failed or wrong
    return loss, failed


def output_row(form: WordForm, networks: Mapping[str, Dense], row: Sequence[int]) -> tuple[float, bool]:
    cells, changes = form.cells, form.changes
    contents, op, changed = row[:cells], row[cells], row[cells + 1]
    after, wanted = row[cells + 2 : cells + 2 + changes], row[cells + 2 + changes :]
    change = bits([op % 4], 4) + bits(after, form.view_symbols)
    inputs = bits(contents, len(form.symbols)) + change + [changed]
    loss, failed = gate(forward(networks["inserts"], inputs)[0], changed == 1)
    if changed:
        logits = forward(networks["mask"], inputs)
        parts = [logits[(cells + 1) * n : (cells + 1) * (n + 1)] for n in range(changes)]
        loss += soft_insertion(form, parts, contents, after, wanted)
        failed = failed or hard_insertion(form, parts, contents, after) != wanted
    return loss, failed


def soft_insertion(
    form: WordForm,
    logits: Sequence[Sequence[float]],
    contents: Sequence[int],
    after: Sequence[int],
    wanted: Sequence[int],
) -> float:
    """Every cell as a distribution over symbols."""
    symbols = len(form.symbols)
    grid = [[float(symbol == held) for symbol in range(symbols)] for held in contents]
    for part, content in zip(logits, after, strict=True):
        if content >= symbols:
            continue
        for cell, share in enumerate(softmax(part)[:-1]):
            grid[cell] = [
                (1 - share) * weight + share * (symbol == content) for symbol, weight in enumerate(grid[cell])
            ]
    return -sum(math.log(cell[symbol] + 1e-6) for cell, symbol in zip(grid, wanted, strict=True))


def hard_insertion(
    form: WordForm, logits: Sequence[Sequence[float]], contents: Sequence[int], after: Sequence[int]
) -> list[int]:
    """Each change in its strongest place; the last place is nowhere."""
    result = list(contents)
    for part, content in zip(logits, after, strict=True):
        place = max(range(len(part)), key=lambda i: (part[i], -i))
        if place < form.cells and content < len(form.symbols):
            result[place] = content
    return result


TWINS = {"input": input_row, "transform_d": view_row, "alu": alu_row, "output": output_row}

"""The oracle's memory under soft attention: Graves et al. 2016 in plain loops over cells.

Cells are lists that grow, one row and column a write; a weight for a cell that is not there yet is 0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tests.oracles.formulas import dot, sigmoid, sign, softmax

if TYPE_CHECKING:
    from tests.oracles.machine import OracleConfig

Heads = dict[str, np.ndarray]


class SoftCells:
    """Words, data and link degrees of all cells, and the weights with which each was read last."""

    def __init__(self, config: OracleConfig, word_size: int) -> None:
        self.config = config
        self.words: list[np.ndarray] = []
        self.data: list[int] = []
        self.after: dict[tuple[int, int], float] = {}  # (i, j): i was written right after j
        self.parent: dict[tuple[int, int], float] = {}  # (i, j): i was written from j
        self.child: dict[tuple[int, int], float] = {}  # (i, j): i is the last that was written from j
        self.last: list[float] = []
        self.read: list[float] = []
        self.word_read = np.zeros(word_size)
        self._gap = np.inf

    def access(
        self, head: Heads, heads: tuple[str, ...], data: int
    ) -> tuple[list[int | None], tuple[int | None, ...], int, float]:
        """Constrained write, free writes, read: cells written, those named, the one read, smallest margin."""
        self._gap = np.inf
        if self.config.constrained_head:
            gate = self._gate(self.config.constrained_gate, head["constrained.gate"])
            weights = [gate * weight for weight in self.read]
            self._write(weights, head["constrained.erase"], head["constrained.word"])
        written = [self._free_write(head, name, data) for name in heads]
        return written, *self._read(head), self._gap

    def _gate(self, rule: str, value: np.ndarray) -> float:
        return 1.0 if rule == "always" else float(sigmoid(value[0]))

    def _write(self, weights: list[float], erase: np.ndarray, word: np.ndarray) -> None:
        bits = self.config.words == "bits"
        taken, added = (np.ones(len(erase)), sign(word)) if bits else (sigmoid(erase), word)
        if bits:
            self._gap = min(self._gap, *abs(word))
        for cell, weight in enumerate(weights):
            self.words[cell] = self.words[cell] * (1 - weight * taken) + weight * added

    def _content(self, key: np.ndarray, strength: np.ndarray) -> list[float]:
        if not self.words:
            return []
        sharpness = 1 + np.log1p(np.exp(float(strength[0])))
        cosines = []
        for word in self.words:
            norm = np.sqrt(dot(key, key) * dot(word, word))
            cosines.append(dot(key, word) / max(norm, 1e-6))
        return [float(weight) for weight in softmax(sharpness * np.array(cosines))]

    def _free_write(self, head: Heads, name: str, data: int) -> int | None:
        found = self._content(head[f"{name}.key"], head[f"{name}.strength"])
        share = self._gate(self.config.allocation, head[f"{name}.allocation"]) if found else 1.0
        gate = self._gate(self.config.write_gate, head[f"{name}.gate"])
        weights = [gate * (1 - share) * weight for weight in found] + [gate * share]
        self._new_cell(len(head[f"{name}.word"]))
        self._write(weights, head[f"{name}.erase"], head[f"{name}.word"])
        cells, total = range(len(weights)), sum(weights)
        for i in cells:
            for j in cells:
                old = self.after.get((i, j), 0.0)
                self.after[i, j] = 0.0
                if i != j:
                    self.after[i, j] = (1 - weights[i] - weights[j]) * old + weights[i] * self.last[j]
                old = self.parent.get((i, j), 0.0)
                self.parent[i, j] = (1 - weights[i]) * old + weights[i] * self.read[j]
                old = self.child.get((i, j), 0.0)
                self.child[i, j] = (1 - total * self.read[j]) * old + weights[i] * self.read[j]
        self.last = [(1 - total) * self.last[i] + weights[i] for i in cells]
        if self.config.write_gate == "learned":
            self._gap = min(self._gap, abs(float(head[f"{name}.gate"][0])))
            if head[f"{name}.gate"][0] <= 0:
                return None
        cell = self._largest(weights)
        self.data[cell] = data
        return cell

    def _new_cell(self, word_size: int) -> None:
        self.words.append(np.zeros(word_size))
        self.data.append(0)
        self.last.append(0.0)
        self.read.append(0.0)

    def _largest(self, weights: list[float]) -> int:
        """The lowest cell of the largest weight; others must be clearly less, or equal by construction."""
        best = max(weights)
        self._gap = min([self._gap, *(best - weight for weight in weights if weight < best)])
        return weights.index(best)

    def _read(self, head: Heads) -> tuple[tuple[int | None, ...], int]:
        cells, before = range(len(self.words)), self.read
        named = [
            self._content(head["read.key"], head["read.strength"]),
            [sum(self.after[i, j] * before[j] for j in cells) for i in cells],
            [sum(self.after[i, j] * before[i] for i in cells) for j in cells],
        ]
        if self.config.usage_link:
            named.append([sum(self.child[i, j] * before[j] for j in cells) for i in cells])
            named.append([sum(self.parent[i, j] * before[i] for i in cells) for j in cells])
        voting = [m for m, weights in enumerate(named) if max(weights) > 0]
        shares = softmax(np.array([head["read.modes"][m] for m in voting]))
        self.read = [sum(s * named[m][i] for s, m in zip(shares, voting, strict=True)) for i in cells]
        self.word_read = np.sum(
            [weight * word for weight, word in zip(self.read, self.words, strict=True)], 0
        )
        addresses = tuple(self._largest(weights) if max(weights) > 0 else None for weights in named)
        return (*addresses, None, None)[:5], self._largest(self.read)

"""The arithmetic of the oracles, one function a formula, in plain NumPy."""

from collections.abc import Sequence

import numpy as np


def control_signals(equal: int, previous_c2: int) -> tuple[int, int, int]:
    """c1 = (1 - I) - c2', c2 = I + c2', c3 = I c2'."""
    return (1 - equal) - previous_c2, equal + previous_c2, equal * previous_c2


class Phases:
    """Input's signals of one planning task, tick by tick: only it remembers that the goal was met."""

    def __init__(self, count: int) -> None:
        self._count, self._c2 = count, 0

    def signals(self, equal: bool) -> tuple[int, ...]:
        """The first `count` signals of this tick."""
        signals = control_signals(int(equal), self._c2)
        self._c2 = signals[1]
        return signals[: self._count]


def sigmoid(x: np.ndarray) -> np.ndarray:
    """1 / (1 + exp(-x)), in the form that cannot overflow."""
    return (1 + np.tanh(x / 2)) / 2


def sign(x: np.ndarray) -> np.ndarray:
    """+1 where x > 0, else -1; so sign(0) = -1."""
    return np.where(x > 0, 1, -1).astype(x.dtype)


def softmax(x: np.ndarray) -> np.ndarray:
    """exp(x_i) / sum_j exp(x_j)."""
    e = np.exp(x - x.max())
    return e / e.sum()


def dot(x: np.ndarray, y: np.ndarray) -> np.floating:
    """sum_j x_j y_j, added in index order."""
    total = x[0] * y[0]
    for j in range(1, len(x)):
        total = total + x[j] * y[j]
    return total


def similarity(key: np.ndarray, word: np.ndarray, words: str) -> np.floating:
    """The cosine without the factors common to all words: the key's norm, and for bits the word's too."""
    if words == "bits":
        return dot(key, word)
    return dot(key, word) / max(np.sqrt(dot(word, word)), word.dtype.type(1e-6))


def rewritten(old: np.ndarray, erase: np.ndarray, word: np.ndarray, words: str) -> np.ndarray:
    """The control word after a write: M <- sign(v) for bits, M <- M (1 - sigmoid(e)) + v for real words."""
    return sign(word) if words == "bits" else old * (1 - sigmoid(erase)) + word


def first_largest(values: Sequence[np.floating] | np.ndarray) -> int:
    """The index of the largest value, the earliest on ties."""
    return list(values).index(max(values))

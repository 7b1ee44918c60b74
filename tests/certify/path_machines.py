"""Machines for proofs on paths: trained ones, and tables that are wrong from far on only."""

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nhc.algorithms.registry import ALGORITHMS
from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network, Seen
from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks
from nhc.machine.parameters import Parameters
from nhc.model import Model, load_model
from nhc.program.compiled import CONTENT

FOLDER = Path(__file__).parent / "machines"
TRAINED = tuple(sorted(path.stem for path in FOLDER.glob("*.safetensors")))


@cache
def trained(name: str) -> Model:
    """A machine that was trained once."""
    return load_model(FOLDER / f"{name}.safetensors")


@cache
def blank(name: str) -> Model:
    """A machine of an algorithm whose weights are all 0."""
    algorithm = ALGORITHMS[name]
    config = MachineConfig(signals=len(algorithm.signals), ops=len(algorithm.ops))
    weights = {}
    for block in blocks(config):
        weights[f"{block.name}.w"] = np.zeros((block.rows, block.inputs), np.float32)
        weights[f"{block.name}.b"] = np.zeros(block.rows, np.float32)
    return Model(Parameters.from_blocks(weights, config), config, algorithm, {})


class Row(NamedTuple):
    """What a table does in a state."""

    constrained: int
    fresh: int
    ways: tuple[int, ...]
    """Mechanisms, the strongest first."""
    liked: tuple[int, ...] = ()
    """Words that a lookup prefers, the most liked first; others by their codes."""


class Table(Decisions):
    """Decisions given by hand."""

    def __init__(self, name: str, row: Callable[[Seen], Row], op: Callable[[Seen, int], int]) -> None:
        super().__init__(Network(blank(name)), Margins(strict=False))
        self.row, self.chosen = row, op

    def _written(self, state: object) -> tuple[int, int]:
        assert isinstance(state, Seen)
        return self.row(state)[:2]

    def _winner(self, state: object, present: frozenset[int]) -> int:
        assert isinstance(state, Seen)
        return next(way for way in (*self.row(state).ways, CONTENT) if way in present)

    def _op(self, state: object, word: int) -> int:
        assert isinstance(state, Seen)
        return self.chosen(state, word)

    def _prefers(self, state: object, word: int, other: int) -> bool:
        assert isinstance(state, Seen)
        liked = self.row(state).liked
        place = [liked.index(w) if w in liked else len(liked) + w for w in (word, other)]
        return place[0] < place[1]

    def best_word(self, state: object, words: Iterable[int]) -> int:
        """By the same order."""
        best, *others = sorted(set(words))
        for other in others:
            best = best if self._prefers(state, best, other) else other
        return best

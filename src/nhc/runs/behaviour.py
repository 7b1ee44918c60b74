"""What pictures show of a run: its ticks as columns, and the tree that a search has grown."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float, Int

from nhc.domains.protocol import NOP

ARROWS = ("↑", "→", "↓", "←", "nop")
"""Of the operations of planning worlds."""


@dataclass(frozen=True)
class Behaviour:
    """A run or a part of one; entry t of each column is tick `first` + t."""

    op: Int[np.ndarray, " ticks"]
    read: Int[np.ndarray, " ticks"]
    winner: Int[np.ndarray, " ticks"]
    """The read mechanism that won."""
    shares: Float[np.ndarray, "ticks mechanisms"]
    """How strongly each mechanism asks: softmax of the mode weights."""
    met: Bool[np.ndarray, " ticks"]
    """Was the goal met by then? Never where there is none."""
    words: Sequence[str]
    """The data word read at each tick: a board, or a name."""
    ops: tuple[str, ...]
    """Names or signs of the operations."""
    first: int = 1

    @property
    def ticks(self) -> int:
        """Their number."""
        return len(self.op)

    def phases(self) -> Iterator[tuple[str, int, int]]:
        """Search and the way back, each from its first tick up to the next one's; none without a goal."""
        searching = int((~self.met).sum())
        if searching and self.met.any():
            yield "search", 0, searching
        if self.met.any():
            yield "backtrack", searching, self.ticks


def spans(values: Int[np.ndarray, " ticks"]) -> Iterator[tuple[int, int]]:
    """First and one past the last of each stretch of equal values."""
    ends = [*(np.flatnonzero(np.diff(values)) + 1).tolist(), len(values)]
    yield from zip([0, *ends[:-1]], ends, strict=True)


class Tree(NamedTuple):
    """Cells of memory as nodes of a search tree; node 0 is the start."""

    parent: dict[int, int]
    op: dict[int, int]
    """By which operation a node was made."""
    goal: int | None

    @property
    def way(self) -> list[int]:
        """From the goal to the start; empty if the goal was not met."""
        nodes = [] if self.goal is None else [self.goal]
        while nodes and nodes[-1] in self.parent and len(nodes) <= len(self.parent):
            nodes.append(self.parent[nodes[-1]])
        return nodes

    def below(self) -> dict[int, list[int]]:
        """The nodes made from each that has some, in the order of operations."""
        found: dict[int, list[int]] = {}
        for node in sorted(self.parent, key=lambda node: self.op[node]):
            found.setdefault(self.parent[node], []).append(node)
        return found

    def levels(self) -> list[list[int]]:
        """The nodes by their depth, those of one parent together in the order of operations."""
        below, found = self.below(), [[0]]
        while row := [node for parent in found[-1] for node in below.get(parent, ())]:
            found.append(row)
        return found


def tree_of(
    op: Int[np.ndarray, " ticks"],
    read: Int[np.ndarray, " ticks"],
    written: Int[np.ndarray, " ticks"],
    met: Bool[np.ndarray, " ticks"],
) -> Tree:
    """The tree that these ticks made: what an operation makes is written at the next tick."""
    parent, by = dict[int, int](), dict[int, int]()
    for tick in range(1, len(op)):
        node = int(written[tick])
        if op[tick - 1] != NOP and node > 0:
            parent[node], by[node] = int(read[tick - 1]), int(op[tick - 1])
    goal = int(written[int(met.argmax())]) if met.any() else None
    return Tree(parent, by, goal)

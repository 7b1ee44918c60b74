"""What the author of an algorithm states for its proof: the ticks that any instance can bring, without data.

An environment is a finite automaton with *marks*, references to memory cells. A line is one tick that may
come in a state:

    along 1 emit cursor -> along : cursor not at last, cursor + 1

In state `along` the signals may be 1; then the operation has to be `emit` and the cell read the one with the
mark `cursor`, once the conditions and moves after the colon were gone through in order; they speak of memory
before the tick. Without a target any cell may be read. `-> end` is the last tick of a run.

Conditions: `A at B`, `A not at B` (marks on one cell), `A exists`, `A missing`, `A is G`, `A is not G` (the
ghost of the cell with mark A). Moves: `A = B`, `A + 1`, `A - 1`, `A = parent B` (the cell read when B's was
written), `drop A`, `A becomes G`, and for the cell that this tick writes, `new A` (its mark) and `new is G`.
Marks that are always there: `first`, `newest`, `read` (the cell read last). Targets are marks, `new` for the
cell that this tick writes, or `rest` for any cell from the one with the mark `after` on.

Each tick has to store a word, unless lines say otherwise: where some have the words `stores` or `stores
nothing` among their conditions, these must do so, and the others may do either. What is written must be there
for `new`. The operation `any` with `-> end` is for ticks that end the run whatever they do; a stack has none.

A *ghost* is a fact about a cell that only the author's lines use. In a stack the marks are `top`, the cell
read last, and `below`, its parent; each tick but the last has a target, `new` (a push) or `below` (a pop).
"""

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True)
class Abstraction:
    """An environment, and how memory is looked at: by order of addresses, or as a stack of usage links."""

    memory: Literal["order", "stack"]
    rules: str
    """A line for each tick that may come; the first one's state is where runs begin."""
    lemmas: tuple[str, ...] = ()
    """What the author vouches for: facts about data that the lines rest on."""

"""The exact rules of stacking, for one arrangement or for many at once.

Four places hold up to three boxes each, a gripper holds one. The paper names the task domain without rules;
operation k here acts on place k: with a box in the gripper it puts that on top, with none it picks up the top
box. Cell 3p + h is height h (from below, from 0) of place p, cell 12 is the gripper; 0 means empty, other
numbers are boxes. See `nhc.domains.packed` for arrangements as integers.
"""

from typing import NamedTuple, cast

from nhc.domains.packed import BITS, CELL, Code

PLACES, HEIGHT = 4, 3
GRIPPER = PLACES * HEIGHT
CELLS = GRIPPER + 1
EMPTY = 0
LOWEST = sum(1 << BITS * height for height in range(HEIGHT))


class Stacks(NamedTuple):
    """One arrangement, or a batch of them; no place has a gap below a box."""

    code: Code


def step(stacks: Stacks, op: int) -> Stacks:
    """The arrangement after putting down on, or picking up from, place `op` (0..3).

    Putting on a full place and picking from an empty one return an equal arrangement.
    """
    code = cast("int", stacks.code)  # arrays obey the same operators
    place, gripper = BITS * HEIGHT * op, BITS * GRIPPER
    column, held = code >> place & LOWEST * CELL, code >> gripper
    occupied = (column | column >> 1 | column >> 2 | column >> 3) & LOWEST
    top = occupied & ~(occupied >> BITS)
    free = (occupied << BITS | 1) & ~occupied & LOWEST
    idle = 1 - ((held | held >> 1 | held >> 2 | held >> 3) & 1)
    put, picked = free * held, idle * (column & top * CELL)
    given = held * ((free | free >> BITS | free >> 2 * BITS) & 1)
    taken = (picked | picked >> BITS | picked >> 2 * BITS) & CELL
    return Stacks(code ^ (put | picked) << place ^ (given | taken) << gripper)

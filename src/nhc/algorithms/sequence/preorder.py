"""Preorder: the nodes of a binary tree, each before those under it, the left ones first."""

import numpy as np

from nhc.algorithms.protocol import Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NIL,
    NOTHING,
    OWN,
    Functions,
    Int64,
    Loaded,
    Words,
    loaded,
)

LEFT, RIGHT, UP, STOP = range(4)
AT_NIL = 1
FED_BACK = OWN
"""The register of the ALU's last word, which is stored next."""
NONE = -1

Tree = tuple[tuple[int, int], ...]
"""The left and the right child of each node, `NONE` where there is none; node 0 is the root."""


def observe_preorder(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """Whether the way led to where no node is, and the node it led to."""
    word = registers[FED_BACK]
    return (AT_NIL if word == NIL else 0), word


def act_preorder(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Go down from the node read, which is written if that is to the left; go up; or stop."""
    child = BLANK
    if op in (LEFT, RIGHT):
        child = tape[2 * word + op] if 0 <= 2 * word + op < len(tape) else NIL
    registers[FED_BACK] = child
    registers[DONE] = op == STOP
    return word if op == LEFT else NOTHING


class Preorder(SequenceAlgorithm[Tree]):
    """A tree becomes its nodes in preorder."""

    name = "preorder"
    signals = ("at nil",)
    ops = ("left", "right", "up", "stop")
    sizes = ((1, 2, 3), (4,), (5,))
    defaults = LARGE_STEPS
    functions = Functions(observe_preorder, act_preorder)
    control = "a stack; which of its two sides a node was entered by; which node is the root"
    alu = "finds the child of the node read; writes that node when it goes left"

    def random(self, size: int, rng: np.random.Generator) -> Tree:
        """Nodes hung into free places one by one, often into the newest; numbers are mixed."""
        number = [0, *(1 + rng.permutation(size - 1)).tolist()]
        children = [[NONE, NONE] for _ in range(size)]
        free, newest = [(0, LEFT), (0, RIGHT)], rng.random()
        for node in number[1:]:
            place = len(free) - 1 if rng.random() < newest else int(rng.integers(len(free)))
            parent, side = free.pop(place)
            children[parent][side] = node
            free += [(node, LEFT), (node, RIGHT)]
        return tuple((left, right) for left, right in children)

    def listed(self, size: int) -> list[Tree]:
        """All shapes."""
        return _shapes(size, 0)

    def load(self, instance: Tree) -> Loaded:
        """The children of node i at 2i and 2i + 1; the way begins at the root."""
        return loaded([NIL if node == NONE else node for pair in instance for node in pair], 0)

    def teacher(self, instance: Tree) -> list[Lesson]:
        """To the left of a new node, to its right, up; from where no node is, up at once."""
        lessons, open_nodes = list[Lesson](), [(0, LEFT)]
        while open_nodes:
            node, side = open_nodes.pop()
            if node == NONE:
                lessons.append(Lesson(UP, NIL))
            elif side == UP:
                lessons.append(Lesson(UP if open_nodes else STOP, node))
            else:
                lessons.append(Lesson(side, node))
                open_nodes += [(node, side + 1), (instance[node][side], LEFT)]
        return lessons

    def spec(self, instance: Tree) -> tuple[int, ...]:
        """A node's place is its parent's, and one, and for a right child the nodes under its sibling."""
        order = [0]
        for node in order:  # Grows: parents come before children.
            order += [child for child in instance[node] if child != NONE]
        under = [1] * len(instance)
        for node in reversed(order):
            under[node] += sum(under[child] for child in instance[node] if child != NONE)
        place = [0] * len(instance)
        for node in order:
            left, right = instance[node]
            if left != NONE:
                place[left] = place[node] + 1
            if right != NONE:
                place[right] = place[node] + 1 + (under[left] if left != NONE else 0)
        return tuple(sorted(range(len(instance)), key=place.__getitem__))


def _shapes(size: int, first: int) -> list[Tree]:
    """All trees of so many nodes, numbered in preorder from `first`; of none, the empty one."""
    if not size:
        return [()]
    trees = []
    for left in range(size):
        for lower in _shapes(left, first + 1):
            for upper in _shapes(size - 1 - left, first + 1 + left):
                pair = first + 1 if lower else NONE, first + 1 + left if upper else NONE
                trees.append((pair, *lower, *upper))
    return trees

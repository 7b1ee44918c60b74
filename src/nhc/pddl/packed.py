"""Ground tasks in whole numbers: states as bits, and the actions that apply found without testing each.

A state has FACTS facts a word, and one more bit that is always set. An action applies if all its facts hold
and none of those that it denies. Each action has a *key*, the one of its facts that is least likely to hold;
without facts it is that bit. Below each key stands a tree of tests, where actions with the same first tests
share them; it is laid out in the order of a walk, and each test says where the walk goes on if it fails. So
only trees of keys that hold are walked. What they find is marked in a set of bits, which gives the actions
back in their order.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import pairwise, takewhile
from typing import NamedTuple

import numpy as np

from nhc.domains.space import Row, Rows, Space
from nhc.pddl.grounding import Ground, GroundAction

FACTS = 62
"""Facts a word: two bits of 64 stay zero, so no sign gets in the way."""
MODULUS = 67
"""Powers of two up to 2**65 leave different rests; so the rest tells which bit is set."""
HEADER = 9
"""Numbers before the tables: words of a state and of the marks, and where each table begins."""
NODE = 6
"""Numbers of a test: word, mask, expected value, where to go if it fails, word and bit of the action's mark.
The bit is zero if further tests follow."""
CHANGE = 3
"""Numbers of a change: word, what stays, what is added."""


class Test(NamedTuple):
    """One fact that must hold or not."""

    fact: int
    value: bool


def pack(task: Ground) -> Space:
    """The task as a space."""
    always = len(task.facts)
    words = always // FACTS + 1
    marks = max(1, -(-len(task.actions) // FACTS))
    keys, starts, nodes = _trees(task, words)
    change_starts, changes = _changes(task.actions)
    tables = (_goal(task, words), keys, starts, nodes, change_starts, changes, _bits())
    places = np.cumsum([HEADER, *map(len, tables)])[:-1].tolist()
    # Walks and changes name places in the whole of the facts.
    starts[:] = [places[3] + start for start in starts]
    nodes[3::NODE] = [places[3] + skip for skip in nodes[3::NODE]]
    change_starts[:] = [places[5] + start for start in change_starts]
    facts = np.array([words, marks, *places, *(number for table in tables for number in table)], np.int64)
    start = np.array([_mask(task.start | {always}, word) for word in range(words)], np.int64)
    return Space(start, facts, np.zeros(marks, np.int64), len(task.actions), expand, at_goal)


def _mask(facts: Iterable[int], word: int) -> int:
    return sum(1 << fact % FACTS for fact in facts if fact // FACTS == word)


def _bits() -> list[int]:
    table = [0] * MODULUS
    for bit in range(FACTS):
        table[(1 << bit) % MODULUS] = bit
    return table


def _goal(task: Ground, words: int) -> list[int]:
    """Mask and expected value of each word. A goal out of reach expects a bit outside the mask."""
    if task.goal is None:
        return [0, 1] * words
    wanted, unwanted = task.goal
    return [
        number for word in range(words) for number in (_mask(wanted | unwanted, word), _mask(wanted, word))
    ]


def _changes(actions: list[GroundAction]) -> tuple[list[int], list[int]]:
    """Where the changes of each action begin, with an end, and the changes."""
    starts, changes = [0], []
    for action in actions:
        for word in sorted({fact // FACTS for fact in action.adds | action.deletes}):
            changes += [word, ~_mask(action.adds | action.deletes, word), _mask(action.adds, word)]
        starts.append(len(changes))
    return starts, changes


def _trees(task: Ground, words: int) -> tuple[list[int], list[int], list[int]]:
    """Masks of the keys of each word, where the tree of each fact begins, and the trees."""
    chance = _chances(task)
    trees: dict[int, list[tuple[list[Test], int]]] = defaultdict(list)
    for label, action in enumerate(task.actions):
        tests = [Test(fact, True) for fact in action.needs] + [Test(fact, False) for fact in action.denies]
        tests.sort(key=lambda test: (chance[test.fact] if test.value else 1 - chance[test.fact], test))
        key = next((test for test in tests if test.value), None)
        trees[len(task.facts) if key is None else key.fact].append(
            ([t for t in tests if t is not key], label)
        )
    nodes: list[int] = []
    starts = []
    for fact in range(FACTS * words + 1):
        starts.append(len(nodes))
        _grow(nodes, sorted(trees.get(fact, [])))
    return [_mask(trees, word) for word in range(words)], starts, nodes


def _chances(task: Ground) -> list[float]:
    """How likely each fact is to hold: the share of its predicate's facts that hold at the start.

    Most tasks keep the number of such facts: one place a truck, many free cells.
    """
    total = Counter(fact[0] for fact in task.facts)
    held = Counter(task.facts[number][0] for number in task.start)
    return [(held[fact[0]] + 0.5) / (total[fact[0]] + 1) for fact in task.facts]


def _grow(nodes: list[int], actions: list[tuple[list[Test], int]]) -> None:
    """Append the tree of the actions of one key, which come sorted by their tests."""
    shared = [_shared(one[0], two[0]) for one, two in pairwise(actions)]
    opened: list[int] = []
    for (tests, label), before, after in zip(actions, [0, *shared], [*shared, 0], strict=False):
        _close(nodes, opened, before)
        for test in tests[before:after]:
            opened.append(len(nodes))
            nodes += [*_joined([test]), 0, 0, 0]
        own = tests[max(before, after) :]
        chain = [
            [test for test in own if test.fact // FACTS == word] for word in {t.fact // FACTS for t in own}
        ]
        end = len(nodes) + NODE * max(1, len(chain))
        for part in chain or [[]]:
            nodes += [*_joined(part), end, 0, 0]
        nodes[-2:] = [label // FACTS, 1 << label % FACTS]
    _close(nodes, opened, 0)


def _shared(one: list[Test], two: list[Test]) -> int:
    """How many tests two lists have in common at the front."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, two, strict=False)))


def _close(nodes: list[int], opened: list[int], depth: int) -> None:
    """End the tests that are deeper: a walk that fails them goes on here."""
    while len(opened) > depth:
        nodes[opened.pop() + 3] = len(nodes)


def _joined(tests: list[Test]) -> tuple[int, int, int]:
    """Word, mask and expected value of tests in one word; without tests, what always holds."""
    word = tests[0].fact // FACTS if tests else 0
    return word, _mask((t.fact for t in tests), word), _mask((t.fact for t in tests if t.value), word)


def expand(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """The successors of a state, see `nhc.domains.space.Expand`."""
    words, marks, keys, starts = facts[0], facts[1], facts[3], facts[4]
    change_starts, bits = facts[6], facts[8]
    for word in range(marks):
        scratch[word] = 0
    for word in range(words):
        held = facts[keys + word] & state[word]
        while held:
            bit = held & -held
            held ^= bit
            start = starts + FACTS * word + facts[bits + bit % MODULUS]
            node, end = facts[start], facts[start + 1]
            while node < end:
                if state[facts[node]] & facts[node + 1] != facts[node + 2]:
                    node = facts[node + 3]
                    continue
                scratch[facts[node + 4]] |= facts[node + 5]
                node += NODE
    count = 0
    for mark in range(marks):
        found = scratch[mark]
        while found:
            bit = found & -found
            found ^= bit
            label = FACTS * mark + facts[bits + bit % MODULUS]
            for word in range(words):
                made[count, word] = state[word]
            change, end = facts[change_starts + label], facts[change_starts + label + 1]
            while change < end:
                word = facts[change]
                made[count, word] = made[count, word] & facts[change + 1] | facts[change + 2]
                change += CHANGE
            labels[count] = label
            count += 1
    return count


def at_goal(facts: Row, state: Row) -> int:
    """Does the state fulfil the goal, see `nhc.domains.space.AtGoal`."""
    for word in range(facts[0]):
        goal = facts[2] + 2 * word
        if state[word] & facts[goal] != facts[goal + 1]:
            return 0
    return 1

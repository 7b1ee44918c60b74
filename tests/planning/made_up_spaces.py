"""Random graphs as spaces, with rows of many words; and a slow twin of the search, in plain Python."""

from collections import deque
from typing import NamedTuple

import numpy as np

from nhc.domains.space import Row, Rows, Space
from nhc.planning.closed_loop import FIRST_MIX


def expand_listed(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """Facts: length of rows, most actions; then by number a row, how many successors, and these numbers."""
    words, most = facts[0], facts[1]
    size = words + 1 + most
    begin = 2 + size * state[words - 1]
    count = facts[begin + words]
    for action in range(count):
        target = facts[begin + words + 1 + action]
        for word in range(words):
            made[action, word] = facts[2 + size * target + word]
        labels[action] = 10 * target + 3 * action
    return int(count)


def at_listed(facts: Row, state: Row) -> int:
    """The goal's number is the last of the facts."""
    return int(state[facts[0] - 1] == facts[len(facts) - 1])


def listed_space(rows: np.ndarray, successors: list[list[int]], goal: int = -1) -> Space:
    """States by number; the last word of a row is its number."""
    most = max(1, *map(len, successors))
    facts = [rows.shape[1], most]
    for row, after in zip(rows.tolist(), successors, strict=True):
        facts += [*row, len(after), *after, *[0] * (most - len(after))]
    return Space(rows[0], np.array([*facts, goal]), np.zeros(0, np.int64), most, expand_listed, at_listed)


def random_space(
    rng: np.random.Generator,
    *,
    size: int,
    words: int,
    most: int,
    least: int = 0,
    goal: bool = False,
    loose: bool = False,
) -> Space:
    """Random successors; words before the last agree often. With `loose` all states are near, else not."""
    rows = rng.integers(0, 2, (size, words))
    rows[:, -1] = np.arange(size)
    wide = size if loose else 6
    successors = [
        [int(n) for n in (number + rng.integers(-1, wide, rng.integers(least, most + 1))) % size]
        for number in range(size)
    ]
    return listed_space(rows, successors, int(rng.integers(1, size)) if goal else -1)


def colliding_space(size: int) -> Space:
    """A ring in which all rows have one hash: the second word undoes what the first did to it."""
    mixed = [number * FIRST_MIX % 2**64 for number in range(size)]
    rows = np.array([[number, hashed ^ hashed >> 32] for number, hashed in enumerate(mixed)], np.uint64)
    space = listed_space(rows.view(np.int64), [[(number + 1) % size, number] for number in range(size)])
    return space._replace(expand=expand_by_first, at_goal=at_never)


def expand_by_first(facts: Row, scratch: Row, state: Row, made: Rows, labels: Row) -> int:
    """As `expand_listed` with rows of two words, of which the first is the number."""
    begin = 2 + (facts[0] + 1 + facts[1]) * state[0]
    for action in range(facts[begin + 2]):
        target = facts[begin + 3 + action]
        for word in range(2):
            made[action, word] = facts[2 + (facts[0] + 1 + facts[1]) * target + word]
        labels[action] = target
    return int(facts[begin + 2])


def at_never(facts: Row, state: Row) -> int:
    return 0


class Slow(NamedTuple):
    """What the search should find."""

    states: list[tuple[int, ...]]
    successors: list[list[int]]
    """Of each state that was expanded."""
    layers: list[int]
    goal: int | None


def slow_search(space: Space, most_expanded: int = 10**9) -> Slow:
    """With a dict, a deque and the rules uncompiled."""
    start = tuple(space.start.tolist())
    number, depth, queue = {start: 0}, [0], deque([start])
    successors: list[list[int]] = []
    goal = None
    while queue and goal is None and len(successors) < most_expanded:
        state = queue.popleft()
        successors.append([])
        for _, made in slow_successors(space, state):
            if made not in number:
                number[made] = len(number)
                depth.append(depth[number[state]] + 1)
                queue.append(made)
                if space.at_goal(space.facts, np.array(made)):
                    goal = number[made]
            successors[-1].append(number[made])
            if goal is not None:
                break
    return Slow([*number], successors, [depth.count(d) for d in range(depth[-1] + 1)], goal)


def slow_successors(space: Space, state: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Labels and successors."""
    made = np.zeros((space.most_actions, len(state)), np.int64)
    labels = np.zeros(space.most_actions, np.int64)
    count = space.expand(space.facts, space.scratch.copy(), np.array(state), made, labels)
    return [(int(labels[row]), tuple(made[row].tolist())) for row in range(count)]

"""A tiny world for tests: an agent and up to two boxes in a corridor of five cells.

Operation 1 moves right and 3 left, pushing a box if the cell behind it is free; 0 and 2 have no effect. What
lies past the ends is a symbol of its own.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace, one_hot, slots_of
from nhc.domains.states import joined, picked

CELLS = 5
AGENT, BOX, EMPTY, END = range(4)
RIGHT, LEFT = (0, 3, 4), (0, 1, 2)
FORM = WordForm(("agent", "box", "empty"), CELLS, 5, END, (RIGHT, RIGHT, LEFT, LEFT))


class State(NamedTuple):
    """Boxes as a bit mask."""

    agent: NDArray[np.int64]
    boxes: NDArray[np.int64]


class Corridor:
    """All 55 states; with `seen`, the sampler only draws states whose agent stands in one of those cells."""

    def __init__(self, seen: tuple[int, ...] = tuple(range(CELLS))) -> None:
        self.seen = seen

    name = "corridor"
    family = "an agent and up to two boxes in five cells"
    form = FORM
    word_bits = FORM.word_bits
    family_size = 5 * (1 + 4 + 6)

    def family_states(self) -> Iterator[State]:
        for agent in range(CELLS):
            free = [cell for cell in range(CELLS) if cell != agent]
            masks = [sum(1 << cell for cell in chosen) for n in range(3) for chosen in combinations(free, n)]
            yield State(np.full(len(masks), agent), np.array(masks))

    def sample(self, rng: np.random.Generator, count: int) -> State:
        states = joined(list(self.family_states()))
        rows = np.flatnonzero(np.isin(states.agent, self.seen))
        return picked(states, rng.choice(rows, count))

    def contents(self, state: State) -> NDArray[np.uint8]:
        cells = np.arange(CELLS)
        boxes = (state.boxes[..., None] >> cells) & 1
        return np.where(cells == state.agent[..., None], AGENT, np.where(boxes == 1, BOX, EMPTY)).astype(
            np.uint8
        )

    def step(self, state: State, op: int) -> State:
        pairs = zip(state.agent.tolist(), state.boxes.tolist(), strict=True)
        moved = [move(agent, boxes, op) for agent, boxes in pairs]
        agents, boxes = zip(*moved, strict=True) if moved else ((), ())
        return State(np.array(agents, np.int64), np.array(boxes, np.int64))

    def key(self, state: State) -> NDArray[np.uint64]:
        return (state.agent * 32 + state.boxes).astype(np.uint64)

    def encode(self, state: State) -> NDArray[np.uint8]:
        return one_hot(self.contents(state), len(FORM.symbols))

    def decode(self, words: NDArray[np.uint8]) -> State:
        numbers = words.reshape(*words.shape[:-1], CELLS, len(FORM.symbols)).argmax(axis=-1)
        masks = ((numbers == BOX) << np.arange(CELLS)).sum(axis=-1)
        return State((numbers == AGENT).argmax(axis=-1), masks)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        xp = namespace(contents)
        agent = xp.argmax(xp.equal(contents, AGENT), axis=-1)
        cells = agent[..., None] + xp.asarray([0, -1, -2, 1, 2])
        inside: Numbers = xp.where((cells >= 0) & (cells < CELLS), cells, -1)
        return inside

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        xp = namespace(view)
        before = xp.take_along_axis(view, slots_of(FORM, op), axis=-1)
        first, second = before[..., 1], before[..., 2]
        tries = xp.equal(op, 1) | xp.equal(op, 3)
        pushes = tries & xp.equal(first, BOX) & xp.equal(second, EMPTY)
        moves = pushes | (tries & xp.equal(first, EMPTY))
        here = xp.where(moves, EMPTY, before[..., 0])
        after = [here, xp.where(moves, AGENT, first), xp.where(pushes, BOX, second)]
        return moves, xp.stack(after, axis=-1).astype(before.dtype)

    def views(self) -> NDArray[np.uint8]:
        states = joined(list(self.family_states()))
        contents = self.contents(states)
        cells = states.agent[:, None] + np.array([0, -1, -2, 1, 2])
        inside = (cells >= 0) & (cells < CELLS)
        held = np.take_along_axis(contents, np.clip(cells, 0, CELLS - 1), axis=1)
        return np.unique(np.where(inside, held, END).astype(np.uint8), axis=0)


def move(agent: int, boxes: int, op: int) -> tuple[int, int]:
    """The rule on plain integers."""
    way = {1: 1, 3: -1}.get(op, 0)
    there, behind = agent + way, agent + 2 * way
    if way == 0 or not 0 <= there < CELLS:
        return agent, boxes
    if not boxes >> there & 1:
        return there, boxes
    if not 0 <= behind < CELLS or boxes >> behind & 1:
        return agent, boxes
    return there, boxes ^ (1 << there) ^ (1 << behind)

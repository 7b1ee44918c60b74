"""Stacking boxes with a gripper: exact rules, local view, the family of all arrangements.

Four places hold up to three boxes each, a gripper holds one. The paper names the task domain without rules;
operation k here acts on place k: with a box in the gripper it puts that on top, with none it picks up the top
box. Cell 3p + h is height h (from below, from 0) of place p, cell 12 is the gripper; 0 means empty, other
numbers are boxes. An arrangement is packed into one integer, see `nhc.domains.states`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import permutations, product
from math import comb, factorial
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import CellWorld, Numbers, WordForm, held_in, namespace, require
from nhc.domains.protocol import NOP
from nhc.domains.states import CODE_BITS, CODE_MASK, Code, pack, unpack
from nhc.domains.text import items, whole_number
from nhc.errors import ConfigError, InputError

PLACES, HEIGHT = 4, 3
GRIPPER = PLACES * HEIGHT
CELLS = GRIPPER + 1
EMPTY, EMPTY_SIGN = 0, "."
LOWEST = sum(1 << CODE_BITS * height for height in range(HEIGHT))
REACH = tuple((0, 1 + 2 * place, 2 + 2 * place) for place in range(PLACES))
"""Slot 0 is the gripper, slots 1 + 2p and 2 + 2p are top box and lowest free cell of place p."""

MOST_BOXES = 9
USUAL_BOXES = 5
KEYS = ("places", "held")


class Stacks(NamedTuple):
    """One arrangement, or a batch of them; no place has a gap below a box."""

    code: Code


@dataclass(frozen=True)
class Stacking(CellWorld[Stacks]):
    """`boxes` distinct boxes on four places of height three, and a gripper.

    The protocol is `nhc.domains.local.FiniteWorld`. Raises ConfigError (code `stacking.boxes`) unless there
    are 1 to 9 boxes.
    """

    boxes: int = USUAL_BOXES

    def __post_init__(self) -> None:
        if not 1 <= self.boxes <= MOST_BOXES:
            raise ConfigError("stacking.boxes", f"expected 1 to {MOST_BOXES} boxes, found {self.boxes}")

    @property
    def name(self) -> str:
        """`stacking` for 5 boxes, else `stacking-BOXES`."""
        return "stacking" if self.boxes == USUAL_BOXES else f"stacking-{self.boxes}"

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return (
            f"all arrangements of {self.boxes} distinct boxes on {PLACES} places of height {HEIGHT} without "
            f"gaps, the gripper empty or holding one of them"
        )

    @property
    def form(self) -> WordForm:
        """The symbols empty and every box; a slot without a cell shows a symbol of its own.

        Such are the top of an empty place and the free cell of a full one.
        """
        symbols = ("empty", *(f"box {box}" for box in range(1, self.boxes + 1)))
        return WordForm(symbols, CELLS, 1 + 2 * PLACES, len(symbols), REACH)

    def sample(self, rng: np.random.Generator, count: int) -> Stacks:
        """`count` independent arrangements, uniform over the family; consumes `rng`.

        Every shape has as many orders of the boxes, so a uniform shape with a uniform order is uniform.
        """
        among = np.array(shapes(self.boxes), np.intp)
        orders = np.tile(np.arange(1, self.boxes + 1, dtype=np.uint8), (count, 1))
        return _arranged(among[rng.integers(len(among), size=count)], rng.permuted(orders, axis=1))

    def step(self, state: Stacks, op: int) -> Stacks:
        """The arrangement after putting down on, or picking up from, place `op` (0..3).

        Putting on a full place and picking from an empty one return an equal arrangement.
        """
        code = cast("int", state.code)  # arrays obey the same operators
        place, gripper = CODE_BITS * HEIGHT * op, CODE_BITS * GRIPPER
        column, held = code >> place & LOWEST * CODE_MASK, code >> gripper
        occupied = (column | column >> 1 | column >> 2 | column >> 3) & LOWEST
        top = occupied & ~(occupied >> CODE_BITS)
        free = (occupied << CODE_BITS | 1) & ~occupied & LOWEST
        idle = 1 - ((held | held >> 1 | held >> 2 | held >> 3) & 1)
        put, picked = free * held, idle * (column & top * CODE_MASK)
        given = held * ((free | free >> CODE_BITS | free >> 2 * CODE_BITS) & 1)
        taken = (picked | picked >> CODE_BITS | picked >> 2 * CODE_BITS) & CODE_MASK
        return Stacks(code ^ (put | picked) << place ^ (given | taken) << gripper)

    def key(self, state: Stacks) -> NDArray[np.uint64]:
        """The codes themselves."""
        return np.asarray(state.code, np.uint64)

    def contents(self, state: Stacks) -> NDArray[np.uint8]:
        """The symbol number of each cell: 0 if it is empty, else the box's number."""
        return unpack(state.code, CELLS)

    def from_contents(self, contents: NDArray[np.uint8]) -> Stacks:
        """The inverse of `contents`.

        Raises InputError (`word.invalid`) for a box that is missing or occurs twice, and a gap below a box.
        """
        there = np.sort(contents, axis=-1)[..., CELLS - self.boxes :] == np.arange(1, self.boxes + 1)
        filled = (contents != EMPTY).sum(axis=-1) == self.boxes
        require(there.all(axis=-1) & filled, "every box once")
        places = contents[..., :GRIPPER].reshape(*contents.shape[:-1], PLACES, HEIGHT)
        gaps = (places[..., :-1] == EMPTY) & (places[..., 1:] != EMPTY)
        require(~gaps.any(axis=(-2, -1)), "no empty cell below a box")
        codes = pack(contents)
        return Stacks(int(codes) if contents.ndim == 1 else codes)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The gripper, and the cells of top box and lowest free cell of each place, -1 for none."""
        xp = namespace(contents)
        lead = contents.shape[:-1]
        places = xp.reshape(contents[..., :GRIPPER], (*lead, PLACES, HEIGHT))
        heights = xp.sum(xp.not_equal(places, EMPTY), axis=-1, dtype=np.int32)
        lowest = xp.broadcast_to(xp.arange(0, GRIPPER, HEIGHT, dtype=np.int32), (*lead, PLACES))
        top = xp.where(heights > 0, lowest + heights - 1, -1)
        free = xp.where(heights < HEIGHT, lowest + heights, -1)
        pairs = xp.reshape(xp.stack([top, free], axis=-1), (*lead, 2 * PLACES))
        cells: Numbers = xp.concatenate([xp.full((*lead, 1), GRIPPER, dtype=pairs.dtype), pairs], axis=-1)
        return cells

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """A held box goes to the free cell, an empty gripper takes the top box, where there is one."""
        xp, form = namespace(view), self.form
        before = held_in(form, view, op)
        held, top, free = before[..., 0], before[..., 1], before[..., 2]
        tries, idle = xp.not_equal(op, NOP), xp.equal(held, EMPTY)
        puts = tries & ~idle & xp.not_equal(free, form.beyond)
        picks = tries & idle & xp.not_equal(top, form.beyond)
        holds = xp.where(picks, top, xp.where(puts, EMPTY, held))
        after = xp.stack([holds, xp.where(picks, EMPTY, top), xp.where(puts, held, free)], axis=-1)
        return puts | picks, after.astype(before.dtype)

    @property
    def family_size(self) -> int:
        """Number of arrangements by formula: 8,520 for 5 boxes."""
        return factorial(self.boxes) * (_heights(self.boxes) + _heights(self.boxes - 1))

    def family_states(self) -> Iterator[Stacks]:
        """Every arrangement exactly once, in batches of one shape."""
        orders = np.array(list(permutations(range(1, self.boxes + 1))), np.uint8)
        for shape in shapes(self.boxes):
            yield _arranged(np.array([shape] * len(orders), np.intp), orders)

    def views(self) -> NDArray[np.uint8]:
        """Every view that some arrangement shows, and no other: 3,000 for 5 boxes."""
        boxes, beyond = self.boxes, self.form.beyond
        views = [[EMPTY], *([box] for box in range(1, boxes + 1))]
        for _ in range(PLACES):
            views = [view + slots for view in views for slots in _place_slots(view, boxes, beyond)]
        return np.array([view for view in views if _occurs(view, boxes, beyond)], np.uint8)

    def draw(self, state: Stacks) -> str:
        """The gripper such as `[3]`, then the places side by side, as high as they may become."""
        contents = unpack(state.code, CELLS).tolist()
        signs = [str(box) if box != EMPTY else EMPTY_SIGN for box in contents]
        rows = [" ".join(signs[height:GRIPPER:HEIGHT]) for height in reversed(range(HEIGHT))]
        return "\n".join([f"[{signs[GRIPPER]}]".center(len(rows[0])), *rows])

    def plan_text(self, start: Stacks, ops: list[int]) -> str:
        """The places that the gripper goes to, such as `place-0 place-3`."""
        del start
        return " ".join(f"place-{op}" for op in ops)

    def state_to_json(self, state: Stacks) -> object:
        """An object of `places`, lists of boxes from below, and `held`, a box or None."""
        contents = unpack(state.code, CELLS).tolist()
        places = [contents[HEIGHT * place : HEIGHT * (place + 1)] for place in range(PLACES)]
        held = contents[GRIPPER]
        return {"places": [[box for box in place if box != EMPTY] for place in places], "held": held or None}

    def state_from_json(self, value: object) -> Stacks:
        """The inverse of `state_to_json`; raises InputError (code `task.json`) for what is no state."""
        if not isinstance(value, dict) or sorted(value) != sorted(KEYS):
            raise InputError("task.json", f"expected an object of {' and '.join(KEYS)}, found {value!r:.60}")
        contents = [EMPTY] * CELLS
        for number, place in enumerate(items(value["places"], "places", PLACES, PLACES)):
            for height, box in enumerate(items(place, "boxes", 0, HEIGHT)):
                contents[HEIGHT * number + height] = whole_number(box, 1, self.boxes)
        if value["held"] is not None:
            contents[GRIPPER] = whole_number(value["held"], 1, self.boxes)
        for box in range(1, self.boxes + 1):
            if (count := contents.count(box)) != 1:
                raise InputError("task.json", f"each box must occur once, but box {box} occurs {count} times")
        return Stacks(int(pack(np.array(contents, np.uint8))))


def shapes(boxes: int) -> list[tuple[int, ...]]:
    """The occupied cells of every shape (heights of the places, is a box held?): 71 shapes for 5 boxes."""
    return [
        (
            *(HEIGHT * place + height for place in range(PLACES) for height in range(heights[place])),
            *((GRIPPER,) if held else ()),
        )
        for held in (0, 1)
        for heights in product(range(HEIGHT + 1), repeat=PLACES)
        if sum(heights) + held == boxes
    ]


def _heights(boxes: int) -> int:
    """Ways to choose the heights of all places, by inclusion and exclusion of places that are too high."""
    return sum(
        (-1) ** high * comb(PLACES, high) * comb(boxes - high * (HEIGHT + 1) + PLACES - 1, PLACES - 1)
        for high in range(PLACES + 1)
        if boxes >= high * (HEIGHT + 1)
    )


def _arranged(cells: NDArray[np.intp], orders: NDArray[np.uint8]) -> Stacks:
    """The boxes of each row of `orders` in the cells of the same row."""
    contents = np.zeros((len(cells), CELLS), np.uint8)
    np.put_along_axis(contents, cells, orders, axis=1)
    return Stacks(pack(contents))


def _place_slots(view: list[int], boxes: int, beyond: int) -> list[list[int]]:
    """What a place can show after this beginning of a view: empty, or an unseen box, full or not."""
    unseen = [box for box in range(1, boxes + 1) if box not in view[:1] + view[1::2]]
    return [[beyond, EMPTY], *([box, above] for box in unseen for above in (EMPTY, beyond))]


def _occurs(view: list[int], boxes: int, beyond: int) -> bool:
    """Do the boxes that are not seen fit below the tops?  Two in each full place, up to one in others."""
    tops, above = view[1::2], view[2::2]
    occupied = sum(top != beyond for top in tops)
    full = sum(cell == beyond for cell in above)
    hidden = boxes - occupied - (view[0] != EMPTY)
    return 2 * full <= hidden <= 2 * full + (occupied - full)

"""Stacking's local view: the gripper, and of each place its top box and its lowest free cell.

Slot 0 is the gripper, slots 1 + 2p and 2 + 2p belong to place p; a slot without a cell (the top of an empty
place, the free cell of a full one) shows a symbol of its own. Operation p changes the gripper and its place's
two slots.
"""

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordForm, namespace, slots_of
from nhc.domains.protocol import NOP
from nhc.domains.stacking.rules import CELLS, EMPTY, GRIPPER, HEIGHT, PLACES


def word_form(boxes: int) -> WordForm:
    """The symbols empty and every box; nine slots, three changes."""
    symbols = ("empty", *(f"box {box}" for box in range(1, boxes + 1)))
    reach = tuple((0, 1 + 2 * place, 2 + 2 * place) for place in range(PLACES))
    return WordForm(symbols, CELLS, 1 + 2 * PLACES, len(symbols), reach)


def cells_in_view(contents: Numbers) -> Numbers:
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


def act(form: WordForm, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
    """A held box goes to the free cell, an empty gripper takes the top box, where there is one."""
    xp = namespace(view)
    before = xp.take_along_axis(view, slots_of(form, op), axis=-1)
    held, top, free = before[..., 0], before[..., 1], before[..., 2]
    tries, idle = xp.not_equal(op, NOP), xp.equal(held, EMPTY)
    puts = tries & ~idle & xp.not_equal(free, form.beyond)
    picks = tries & idle & xp.not_equal(top, form.beyond)
    after = xp.stack(
        [
            xp.where(picks, top, xp.where(puts, EMPTY, held)),
            xp.where(picks, EMPTY, top),
            xp.where(puts, held, free),
        ],
        axis=-1,
    )
    return puts | picks, after.astype(before.dtype)


def all_views(boxes: int) -> NDArray[np.uint8]:
    """Every view that some arrangement shows, and no other: 3,000 for 5 boxes."""
    beyond = word_form(boxes).beyond
    views = [[EMPTY], *([box] for box in range(1, boxes + 1))]
    for _ in range(PLACES):
        views = [view + slots for view in views for slots in _place_slots(view, boxes, beyond)]
    return np.array([view for view in views if _occurs(view, boxes, beyond)], np.uint8)


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

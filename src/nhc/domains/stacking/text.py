"""Arrangements of boxes for people: drawings, and lists of boxes in JSON."""

from typing import TypeGuard

import numpy as np

from nhc.domains.packed import pack, unpack
from nhc.domains.reading import items, whole_number
from nhc.domains.stacking.rules import CELLS, EMPTY, GRIPPER, HEIGHT, PLACES, Stacks
from nhc.errors import InputError

EMPTY_SIGN = "."
KEYS = ("places", "held")


def draw(stacks: Stacks) -> str:
    """The gripper such as `[3]`, then the places side by side, as high as they may become."""
    contents = unpack(stacks.code, CELLS).tolist()
    signs = [str(box) if box != EMPTY else EMPTY_SIGN for box in contents]
    rows = [" ".join(signs[height:GRIPPER:HEIGHT]) for height in reversed(range(HEIGHT))]
    return "\n".join([f"[{signs[GRIPPER]}]".center(len(rows[0])), *rows])


def to_json(stacks: Stacks) -> dict[str, object]:
    """Lists of boxes from below for the places, and the held box or None."""
    contents = unpack(stacks.code, CELLS).tolist()
    places = [contents[HEIGHT * place : HEIGHT * (place + 1)] for place in range(PLACES)]
    held = contents[GRIPPER]
    return {"places": [[box for box in place if box != EMPTY] for place in places], "held": held or None}


def from_json(value: object, boxes: int) -> Stacks:
    """The inverse of `to_json`. Raises InputError (`task.json`)."""
    if not _is_object(value) or sorted(value) != sorted(KEYS):
        raise InputError("task.json", f"expected an object of {' and '.join(KEYS)}, found {value!r:.60}")
    contents = [EMPTY] * CELLS
    for number, place in enumerate(items(value["places"], "places", PLACES, PLACES)):
        for height, box in enumerate(items(place, "boxes", 0, HEIGHT)):
            contents[HEIGHT * number + height] = whole_number(box, 1, boxes)
    if value["held"] is not None:
        contents[GRIPPER] = whole_number(value["held"], 1, boxes)
    wrong = [box for box in range(1, boxes + 1) if contents.count(box) != 1]
    if wrong:
        count = contents.count(wrong[0])
        raise InputError("task.json", f"each box must occur once, but box {wrong[0]} occurs {count} times")
    return Stacks(int(pack(np.array(contents, np.uint8))))


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return isinstance(value, dict)

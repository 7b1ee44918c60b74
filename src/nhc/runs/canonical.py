"""Canonical JSON: one text for one value, so that equal runs give equal files, byte for byte.

The rules: keys sorted, no spaces, ASCII only, floats in their shortest exact form, no NaN or infinity.
"""

import json


def canonical_json(value: object) -> str:
    """The one-line text of a value made of dicts with text keys, lists, text, numbers, bools and None.

    Tuples are written as lists. Raises ValueError for NaN and infinity and TypeError for anything else
    (NumPy scalars too): such values are faults of the caller, not of the user.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def readable_json(value: object) -> str:
    """The same value for human readers: sorted keys, indented, a line feed at the end."""
    return json.dumps(value, sort_keys=True, indent=2, allow_nan=False) + "\n"


def parse_json(text: str | bytes) -> object:
    """The value of a JSON text; raises ValueError for anything that is not strict JSON, NaN included."""
    try:
        value: object = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is not a JSON number")

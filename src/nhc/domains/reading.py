"""Parts of states in JSON texts, checked: whole numbers and lists of a length."""

from nhc.errors import InputError


def whole_number(value: object, least: int, most: int) -> int:
    """A whole number of a range. Raises InputError (`task.json`)."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise InputError("task.json", f"expected a whole number from {least} to {most}, found {value!r:.60}")
    return value


def items(value: object, what: str, least: int, most: int) -> list[object]:
    """The items of a list. Raises InputError (`task.json`) unless they are as many as allowed."""
    if not isinstance(value, list) or not least <= len(value) <= most:
        count = str(least) if least == most else f"{least} to {most}"
        raise InputError("task.json", f"expected a list of {count} {what}, found {value!r:.60}")
    return list(value)

"""States as text: drawings side by side for terminals, and checked parts of states in JSON."""

from nhc.errors import InputError

GAP = "   "


def side_by_side(drawings: list[str], captions: list[str] | None = None, width: int = 100) -> str:
    """As many drawings in a line as fit into `width` columns, at least one.

    A drawing's lines have equal width. A caption stands above its drawing, cut to the drawing's width; there
    are as many as drawings, or none.
    """
    frames = [drawing.split("\n") for drawing in drawings]
    columns = max((len(rows[0]) for rows in frames), default=1)
    if captions is not None:
        named = zip(captions, frames, strict=True)
        frames = [[caption[:columns].ljust(columns), *rows] for caption, rows in named]
    across = max(1, (width + len(GAP)) // (columns + len(GAP)))
    bands = [frames[start : start + across] for start in range(0, len(frames), across)]
    return "\n\n".join(
        "\n".join(GAP.join(rows).rstrip() for rows in zip(*band, strict=True)) for band in bands
    )


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

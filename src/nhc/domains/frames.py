"""Drawings of states side by side, for terminals."""

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

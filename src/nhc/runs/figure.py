"""What all pictures of runs share: style, colours, and files that are equal for equal data."""

import io
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from nhc.runs.storage import write_atomically

Colour = tuple[float, float, float]

# Okabe and Ito's and Tol's colours for colour-blind readers, without the light ones: each must keep its
# distance from white, from its light form and from its neighbours in this order.
COLOURS = tuple(map(to_rgb, ("#0072B2", "#D55E00", "#117733", "#AA4499", "#B8860B", "#332288")))

GREY: Colour = (0.45, 0.45, 0.45)

STYLE: dict[str, object] = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "legend.frameon": False,
    "legend.fontsize": 7.5,
    # Element names in the SVG are hashed with this salt; otherwise they are random.
    "svg.hashsalt": "nhc",
}


def level_colour(level: int) -> Colour:
    """The colour of a curriculum level, counted from 1; neighbouring levels differ."""
    return COLOURS[(level - 1) % len(COLOURS)]


def lighten(colour: Colour, share: float = 0.6) -> Colour:
    """The colour mixed with white; `share` of white in [0, 1]."""
    red, green, blue = (part + (1 - part) * share for part in colour)
    return red, green, blue


class Picture(Figure):
    """A figure that notebooks show, without pyplot."""

    def _repr_png_(self) -> bytes:
        with style():
            return _rendered(self, "png", {"Software": None})


def new_figure(width: float, height: float) -> Picture:
    """An empty figure in inches, drawn by Agg; there is no global list of figures."""
    figure = Picture(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def save_figure(figure: Figure, path_stem: Path) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg` atomically; equal figures give equal bytes.

    Raises StorageError (code `storage.write`).
    """
    png, svg = (path_stem.with_name(path_stem.name + suffix) for suffix in (".png", ".svg"))
    with style():
        write_atomically(png, _rendered(figure, "png", {"Software": None}))
        write_atomically(svg, _rendered(figure, "svg", {"Date": None, "Creator": "nhc"}))
    return png, svg


def _rendered(figure: Figure, kind: str, metadata: dict[str, str | None]) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=kind, dpi=200, metadata=metadata)
    return buffer.getvalue()


def style() -> AbstractContextManager[None]:
    """A context with our settings on matplotlib's defaults, whatever the user's own settings are."""
    context: AbstractContextManager[None] = matplotlib.style.context(["default", STYLE])
    return context

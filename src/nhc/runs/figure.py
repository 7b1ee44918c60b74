"""What all pictures of runs share: style, colours, and files that are equal for equal data."""

import io
from contextlib import AbstractContextManager
from pathlib import Path

import matplotlib.style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from nhc.errors import ConfigError
from nhc.runs import palette
from nhc.runs.storage import write_atomically

Colour = tuple[float, float, float]
COLOURS: tuple[Colour, ...] = tuple(map(to_rgb, palette.COLOURS))
GREY: Colour = to_rgb(palette.GREY)

COLUMN_MM = {1: 89.0, 2: 183.0}
"""Width of pictures over one or two columns of a page, as most journals have them."""
MM = 1 / 25.4
"""Inches."""
POINTS = 72
"""In an inch."""
WIDTH = COLUMN_MM[2] * MM
"""Of pictures, unless another is asked for."""
DASHES = (0, (4, 3))

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
    # Text stays text: searchable, editable, and in a PDF with its font (TrueType) inside.
    "svg.fonttype": "none",
    "pdf.fonttype": 42,
}

UNDATED: dict[str, dict[str, str | None]] = {
    ".png": {"Software": None},
    ".svg": {"Date": None, "Creator": "nhc"},
    ".pdf": {"CreationDate": None, "Creator": "nhc", "Producer": None},
}
"""Metadata of each kind of file, without what differs from one time to the next."""
VECTOR = (".svg", ".pdf")


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
            return _rendered(self, ".png")


def new_figure(width: float, height: float) -> Picture:
    """An empty figure in inches, drawn by Agg; there is no global list of figures."""
    figure = Picture(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def axes_at(figure: Figure, left: float, bottom: float, width: float, height: float) -> Axes:
    """Axes at a place in millimetres, from the lower left corner."""
    across, up = figure.get_size_inches() / MM
    return figure.add_axes((left / across, bottom / up, width / across, height / up))


def draw_title(figure: Figure, title: str) -> None:
    """Above all else, 2 mm from the left."""
    across, up = figure.get_size_inches() / MM
    figure.text(2 / across, 1 - 4 / up, title, fontsize=9, va="center", parse_math=False)


def extent(axes: Axes) -> tuple[float, float]:
    """Width and height of axes in inches."""
    box = axes.bbox
    return box.width / axes.figure.dpi, box.height / axes.figure.dpi


def save_figure(figure: Figure, path_stem: Path) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg` atomically; equal figures give equal bytes.

    Raises StorageError (code `storage.write`).
    """
    png, svg = (path_stem.with_name(path_stem.name + suffix) for suffix in (".png", ".svg"))
    with style():
        for path in (png, svg):
            write_atomically(path, _rendered(figure, path.suffix))
    return png, svg


def write_vector(figure: Figure, path: Path) -> None:
    """Write an SVG or a PDF, by the ending of `path`; equal figures give equal bytes.

    Raises StorageError (`storage.write`), and what `require_vector` raises.
    """
    require_vector(path)
    with style():
        write_atomically(path, _rendered(figure, path.suffix.lower()))


def require_vector(path: Path) -> None:
    """Raises ConfigError (`figure.format`) unless the name ends in .svg or .pdf."""
    if path.suffix.lower() not in VECTOR:
        raise ConfigError("figure.format", f"expected a name that ends in .svg or .pdf, found {path.name}")


def _rendered(figure: Figure, ending: str) -> bytes:
    buffer = io.BytesIO()
    figure.savefig(buffer, format=ending[1:], dpi=200, metadata=UNDATED[ending])
    return buffer.getvalue()


def style() -> AbstractContextManager[None]:
    """A context with our settings on matplotlib's defaults, whatever the user's own settings are."""
    context: AbstractContextManager[None] = matplotlib.style.context(["default", STYLE])
    return context

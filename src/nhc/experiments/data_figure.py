"""Updates that each data module needed, with and without bad memories."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.axes import Axes

from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style

WIDTH, HEIGHT = 7.2, 2.9


def draw_modules(
    updates: Mapping[str, Mapping[str, Sequence[tuple[int, bool]]]], *, path_stem: Path
) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg`.

    `updates`: variant -> module -> for each run its updates, and whether it got to no errors.
    Raises StorageError (`storage.write`).
    """
    names = list(dict.fromkeys(name for modules in updates.values() for name in modules))
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_axes((0.115, 0.24, 0.865, 0.66))
        width = 0.8 / len(updates)
        for number, (variant, modules) in enumerate(updates.items()):
            colour = COLOURS[number % len(COLOURS)]
            for at, name in enumerate(names):
                runs = modules.get(name, ())
                x = at + (number - (len(updates) - 1) / 2) * width
                if runs:
                    mean = sum(count for count, _ in runs) / len(runs)
                    axes.bar(
                        x, mean, 0.9 * width, color=colour, alpha=0.35, label=variant if at == 0 else None
                    )
                for count, clean in runs:
                    axes.plot(x, count, "o" if clean else "x", color=colour, markersize=4)
        _label(axes, names)
        axes.set_xlim(-0.6, len(names) - 0.4)
        axes.set_ylabel("updates")
        axes.margins(y=0.12)
        axes.yaxis.set_major_formatter("{x:,.0f}")
        axes.set_title("Updates until the complete check found no error", loc="left")
        axes.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2)
        note = "bars: mean; points: runs; a cross is a run that still had errors when its budget ended"
        figure.text(0.115, 0.03, note, size=6.5, color=GREY)
        return save_figure(figure, path_stem)


def _label(axes: Axes, names: Sequence[str]) -> None:
    """Modules below their bars, and once below each group its world; a name is both, on two lines."""
    parts = [name.split("\n") for name in names]
    axes.set_xticks(range(len(names)), [module for _, module in parts], fontsize=6.5)
    worlds = [world for world, _ in parts]
    for world in dict.fromkeys(worlds):
        middle = worlds.index(world) + (worlds.count(world) - 1) / 2
        axes.annotate(world, (middle, 0), (0, -22), xycoords=("data", "axes fraction"),
                      textcoords="offset points", ha="center", va="top", fontsize=7.5)  # fmt: skip

"""Where each run ended: its learning iterations and the level it reached."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.ticker import MaxNLocator

from nhc.runs.figure import COLOURS, GREY, new_figure, save_figure, style

WIDTH, HEIGHT = 7.2, 2.8
MARKERS = ("o", "^", "s", "D", "v", "P", "X", "*")


def draw_levels(
    groups: Mapping[str, Sequence[tuple[int, int]]], *, levels: int, title: str, path_stem: Path
) -> tuple[Path, Path]:
    """Write `<stem>.png` and `<stem>.svg`; a group is the (learning iterations, level reached) of its runs.

    A run that mastered all levels stands above the highest. Raises StorageError (`storage.write`).
    """
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        axes = figure.add_axes((0.085, 0.16, 0.645, 0.72))
        axes.axhline(levels + 0.5, color=GREY, linestyle=(0, (4, 3)), linewidth=0.8)
        across = axes.get_yaxis_transform()
        axes.text(1.008, levels + 1.0, "all mastered", transform=across, size=6.5, color=GREY, va="center")
        for number, (name, runs) in enumerate(groups.items()):
            # Slightly apart, so that neither groups nor the runs of one hide each other.
            shift = 0.4 * (number / max(len(groups) - 1, 1) - 0.5)
            apart = [0.3 * (at / max(len(runs) - 1, 1) - 0.5) for at in range(len(runs))]
            axes.plot(
                [learned for learned, _ in runs],
                [level + shift + jitter for (_, level), jitter in zip(runs, apart, strict=True)],
                MARKERS[number % len(MARKERS)],
                color=COLOURS[number % len(COLOURS)],
                markersize=4,
                alpha=0.75,
                label=f"{name} ({len(runs)})",
                clip_on=False,
            )
        axes.set_ylim(0.4, levels + 1.8)
        axes.set_yticks(
            [tick for tick in MaxNLocator(8, integer=True).tick_values(1, levels) if 1 <= tick <= levels]
        )
        axes.set_xlim(left=0)
        axes.xaxis.set_major_formatter("{x:,.0f}")
        axes.set_xlabel("learning iterations of the run")
        axes.set_ylabel("level reached")
        axes.set_title(title, loc="left")
        figure.legend(*axes.get_legend_handles_labels(), loc="upper left", bbox_to_anchor=(0.745, 0.72))
        return save_figure(figure, path_stem)

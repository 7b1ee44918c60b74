"""What fifteen machines learned, in one picture: which cell each reads at each tick, and what it does then.

python examples/learned_pictures.py learned.svg
"""

import sys
from pathlib import Path

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import argument_text
from nhc.computer.sequences import run_sequence
from nhc.model import load_model
from nhc.runs.figure import new_figure, style, write_vector
from nhc.runs.trace_figure import draw_reads

INPUTS = {
    "copy": "5 3 9 1 7",
    "reverse": "5 3 9 1 7",
    "duplicate": "5 3 9 1",
    "every-second": "5 3 9 1 7 2",
    "odds-first": "5 3 9 1 7",
    "repeat": "3 5 9 1",
    "brackets": "([]{()})",
    "counts": "aaabbbccc",
    "postfix": "3 4 + 2 * 7 -",
    "preorder": "d(b(a,c),f(e,g))",
    "hanoi": "3",
    "intersect": "5 3 9 / 9 4 5",
    "recall": "5=1 3=5 9=2 / 9 5 4",
    "sort": "5 3 9",
    "add": "999 1",
}
COLUMNS, ROWS = 3, 5
WIDTH, HEIGHT = 7.2, 10.4
"""Inches."""


def main(path: Path) -> None:
    """Run them all by their programs, and draw."""
    with style():
        figure = new_figure(WIDTH, HEIGHT)
        for place, (name, text) in enumerate(INPUTS.items(), 1):
            asked = NOTATIONS[name].read(argument_text(text.split()))
            made = run_sequence(load_model(f"zoo:{name}"), asked.instance, keep=True)
            assert made.trace is not None and made.correct
            axes = figure.add_subplot(ROWS, COLUMNS, place)
            draw_reads(axes, made.trace, 1)
            axes.set_title(f"{name}: {text}", fontsize=7, parse_math=False)
            axes.tick_params(labelsize=6)
            axes.set_xlabel("tick" if place > len(INPUTS) - COLUMNS else "", fontsize=7)
            axes.set_ylabel("cell read" if place % COLUMNS == 1 else "", fontsize=7)
            axes.legend(fontsize=5, loc="upper left", frameon=False)
        figure.subplots_adjust(left=0.07, right=0.99, bottom=0.05, top=0.97, wspace=0.18, hspace=0.32)
        write_vector(figure, path)


if __name__ == "__main__":
    main(Path(sys.argv[1]))

"""Traces as JSON lines for scripts: a first line that says what follows, a line a tick, a last line.

docs/viewer.md describes the format; whoever reads it needs nothing but a JSON reader. `VERSION` changes when
a reader has to.
"""

from collections.abc import Iterator

import numpy as np

from nhc.machine.layout import MECHANISMS
from nhc.model import Model
from nhc.runs.trace import Trace

FORMAT, VERSION = "nhc.trace", 1
DIGITS = 6
"""Of strengths, behind the point."""


def header_line(name: str, model: Model, task: str, ticks: int) -> dict[str, object]:
    """What the numbers of the other lines mean."""
    return {
        "format": FORMAT,
        "version": VERSION,
        "model": name,
        "weights": model.hash,
        "algorithm": model.algorithm.name,
        "task": task,
        "signals": list(model.algorithm.signals),
        "ops": list(model.algorithm.ops),
        "mechanisms": list(MECHANISMS),
        "ticks": ticks,
    }


def tick_lines(made: Trace, first: int, last: int) -> Iterator[dict[str, object]]:
    """The ticks `first`..`last`, as far as there are such; addresses are -1 where there is none."""
    winner, named = made.winner, made.data.dtype == object
    for t in range(first - 1, min(last, made.ticks)):
        line: dict[str, object] = {
            "tick": t + 1,
            "signals": [int(value) for value in made.signals[t]],
            "op": int(made.op[t]),
            "read": int(made.read[t]),
            "written": int(made.written[t]),
            "mechanism": int(winner[t]),
            "cells": made.addresses[t].tolist(),
            "strengths": np.round(made.strengths[t].astype(np.float64), DIGITS).tolist(),
            "word": "".join("+" if value > 0 else "-" for value in made.word[t]),
        }
        yield {**line, "data": made.data[t]} if named else line


def window(made: Trace, first: int, last: int) -> str:
    """The ticks `first`..`last` of a trace's table, with its heading."""
    heading, *lines = made.table().splitlines()
    return "\n".join([heading, *lines[first - 1 : last]])

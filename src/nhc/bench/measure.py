"""What all measures share: rows of named numbers, and times of ways that do the same, taken in turn.

A measure is a function without arguments that returns rows; `nhc bench` shows the names of the first as
columns. To add one, write it and name it in `nhc.cli.bench_command.MEASURES`.
"""

import statistics
import time
from collections.abc import Callable

Row = dict[str, object]
"""`case`, then named numbers, of which the last is the ratio to the plain twin; None where there is none."""


def paired_seconds(*ways: Callable[[], object], repeats: int) -> list[float]:
    """The median time of each way, after a call that compiles; in turn, so that all meet the same load."""
    for way in ways:
        way()
    times: list[list[float]] = [[] for _ in ways]
    for _ in range(repeats):
        for way, taken in zip(ways, times, strict=True):
            began = time.perf_counter()
            way()
            taken.append(time.perf_counter() - began)
    return list(map(statistics.median, times))

"""What all measures share: rows of named numbers, and times of ways that do the same, taken in turn.

A measure is a function without arguments that returns rows; `nhc bench` shows the names of the first as
columns. To add one, write it and name it in `nhc.cli.bench_command.MEASURES`.
"""

import resource
import statistics
import time
from collections.abc import Callable
from typing import NamedTuple

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


class Timing(NamedTuple):
    """One case, median over its repeats, after a run that compiles."""

    case: str
    steps: int
    """Ticks of a program, or nodes that a search generated."""
    core_seconds: float
    """Without the time that the core worked for others."""
    peak_mib: float | None
    """Most memory that this process ever had, this case included; None if another one did the work."""

    @property
    def nanoseconds(self) -> float:
        """Of one core, per step."""
        return 1e9 * self.core_seconds / self.steps


def timed(case: str, work: Callable[[], int], repeats: int) -> Timing:
    """Medians of `work`, which returns its steps."""
    cores, steps = [], 0
    for _ in range(repeats):
        began = time.thread_time()
        steps = work()
        cores.append(time.thread_time() - began)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Timing(case, steps, statistics.median(cores), peak)

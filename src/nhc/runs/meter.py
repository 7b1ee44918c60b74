"""How far a training run is, how fast it goes, and how long it may still take."""

from collections import deque
from collections.abc import Callable
from typing import NamedTuple

Clock = Callable[[], float]

RATE_WINDOW = 10.0
"""Seconds over which rates are taken: levels differ in speed, so the present rate tells more."""


class Snapshot(NamedTuple):
    """Where a run stands after an iteration; `ticks` are all machine ticks since this process began."""

    iteration: int
    budget: int
    level: int
    levels: int
    fitness: float
    maximum: float
    streak: int
    streak_to_solve: int
    learning_iterations: int
    restarts: int
    ticks: int

    @property
    def perfect(self) -> bool:
        """Was the fitness at its maximum?  A streak begins anew after each solved level."""
        return self.streak > 0 or self.fitness >= self.maximum


class Meter:
    """The newest snapshot, and the rates over the last ten seconds.

    A rate needs two snapshots, so the first iteration with its compilation does not count.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._start = clock()
        self._recent: deque[tuple[float, int, int]] = deque()
        self._newest: Snapshot | None = None

    def note(self, snapshot: Snapshot) -> float:
        """Take a snapshot; returns the time."""
        now = self._clock()
        self._recent.append((now, snapshot.iteration, snapshot.ticks))
        # Keep one point older than the window, so that slow iterations have a rate too.
        while len(self._recent) > 2 and self._recent[1][0] <= now - RATE_WINDOW:
            self._recent.popleft()
        self._newest = snapshot
        return now

    @property
    def newest(self) -> Snapshot:
        """The last snapshot; raises ValueError before the first."""
        if self._newest is None:
            raise ValueError("expected a snapshot before its display")
        return self._newest

    @property
    def elapsed(self) -> float:
        """Seconds from the start to the newest snapshot."""
        return self._recent[-1][0] - self._start

    @property
    def ticks_per_second(self) -> float | None:
        """Present rate; None before the second snapshot."""
        (before, _, first), (now, _, last) = self._recent[0], self._recent[-1]
        return (last - first) / (now - before) if now > before else None

    @property
    def left(self) -> float | None:
        """Seconds left at the present rate of iterations; None before the second snapshot.

        A run at its maximum is taken to stay there until all levels are solved; any other run to need its
        whole budget.
        """
        (before, first, _), (now, last, _) = self._recent[0], self._recent[-1]
        return None if last <= first else remaining_iterations(self.newest) * (now - before) / (last - first)


class Pace:
    """At most one display an interval; the first is due at once."""

    def __init__(self, interval: float) -> None:
        self._interval = interval
        self._next = float("-inf")

    def due(self, now: float) -> bool:
        """Is a display due?  If so the next is due an interval later."""
        if now < self._next:
            return False
        self._next = now + self._interval
        return True


def remaining_iterations(snapshot: Snapshot) -> int:
    """Iterations still to come: the rest of the budget, or fewer if the run stays perfect."""
    budget = max(snapshot.budget - snapshot.iteration, 0)
    if not snapshot.perfect:
        return budget
    levels = snapshot.levels - snapshot.level + 1
    return min(budget, max(levels * snapshot.streak_to_solve - snapshot.streak, 0))

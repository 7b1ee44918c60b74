"""The judge of GraphPlan: operation and data word on every tick, and that each word is stored once."""

from dataclasses import dataclass

import equinox as eqx

from nhc.algorithms.judge import Episode, Row, Steps, row_of
from nhc.algorithms.traces import Traces
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.machine.rollout import Environment
from nhc.machine.tick import Tick
from nhc.shapes import Count, Signals

SEEN_AT = GRAPH_PLAN.signals.index("seen")
"""The place of the signal that says that a word was made before."""


class StoredOnce(eqx.Module):
    """A row of a trace on which the free head has to write if, and only if, the word fed is new."""

    row: Row

    def observe(self, side: Episode) -> tuple[Signals, Count]:
        """See `Row`."""
        return self.row.observe(side)

    def act(self, side: Episode, tick: Tick) -> Episode:
        """The points of the row; a tick that stores a word twice, or not at all, is the last."""
        after = self.row.act(side, tick)
        stored, seen = tick.written[0] >= 0, self.row.signals[SEEN_AT] > 0
        return Episode(after.alive & (stored != seen), after.main, after.bonus)


@dataclass(frozen=True)
class ClosedList(Steps):
    """`Steps`, where storing a word twice, or not at all, is a mistake and ends the episode."""

    def environment(self, task: Traces, time: Count) -> Environment:
        """Row `time` of the trace."""
        return StoredOnce(row_of(task, time - 1, time))

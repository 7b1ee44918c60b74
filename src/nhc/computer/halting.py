"""When a run ends. Our reading, see docs/decisions.md.

Search ends at its first `nop`, Plan when after the goal was met its output is the start; a `nop` before
that is a stop without goal. Running out of ticks or memory is the caller's business and never means that
there is no plan.
"""

from enum import IntEnum

import jax.numpy as jnp

from nhc.domains.protocol import NOP
from nhc.machine.tick import Tick
from nhc.shapes import Count, Flag
from nhc.tasks.algorithm import Algorithm


class Status(IntEnum):
    """State of a run."""

    RUNNING = 0
    FINISHED = 1
    STOPPED_WITHOUT_GOAL = 2
    NOTHING_IN_MEMORY = 3


def status_after(algorithm: Algorithm, tick: Tick, met: Flag, at_start: Flag) -> Count:
    """The status after a tick; `met`: the goal was met by now, `at_start`: the output equals the start."""
    stopped = tick.op == NOP
    finished = met & (at_start if algorithm.backtracks else stopped)
    status = jnp.where(finished, Status.FINISHED, Status.RUNNING)
    status = jnp.where(stopped & ~met, Status.STOPPED_WITHOUT_GOAL, status)
    return jnp.where(tick.reading.address < 0, Status.NOTHING_IN_MEMORY, status).astype(jnp.int32)

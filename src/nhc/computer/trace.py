"""The trace of a planning task: everything that a run did, with data modules in the loop."""

from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool

from nhc.algorithms.tree.environment import Status
from nhc.computer.world import Computer, Problem
from nhc.errors import ConfigError
from nhc.machine.rollout import Run, recorded, step
from nhc.machine.tick import Tick
from nhc.runs.trace import Trace, control_columns
from nhc.shapes import Count

LONGEST_TRACE = 50_000


@dataclass(frozen=True)
class TaskTrace(Trace):
    """A run on a planning task; `data` are the bits of the configurations read."""

    met: Bool[np.ndarray, " ticks"]
    """Was the goal met by then?"""
    status: Status


def trace(computer: Computer, problem: Problem, *, max_ticks: int) -> TaskTrace:
    """Run for at most `max_ticks` and keep everything; meant for runs of some thousand ticks.

    Time grows with the square of `max_ticks`. Raises ConfigError (`trace.length`) for more than
    `LONGEST_TRACE`, and what `Computer.begin` raises.
    """
    if not 1 <= max_ticks <= LONGEST_TRACE:
        raise ConfigError("trace.length", f"expected 1..{LONGEST_TRACE:,} ticks, found {max_ticks:,}")
    status, met, made = jax.device_get(_recorded(computer, problem, max_ticks))
    ended = np.flatnonzero(status != Status.RUNNING)
    ticks = int(ended[0]) + 1 if len(ended) else max_ticks
    return TaskTrace(
        **control_columns(made, ticks),
        data=np.unpackbits(made.reading.data[:ticks], axis=1, count=computer.modules.word_bits),
        ops=computer.algorithm.ops,
        met=met[:ticks],
        status=Status(int(status[ticks - 1])),
    )


@eqx.filter_jit
def _recorded(computer: Computer, problem: Problem, ticks: int) -> tuple[jax.Array, jax.Array, Tick]:
    environment = computer.environment(problem)

    def advance(time: Count, run: Run) -> tuple[Run, tuple[jax.Array, jax.Array, Tick]]:
        del time
        run, made = step(computer.parameters, computer.config, environment, run)
        return run, (run.side.status, run.side.met, made)

    _, kept = recorded(advance, computer.begin(problem, ticks), ticks)
    return kept

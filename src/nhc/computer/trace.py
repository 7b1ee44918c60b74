"""A trace: everything that a run did, tick by tick, as plain arrays for people, tests and viewers."""

from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Bool, Float, Int, UInt8

from nhc.computer.compose import Computer, Problem, RunState, Step, begin, step
from nhc.computer.halting import Status
from nhc.domains.protocol import OPS
from nhc.errors import ConfigError
from nhc.machine.layout import MECHANISMS

LONGEST_TRACE = 50_000


@dataclass(frozen=True)
class Trace:
    """One run; row t is tick t+1. Addresses are -1 where there is none."""

    op: Int[np.ndarray, " ticks"]
    signals: Float[np.ndarray, "ticks signals"]
    written: Int[np.ndarray, " ticks"]
    """Cell of the free write."""
    read: Int[np.ndarray, " ticks"]
    """Cell that was read."""
    addresses: Int[np.ndarray, "ticks mechanisms"]
    """The cell that each read mechanism named."""
    strengths: Float[np.ndarray, "ticks mechanisms"]
    """Raw mode weights; the largest with an address wins under `winner`."""
    word: Float[np.ndarray, "ticks word"]
    """Control word read."""
    data: UInt8[np.ndarray, "ticks bits"]
    """Data word read."""
    met: Bool[np.ndarray, " ticks"]
    """Was the goal met by then?"""
    status: Status

    @property
    def ticks(self) -> int:
        """Length of the run."""
        return len(self.op)

    @property
    def winner(self) -> Int[np.ndarray, " ticks"]:
        """The mechanism whose address was read, the strongest where several named it."""
        agreeing = (self.addresses == self.read[:, None]) & (self.addresses >= 0)
        return np.where(agreeing, self.strengths, -np.inf).argmax(axis=1)

    def table(self) -> str:
        """The run as text, a line a tick."""
        winner = self.winner
        lines = [f"{'tick':>5} {'read':>5} {'written':>7}  {'op':<6} {'mechanism':<17} control word"]
        for t in range(self.ticks):
            bits = "".join("+" if value > 0 else "-" for value in self.word[t])
            mechanism = MECHANISMS[winner[t]]
            cells = f"{self.read[t]:>5} {self.written[t]:>7}"
            lines.append(f"{t + 1:>5} {cells}  {OPS[self.op[t]]:<6} {mechanism:<17} {bits}")
        return "\n".join(lines)


def trace(computer: Computer, problem: Problem, *, max_ticks: int) -> Trace:
    """Run for at most `max_ticks` and keep everything; meant for runs of some thousand ticks.

    Time grows with the square of `max_ticks`. Raises ConfigError (`trace.length`) for more than
    `LONGEST_TRACE`, and what `begin` raises.
    """
    if not 1 <= max_ticks <= LONGEST_TRACE:
        raise ConfigError("trace.length", f"expected 1..{LONGEST_TRACE:,} ticks, found {max_ticks:,}")
    status, steps = jax.device_get(_scan(computer, problem, max_ticks))
    ended = np.flatnonzero(status != Status.RUNNING)
    ticks = int(ended[0]) + 1 if len(ended) else max_ticks
    made, reading = steps.tick, steps.tick.reading
    return Trace(
        op=made.op[:ticks],
        signals=made.signals[:ticks],
        written=made.written[:ticks],
        read=reading.address[:ticks],
        addresses=reading.addresses[:ticks],
        strengths=made.interface.read.modes[:ticks],
        word=reading.word[:ticks],
        data=np.unpackbits(steps.read[:ticks], axis=1, count=computer.modules.word_bits),
        met=steps.met[:ticks],
        status=Status(int(status[ticks - 1])),
    )


@eqx.filter_jit
def _scan(computer: Computer, problem: Problem, ticks: int) -> tuple[jax.Array, Step]:
    def advance(run: RunState, _: None) -> tuple[RunState, tuple[jax.Array, Step]]:
        run, result = step(computer, problem, run)
        return run, (run.status, result)

    _, (status, steps) = jax.lax.scan(advance, begin(computer, problem, ticks), None, length=ticks)
    return status, steps

"""A trained machine on an algorithm's own data side: one instance, of any length, or many as a measurement.

The data side is plain Python and the words that it stores may be anything: memory holds the number of the
tick at which a word was stored.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

from nhc.algorithms.protocol import Word
from nhc.errors import ConfigError
from nhc.machine.config import MachineConfig, refuse_ablations
from nhc.machine.parameters import Parameters
from nhc.machine.rollout import Run, step
from nhc.machine.state import indexed, initial_state, scanned, with_room
from nhc.machine.tick import Tick
from nhc.machine.trace import Trace, control_columns
from nhc.model import Model
from nhc.shapes import NONE, Count, Signals
from nhc.statistics import label_sampled
from nhc.streams import random_stream

FIRST_CELLS, GROWTH = 256, 4
DEFAULT_TICKS = 100_000
TICKS_A_TASK = 50
"""Ticks that a measured instance may take, for each that its teacher needs."""


class Shown(eqx.Module):
    """One tick as an environment: what the data side shows, computed outside."""

    signals: Signals
    stored: Count

    def observe(self, side: None) -> tuple[Signals, Count]:
        """As shown."""
        del side
        return self.signals, self.stored

    def act(self, side: None, tick: Tick) -> None:
        """Nothing: the data side acts outside."""
        del side, tick


@dataclass(frozen=True)
class Execution:
    """How a run on an instance ended."""

    result: object
    """What the data side gives, None if the run did not end."""
    ticks: int
    ended: bool
    """False: it ran out of ticks, or there was nothing to read."""
    correct: bool
    """Did it end with the result of the specification?"""
    trace: Trace | None = None
    """All ticks, if they were to be kept; `data` are the words read."""


class Measured(NamedTuple):
    """Instances of one level, run to their ends."""

    level: int
    instances: int
    failures: int
    ticks: int
    """Of all of them together."""

    @property
    def label(self) -> str:
        """What that says, with the exact bound."""
        return label_sampled(self.failures, self.instances)


@partial(jax.jit, static_argnums=1, donate_argnums=2)
def _advance(parameters: Parameters, config: MachineConfig, run: Run, shown: Shown) -> tuple[Run, Tick]:
    return step(parameters, config, shown, run)


def execute(
    model: Model, instance: object, *, max_ticks: int = DEFAULT_TICKS, keep: bool = False
) -> Execution:
    """Run a machine on an instance of its algorithm until the data side ends, or `max_ticks` have passed.

    With `keep` the execution has a trace. Raises ConfigError (`run.ticks`) for less than one tick and
    (`machine.ablation`) for soft attention or two free heads.
    """
    if max_ticks < 1:
        raise ConfigError("run.ticks", f"expected at least one tick, found {max_ticks}")
    refuse_ablations(model.config, "a run of any length")
    config, algorithm = model.config, model.algorithm
    store = indexed if config.words == "bits" else scanned
    side, stored, made, read = algorithm.begin(instance), list[Word](), list[Tick](), list[Word]()
    cells, ticks = FIRST_CELLS, 0
    run = jax.jit(lambda: Run(initial_state(config, jnp.int32(0), cells, store), None))()
    while not side.done and ticks < max_ticks:
        signals, word = side.observe()
        stored.append(word)
        if ticks == cells:
            cells *= GROWTH
            run = Run(with_room(run.machine, cells), None)
        shown = Shown(jnp.asarray(signals, jnp.float32), jnp.int32(ticks))
        run, tick = _advance(model.parameters, config, run, shown)
        ticks += 1
        if int(tick.reading.address) == NONE:
            break
        found = stored[int(tick.reading.data)]
        if keep:
            made.append(jax.device_get(tick))
            read.append(found)
        side.act(int(tick.op), found)
    result = side.result if side.done else None
    correct = side.done and result == algorithm.spec(instance)
    return Execution(result, ticks, side.done, correct, _trace(made, read, algorithm.ops) if made else None)


def measure(
    model: Model,
    level: int,
    *,
    instances: int = 100,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, failures: None,
) -> Measured:
    """Run fresh random instances of a level, which may lie beyond those that were trained.

    An instance fails unless it ends with the specification's result within `TICKS_A_TASK` times the teacher's
    ticks. `on_progress` gets instances done and failures so far. Raises ConfigError (`run.instances`).
    """
    if instances < 1:
        raise ConfigError("run.instances", f"expected at least one instance, found {instances}")
    rng = random_stream(seed, "measure", level)
    failures = ticks = 0
    for number in range(instances):
        instance = model.algorithm.sample(level, rng)
        limit = TICKS_A_TASK * len(model.algorithm.teacher(instance))
        done = execute(model, instance, max_ticks=limit)
        failures, ticks = failures + (not done.correct), ticks + done.ticks
        on_progress(number + 1, failures)
    return Measured(level, instances, failures, ticks)


def _trace(made: list[Tick], read: list[Word], ops: tuple[str, ...]) -> Trace:
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *made)
    data = np.empty(len(read), object)
    data[:] = read
    return Trace(**control_columns(stacked, len(made)), data=data, ops=ops)

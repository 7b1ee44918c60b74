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
from jax.tree_util import PyTreeDef
from jaxtyping import Array, Int
from numpy.typing import NDArray

from nhc.algorithms.protocol import Word
from nhc.errors import ConfigError
from nhc.machine.config import MachineConfig, refuse_ablations
from nhc.machine.rollout import Run, step
from nhc.machine.state import for_long_runs, initial_state, with_room
from nhc.machine.tick import Tick
from nhc.model import Model
from nhc.runs.trace import Trace, control_columns
from nhc.shapes import NONE, Count, Signals
from nhc.statistics import label_sampled
from nhc.streams import random_stream

FIRST_CELLS, GROWTH = 256, 4
DEFAULT_TICKS = 100_000
TICKS_A_TASK = 50
"""Ticks that a measured instance may take, for each that its teacher needs."""


class Shown(eqx.Module):
    """One tick as an environment: what the data side shows, computed outside, where it acts too.

    Its state is the number of ticks so far.
    """

    signals: Signals

    def observe(self, side: Count) -> tuple[Signals, Count]:
        """The signals as shown; the word stored is named by its tick."""
        return self.signals, side

    def act(self, side: Count, tick: Tick) -> Count:
        """One more tick."""
        del tick
        return side + 1


@dataclass(frozen=True)
class Execution:
    """How a run on an instance ended."""

    result: object
    """What the data side gives, None if the run did not end, or if a number got too large."""
    ticks: int
    ended: bool
    """False: it ran out of ticks, or there was nothing to read."""
    correct: bool | None
    """Did it end with the result of the specification? None if nobody looked; `execute` always looks."""
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


@partial(jax.jit, static_argnums=(0, 1))
def _begun(config: MachineConfig, cells: int) -> Run:
    """Before the first tick. Compiled, so that no two leaves share a buffer: ticks reuse them in place."""
    return Run(initial_state(config, jnp.int32(0), cells, for_long_runs), jnp.int32(0))


@partial(jax.jit, static_argnums=(0, 1, 2), donate_argnums=5)
def _advance(
    config: MachineConfig,
    form: PyTreeDef,
    keep: bool,
    fixed: list[Array],
    signals: Signals,
    moving: list[Array],
) -> tuple[list[Array], Int[Array, "3"], Tick | None]:
    """One tick: op, address and number of the word read. Leaves, since modules take longer to get in here."""
    parameters, run = jax.tree.unflatten(form, [*fixed, *moving])
    after, made = step(parameters, config, Shown(signals), run)
    chosen = jnp.stack([made.op, made.reading.address, made.reading.data])
    return jax.tree.leaves(after), chosen, made if keep else None


class _Hosted:
    """A machine between two ticks, with memory that grows."""

    def __init__(self, model: Model) -> None:
        self._config, self._parameters = model.config, model.parameters
        self._cells, self._ticks = FIRST_CELLS, 0
        self._fixed = jax.tree.leaves(model.parameters)
        self._hold(_begun(self._config, self._cells))

    def _hold(self, run: Run) -> None:
        self._moving, self._run_form = jax.tree.flatten(run)
        self._form = jax.tree.structure((self._parameters, run))

    def tick(self, shown: NDArray[np.float32], keep: bool) -> tuple[int, int, int, Tick | None]:
        """Operation, address and number of the word read, and all of the tick if it is to be kept."""
        if shown.shape != (self._config.signals,):
            wanted = f"expected {self._config.signals} signals of the data side"
            raise ConfigError("algorithm.signals", f"{wanted}, found {shown.size} at tick {self._ticks + 1}")
        if self._ticks == self._cells:
            self._cells *= GROWTH
            run: Run = jax.tree.unflatten(self._run_form, self._moving)
            self._hold(Run(with_room(run.machine, self._cells), run.side))
        self._ticks += 1
        self._moving, chosen, made = _advance(
            self._config, self._form, keep, self._fixed, shown, self._moving
        )
        op, address, word = np.asarray(chosen).tolist()
        return op, address, word, made


def execute(
    model: Model, instance: object, *, max_ticks: int = DEFAULT_TICKS, keep: bool = False
) -> Execution:
    """Run a machine on an instance of its algorithm until the data side ends, or `max_ticks` have passed.

    With `keep` the execution has a trace. Raises ConfigError: `run.ticks` for less than one tick,
    `machine.ablation` for soft attention or two free heads, and `algorithm.signals` if the data side shows
    another number of signals.
    """
    if max_ticks < 1:
        raise ConfigError("run.ticks", f"expected at least one tick, found {max_ticks}")
    refuse_ablations(model.config, "a run of any length")
    algorithm, machine = model.algorithm, _Hosted(model)
    side, stored, made, read = algorithm.begin(instance), list[Word](), list[Tick](), list[Word]()
    ticks = 0
    while not side.done and ticks < max_ticks:
        signals, word = side.observe()
        stored.append(word)
        op, address, number, tick = machine.tick(np.asarray(signals, np.float32), keep)
        ticks += 1
        if address == NONE:
            break
        found = stored[number]
        if tick is not None:
            made.append(tick)
            read.append(found)
        side.act(op, found)
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
    stacked = jax.tree.map(lambda *leaves: np.stack(leaves), *jax.device_get(made))
    data = np.empty(len(read), object)
    data[:] = read
    return Trace(**control_columns(stacked, len(made)), data=data, ops=ops)

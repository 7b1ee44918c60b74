"""The one rollout of the machine: training, evaluation, traces and answers all run it here.

An *environment* stands for the data side of a run: what the machine is shown at a tick, and what becomes of
what it chose. It may be data modules around a task, a tree of node numbers, or a teacher who knows all.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeVar, runtime_checkable

import jax
import jax.numpy as jnp
from jaxtyping import PyTree

from nhc.machine.config import MachineConfig
from nhc.machine.memory.cells import DataWord
from nhc.machine.parameters import Parameters
from nhc.machine.state import MachineState
from nhc.machine.tick import Tick, tick
from nhc.shapes import Count, Flag, Signals

KeptT = TypeVar("KeptT")
RunsT = TypeVar("RunsT")


@runtime_checkable
class Environment(Protocol):
    """The data side of one run, as pure functions of its state; traceable by JAX."""

    def observe(self, side: PyTree) -> tuple[Signals, DataWord]:
        """c_i and d_i: the signals, and the word that the free head stores."""
        ...

    def act(self, side: PyTree, tick: Tick) -> PyTree:
        """What becomes of the tick: its operation, applied to the word read."""
        ...


@runtime_checkable
class TaskEnvironment(Environment, Protocol):
    """An environment that knows how its run begins."""

    def begin(self) -> PyTree:
        """The state before the first tick."""
        ...


class Run(NamedTuple):
    """A run between two ticks: the machine, and its environment's state."""

    machine: MachineState
    side: PyTree


def step(
    parameters: Parameters, config: MachineConfig, environment: Environment, run: Run
) -> tuple[Run, Tick]:
    """One tick: observe, decide, act."""
    signals, word = environment.observe(run.side)
    machine, made = tick(parameters, config, run.machine, word, signals)
    return Run(machine, environment.act(run.side, made)), made


def rollout(
    advance: Callable[[Count, RunsT], RunsT],
    goes_on: Callable[[RunsT], Flag],
    runs: RunsT,
    first: Count,
    last: Count,
) -> tuple[Count, RunsT]:
    """`advance(time, runs)` for the ticks `first`..`last`, as long as `goes_on`; the next tick, and the runs.

    `advance` is made of `step`, for one run or mapped over many: the loop stands outside of all maps, since a
    loop inside would copy every memory at every tick.
    """

    def some(carry: tuple[Count, RunsT]) -> Flag:
        time, runs = carry
        return goes_on(runs) & (time <= last)

    def once(carry: tuple[Count, RunsT]) -> tuple[Count, RunsT]:
        time, runs = carry
        return time + 1, advance(time, runs)

    done: tuple[Count, RunsT] = jax.lax.while_loop(some, once, (first, runs))
    return done


def recorded(
    advance: Callable[[Count, RunsT], tuple[RunsT, KeptT]], runs: RunsT, ticks: int
) -> tuple[RunsT, KeptT]:
    """The ticks 1..`ticks`, with what `advance(time, runs)` keeps of each stacked along a leading axis."""

    def once(runs: RunsT, time: Count) -> tuple[RunsT, KeptT]:
        return advance(time, runs)

    done: tuple[RunsT, KeptT] = jax.lax.scan(once, runs, jnp.arange(1, ticks + 1, dtype=jnp.int32))
    return done

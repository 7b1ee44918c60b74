"""The composition: one tick of control, with data modules around it. State in, state out.

The paper, Figure 1: Input feeds the output of the tick before, Transform_C chooses the operation,
Transform_D, ALU and Output apply it to the data word that memory returned. Data words are packed eight
bits to a byte in memory; control never looks at them.
"""

from typing import NamedTuple

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, UInt8

from nhc.computer.goals import DataBits, GoalTest
from nhc.computer.halting import Status, status_after
from nhc.data.protocol import DataModules
from nhc.errors import ModelError
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.state import MachineState, StoreMaker, initial_state, scanned
from nhc.machine.tick import Tick, tick
from nhc.shapes import Count, Flag
from nhc.tasks.algorithm import Algorithm


class Computer(eqx.Module):
    """A trained machine, the algorithm that it learned, and data modules for one world."""

    parameters: Parameters
    config: MachineConfig = eqx.field(static=True)
    algorithm: Algorithm = eqx.field(static=True)
    modules: DataModules

    @property
    def packed_bytes(self) -> int:
        """Bytes of a data word in memory."""
        return -(-self.modules.word_bits // 8)


class Problem(NamedTuple):
    """A planning task in data words."""

    start: DataBits
    goal: GoalTest


class RunState(eqx.Module):
    """A run between two ticks."""

    machine: MachineState
    word: DataBits
    """d_o of the tick before; the start before the first."""
    status: Count


class Step(NamedTuple):
    """What one tick did, with the data word that was read (packed) and whether the goal was met by then."""

    tick: Tick
    read: UInt8[Array, " bytes"]
    met: Flag


def begin(computer: Computer, problem: Problem, capacity: int, store: StoreMaker = scanned) -> RunState:
    """The run before its first tick, with room for `capacity` cells.

    Raises ModelError (`model.encoding`) for a task whose words are not those of the computer's modules.
    """
    wanted, found = computer.modules.word_bits, problem.start.shape[-1]
    if found != wanted:
        message = f"expected a task in words of {wanted} bits for {computer.modules.name}, found {found} bits"
        raise ModelError("model.encoding", message)
    machine = initial_state(computer.config, jnp.packbits(problem.start), capacity, store)
    return RunState(machine, problem.start, jnp.int32(Status.RUNNING))


def step(computer: Computer, problem: Problem, run: RunState) -> tuple[RunState, Step]:
    """One tick of the whole computer."""
    modules = computer.modules
    equal = input_equality(modules, problem, run)
    machine, output = tick(computer.parameters, computer.config, run.machine, jnp.packbits(run.word), equal)
    read = jnp.unpackbits(output.reading.data, count=modules.word_bits)
    changed, change = modules.alu(output.op, modules.view(read))
    word = modules.insert(changed, change, read)

    met = machine.second_signal > 0
    status = status_after(computer.algorithm, output, met, modules.equal(word, problem.start))
    return RunState(machine, word, status), Step(output, output.reading.data, met)


def input_equality(modules: DataModules, problem: Problem, run: RunState) -> Flag:
    """I_e: the fed word against the goal until that was met, then against the start."""
    met = run.machine.second_signal > 0
    return jnp.where(met, modules.equal(run.word, problem.start), problem.goal.met(modules, run.word))

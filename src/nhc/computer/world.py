"""The composition: control by a trained machine, data by modules, on a planning task. State in, state out.

The paper, Figure 1: Input feeds the output of the tick before, Transform_C chooses the operation,
Transform_D, ALU and Output apply it to the data word that memory returned. Data words are packed eight
bits to a byte in memory; control never looks at them.
"""

from typing import NamedTuple, Protocol, runtime_checkable

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array, UInt8

from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.algorithms.tree.environment import TreeEnvironment
from nhc.data.protocol import DataModules
from nhc.errors import ModelError
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.rollout import Run
from nhc.machine.state import StoreMaker, initial_state, scanned
from nhc.shapes import Address, Flag

DataBits = UInt8[Array, " word"]
PackedBits = UInt8[Array, " bytes"]


@runtime_checkable
class GoalTest(Protocol):
    """What it means that the goal is met: one configuration, as in the paper, or a set of them."""

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        """Does the word fulfil the goal?"""
        ...


class ConfigurationGoal(eqx.Module):
    """The goal is one configuration; Input's equality decides."""

    word: DataBits

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        """Does Input take the word for the goal's?"""
        return modules.equal(word, self.word)


class CellsGoal(eqx.Module):
    """The goal is any word in which no bit of `forbidden` is set: no box on a cell that is not a goal.

    Real Sokoban levels ask for that, which many configurations fulfil. It takes the place of Input's
    comparison with the goal; the comparison with the start, on the way back, stays.
    """

    forbidden: DataBits

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        """Is no forbidden bit set?"""
        del modules
        return ((word & self.forbidden) == 0).all()


class Problem(NamedTuple):
    """A planning task in data words."""

    start: DataBits
    goal: GoalTest


class Computer(eqx.Module):
    """A trained machine, the algorithm that it learned, and data modules for one world."""

    parameters: Parameters
    config: MachineConfig = eqx.field(static=True)
    algorithm: TreeAlgorithm = eqx.field(static=True)
    modules: DataModules

    @property
    def packed_bytes(self) -> int:
        """Bytes of a data word in memory."""
        return -(-self.modules.word_bits // 8)

    def environment(self, problem: Problem) -> TreeEnvironment:
        """The data side of a task."""
        signals = len(self.algorithm.signals)
        return TreeEnvironment(ModuleWords(self.modules, problem), signals, self.algorithm.backtracks)

    def begin(self, problem: Problem, capacity: int, store: StoreMaker = scanned) -> Run:
        """The run before its first tick, with room for `capacity` cells.

        Raises ModelError (`model.encoding`) for a task whose words are not those of the modules.
        """
        wanted, found = self.modules.word_bits, problem.start.shape[-1]
        if found != wanted:
            message = f"expected a task in words of {wanted} bits for {self.modules.name}, found {found} bits"
            raise ModelError("model.encoding", message)
        side = self.environment(problem).begin()
        return Run(initial_state(self.config, jnp.packbits(problem.start), capacity, store), side)


class ModuleWords(eqx.Module):
    """Configurations as bits, handled by data modules. Implements `TaskWords`."""

    modules: DataModules
    problem: Problem

    def start(self) -> DataBits:
        """The task's start."""
        return self.problem.start

    def packed(self, word: DataBits) -> PackedBits:
        """Eight bits to a byte."""
        return jnp.packbits(word)

    def at_goal(self, word: DataBits) -> Flag:
        """The task's goal test."""
        return self.problem.goal.met(self.modules, word)

    def at_start(self, word: DataBits) -> Flag:
        """Input's comparison with the start."""
        return self.modules.equal(word, self.problem.start)

    def applied(self, op: Address, stored: PackedBits) -> DataBits:
        """Transform_D, ALU and Output in a row."""
        read = jnp.unpackbits(stored, count=self.modules.word_bits)
        changed, change = self.modules.alu(op, self.modules.view(read))
        return self.modules.insert(changed, change, read)

"""What it means that the goal is met: one configuration, as in the paper, or a set of them.

Real Sokoban levels ask for "all boxes on goals", which many configurations fulfil. Input's comparison with
the goal word is replaced by a test there; the comparison with the start, on the way back, stays.
"""

from typing import Protocol, runtime_checkable

import equinox as eqx
from jaxtyping import Array, UInt8

from nhc.data.protocol import DataModules
from nhc.shapes import Flag

DataBits = UInt8[Array, " word"]


@runtime_checkable
class GoalTest(Protocol):
    """A test of a data word."""

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        """Does the word fulfil the goal?"""
        ...


class ConfigurationGoal(eqx.Module):
    """The goal is one configuration; Input's equality decides."""

    word: DataBits

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        return modules.equal(word, self.word)


class CellsGoal(eqx.Module):
    """The goal is any word in which no bit of `forbidden` is set: no box on a cell that is not a goal."""

    forbidden: DataBits

    def met(self, modules: DataModules, word: DataBits) -> Flag:
        del modules
        return ((word & self.forbidden) == 0).all()

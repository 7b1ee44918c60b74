"""The whole computer: the machine composed with data modules. Only this package knows both halves."""

from nhc.computer.compose import Computer, Problem, RunState, begin, step
from nhc.computer.goals import CellsGoal, ConfigurationGoal, GoalTest
from nhc.computer.halting import Status
from nhc.computer.run import Outcome, run
from nhc.computer.trace import Trace, trace

__all__ = [
    "CellsGoal",
    "Computer",
    "ConfigurationGoal",
    "GoalTest",
    "Outcome",
    "Problem",
    "RunState",
    "Status",
    "Trace",
    "begin",
    "run",
    "step",
    "trace",
]

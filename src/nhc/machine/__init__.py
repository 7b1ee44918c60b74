"""The algorithmic half of the neural computer: controller, memory and Transform_C, one tick at a time."""

from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.machine.state import MachineState, initial_state
from nhc.machine.tick import Tick, tick

__all__ = [
    "MachineConfig",
    "MachineState",
    "Parameters",
    "Tick",
    "initial_parameters",
    "initial_state",
    "tick",
]

"""The two ways to run a task: the network itself at every tick, or the program that its weights amount to.

Both give the same ticks, addresses and words. The program needs a proved machine and boards of at most 64
cells; in Sokoban and on the free tree it is some hundred times faster. In other worlds it runs in plain
Python.
"""

from collections.abc import Callable
from typing import NamedTuple, Protocol, runtime_checkable

from nhc.certify.prove import Proof, Verdict
from nhc.certify.reachable import extract_program
from nhc.computer.halting import Status
from nhc.computer.run import bytes_per_tick, run
from nhc.data.protocol import DataModules
from nhc.domains.registry import AnyState
from nhc.errors import ConfigError, InputError
from nhc.model import Model
from nhc.planning.states import computer_for, decoded_states, problem_for
from nhc.program import engine as program_engine
from nhc.program.outcome import UNKNOWN_STATE_CODE, ProgramStatus
from nhc.program.table import Program
from nhc.tasks.planning import PlanningTask

LARGEST_BOARD = 64


class Ended(NamedTuple):
    """How a run ended, by whatever engine."""

    status: Status
    """RUNNING means that the budget was exhausted."""
    ticks: int
    emitted: list[AnyState]
    """States read since the goal was met: goal to start for Plan."""


@runtime_checkable
class Engine(Protocol):
    """Runs tasks with one machine."""

    @property
    def name(self) -> str:
        """`network` or `program`."""
        ...

    def bytes_per_tick(self, task: PlanningTask) -> int:
        """Memory that each tick takes."""
        ...

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        """Run until the machine halts or `max_ticks` have passed."""
        ...


class NetworkEngine:
    """Evaluates the weights at each tick, with data modules (by default exact ones) on encoded words."""

    name = "network"

    def __init__(self, model: Model, modules: DataModules | None = None) -> None:
        self._model = model
        self._modules = modules

    def bytes_per_tick(self, task: PlanningTask) -> int:
        """Data word, links and control word of a cell."""
        return bytes_per_tick(computer_for(self._model, task.world, self._modules))

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        """See `nhc.computer.run.run`."""
        domain = task.world
        computer = computer_for(self._model, domain, self._modules)
        outcome = run(computer, problem_for(task), max_ticks=max_ticks, on_progress=on_progress)
        return Ended(outcome.status, outcome.ticks, decoded_states(domain, outcome.emitted))


class ProgramEngine:
    """Executes the program of a proved machine on plain states."""

    name = "program"

    def __init__(self, program: Program) -> None:
        self._program = program

    def bytes_per_tick(self, task: PlanningTask) -> int:
        """Word, parent, state and index entry of a cell."""
        return program_engine.bytes_per_tick(self._program, task)

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        """See `nhc.program.engine.run_program`. Raises ConfigError (`program.board`)."""
        outcome = program_engine.run_program(
            self._program, task, max_ticks=max_ticks, on_progress=on_progress
        )
        if outcome.status == ProgramStatus.UNKNOWN_STATE:
            raise InputError(
                UNKNOWN_STATE_CODE, f"the program does not say what follows tick {outcome.ticks:,}"
            )
        return Ended(Status(outcome.status.value), outcome.ticks, list(outcome.states))


def chosen_engine(name: str, model: Model, verdict: Verdict, task: PlanningTask) -> Engine:
    """The engine by name; `auto` is the program where it runs in a compiled loop, else the network.

    Raises ConfigError: `engine.unproved` if the program of an unproved machine is asked for.
    """
    small = task.board is None or task.board.cells <= LARGEST_BOARD
    fast = small and program_engine.has_loop(task)
    if name == "network" or (name == "auto" and not (fast and isinstance(verdict, Proof))):
        return NetworkEngine(model)
    if not isinstance(verdict, Proof):
        raise ConfigError("engine.unproved", "the program engine needs a proved machine")
    return ProgramEngine(extract_program(model, verdict))

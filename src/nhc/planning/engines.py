"""The ways to run a task. All give the same ticks, addresses and states.

* `NetworkEngine` evaluates the weights at every tick, with data modules in the loop.
* `TreeEngine` needs a proved machine: the data of the search tree are made ahead (`nhc.planning.ahead`), then
  control runs on node numbers, where a run is the same for every world. Control is the machine's program,
  some hundred times faster than the network, or the network itself.
"""

from collections.abc import Callable
from math import ceil
from typing import NamedTuple, Protocol, runtime_checkable

from nhc.algorithms.tree.environment import Status
from nhc.certify.prove import Proof, Verdict, extract_program
from nhc.computer.run import bytes_per_tick, run
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import FreeTree, TreeState
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import AnyState, any_domain
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.ahead import ModuleData, RuleData, TreeData, fits_arrays, grow
from nhc.planning.states import ChosenModules, computer_for, decoded_states, problem_for
from nhc.program import engine as program_engine
from nhc.program.memory import ProgramStatus
from nhc.program.table import Program
from nhc.tasks.planning import PlanningTask
from nhc.zoo import EXACT


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


class TreeEngine:
    """Data ahead, by exact rules or by `modules`; then `control`, of a proved machine, on node numbers.

    Control is a program, or a model, whose weights are evaluated at each tick on the free tree.
    """

    def __init__(self, control: Program | Model, modules: DataModules | None = None) -> None:
        self._control = control if isinstance(control, Program) else NetworkEngine(control)
        self._modules = modules

    @property
    def name(self) -> str:
        """That of control."""
        return "program" if isinstance(self._control, Program) else self._control.name

    def bytes_per_tick(self, task: PlanningTask) -> int:
        """A cell with a node number, and the node's share of the tree, of which every fourth node is kept."""
        control = self._control
        if isinstance(control, Program):
            cell = program_engine.bytes_per_tick(control)
        else:
            cell = control.bytes_per_tick(free_task(0))
        return cell + ceil(self._data(task).start.nbytes / BRANCHING)

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        """Run until the machine halts or `max_ticks` have passed; `on_progress` gets the nodes made so far.

        Raises ConfigError (`program.board`) for states of over 64 bits, ModelError (`modules.fault`) if a
        word on the way back shows that the modules err, InputError (`program.unknown_state`).
        """
        tree = grow(self._data(task), most_nodes=max_ticks + 1, on_progress=on_progress)
        if tree.goal is None:  # By the proof, control reads node after node.
            return Ended(Status.RUNNING, max_ticks, [])
        if isinstance(self._control, Program):
            made = program_engine.run_program(self._control, tree.goal, max_ticks=max_ticks)
            if made.status == ProgramStatus.UNKNOWN_STATE:
                raise program_engine.unknown_state(made.ticks)
            return Ended(Status(made.status.value), made.ticks, tree.states(made.nodes))
        ended = self._control.run(free_task(tree.goal), max_ticks, lambda ticks: None)
        nodes = [int(state.node) for state in ended.emitted if isinstance(state, TreeState)]
        return ended._replace(emitted=tree.states(nodes))

    def _data(self, task: PlanningTask) -> TreeData:
        if self._modules is not None:
            return ModuleData(task, self._modules)
        if not fits_arrays(task):
            size = f"boards of up to 64 cells, this one has {task.board.cells}" if task.board else "64 bits"
            raise ConfigError("program.board", f"programs run on {size}")
        return RuleData(task)


def chosen_engine(
    name: str, model: Model, verdict: Verdict, task: PlanningTask, chosen: ChosenModules | None = None
) -> Engine:
    """The engine by name, with the exact rules or with the chosen data modules.

    `auto` is the program where there is one and states fit 64 bits, else the network. Modules run ahead of a
    proved machine, and in the loop of another. Raises ConfigError: `engine.unproved` if the program of an
    unproved machine is asked for.
    """
    modules = None if chosen is None or chosen.kind == EXACT else chosen.modules
    if not isinstance(verdict, Proof):
        if name == "program":
            raise ConfigError("engine.unproved", "the program engine needs a proved machine")
        return NetworkEngine(model, modules)
    if name == "program" or (name == "auto" and (modules is not None or fits_arrays(task))):
        return TreeEngine(extract_program(model, verdict), modules)
    return NetworkEngine(model) if modules is None else TreeEngine(model, modules)


def free_task(goal: int) -> PlanningTask:
    """The task that control sees: the free tree with the goal at a node."""
    return PlanningTask(any_domain(FreeTree()), TreeState(0), TreeState(goal), task_id=f"node {goal}")

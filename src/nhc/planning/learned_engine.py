"""The engine for learned data modules: they grow the tree ahead, control runs on its node numbers."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from nhc.certify.prove import Proof, Verdict
from nhc.computer.halting import Status
from nhc.data.protocol import DataModules
from nhc.domains.free_tree import FreeTree, TreeState
from nhc.errors import ConfigError, ModelError
from nhc.model import Model
from nhc.planning.ahead import Tree, grow, taken_for
from nhc.planning.engines import Ended, Engine, NetworkEngine, chosen_engine
from nhc.planning.modules import ChosenModules
from nhc.planning.nodes import left_alone
from nhc.planning.states import decoded_states, problem_for
from nhc.tasks.planning import PlanningTask, domain_of
from nhc.zoo import EXACT

WAY_BACK = 64
"""Words of the way back that are run at once: few, since the tree grows fourfold with each."""


class LearnedEngine:
    """Control by `inner`, which must run a proved machine; data by `modules`, evaluated many at a time."""

    def __init__(self, inner: Engine, modules: DataModules) -> None:
        self._inner = inner
        self._modules = modules

    @property
    def name(self) -> str:
        """That of the engine inside."""
        return self._inner.name

    def bytes_per_tick(self, task: PlanningTask) -> int:
        """A cell with a node number, and the node's word."""
        del task
        return self._inner.bytes_per_tick(free_task(0)) + -(-self._modules.word_bits // 8)

    def run(self, task: PlanningTask, max_ticks: int, on_progress: Callable[[int], None]) -> Ended:
        """Run until the machine halts or `max_ticks` have passed.

        Raises ModelError (`modules.fault`) if a word on the way back shows that the modules err: control
        would then not see what the tree promises.
        """
        problem = problem_for(task)
        tree = grow(self._modules, problem, most_nodes=max_ticks + 1, on_progress=on_progress)
        if tree.goal is None:
            return Ended(Status.RUNNING, max_ticks, [])
        ended = self._inner.run(free_task(tree.goal), max_ticks, lambda ticks: None)
        nodes = [state.node for state in ended.emitted if isinstance(state, TreeState)]
        if not nodes:  # The budget ended between the goal and its reading.
            return Ended(ended.status, ended.ticks, [])
        words = self._way_back(tree, list(map(int, nodes)), np.asarray(problem.start))
        return Ended(ended.status, ended.ticks, decoded_states(domain_of(task), words))

    def _way_back(self, tree: Tree, nodes: list[int], start: np.ndarray) -> np.ndarray:
        """The words of the emitted nodes, which `nop` leaves alone and of which only node 0 is the start."""
        packed = tree.words[nodes]
        words = np.unpackbits(packed, axis=1, count=self._modules.word_bits)
        right = left_alone(self._modules, packed, WAY_BACK)
        if nodes[-1] == 0:  # A complete way back, where no state comes twice.
            at_start = taken_for(self._modules, jnp.asarray(words), jnp.asarray(start))
            right &= at_start == (np.array(nodes) == 0)
        if not right.all():
            raise ModelError("modules.fault", f"{self._modules.name} errs on the way back from the goal")
        return words


def engine_with(
    chosen: ChosenModules, name: str, model: Model, verdict: Verdict, task: PlanningTask
) -> Engine:
    """The engine by name with the chosen data modules. Learned ones run ahead of a proved machine, and in the
    loop of another.

    Raises ConfigError: `engine.unproved` if the program of an unproved machine is asked for.
    """
    if chosen.kind == EXACT:
        return chosen_engine(name, model, verdict, task)
    if isinstance(verdict, Proof):
        return LearnedEngine(chosen_engine(name, model, verdict, free_task(0)), chosen.modules)
    if name == "program":
        raise ConfigError("engine.unproved", "the program engine needs a proved machine")
    return NetworkEngine(model, chosen.modules)


def free_task(goal: int) -> PlanningTask:
    """The task that control sees: the free tree with the goal at a node."""
    return PlanningTask(FreeTree.name, TreeState(0), TreeState(goal), task_id=f"node {goal}")

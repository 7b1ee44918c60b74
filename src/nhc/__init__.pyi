from nhc.computer.compose import Computer as Computer
from nhc.computer.compose import Problem as Problem
from nhc.computer.explain import explain as explain
from nhc.computer.run import run as run
from nhc.computer.trace import Trace as Trace
from nhc.computer.trace import trace as trace
from nhc.domains.registry import make_domain as make_domain
from nhc.domains.small.make import small_world as small_world
from nhc.errors import NhcError as NhcError
from nhc.evolve.config import TrainConfig as TrainConfig
from nhc.machine.config import MachineConfig as MachineConfig
from nhc.machine.parameters import Parameters as Parameters
from nhc.machine.parameters import initial_parameters as initial_parameters
from nhc.machine.state import MachineState as MachineState
from nhc.machine.state import initial_state as initial_state
from nhc.machine.tick import Tick as Tick
from nhc.machine.tick import tick as tick
from nhc.model import Model as Model
from nhc.model import load_model as load_model
from nhc.model import save_model as save_model
from nhc.planning.budget import Budget as Budget
from nhc.planning.sample import far_task as far_task
from nhc.planning.sample import task_at_node as task_at_node
from nhc.planning.sample import task_of_level as task_of_level
from nhc.planning.solve import solve as solve
from nhc.planning.states import computer_for as computer_for
from nhc.planning.states import problem_for as problem_for
from nhc.supervised.own import check_modules as check_modules
from nhc.supervised.own import learn_modules as learn_modules
from nhc.supervised.world_check import check_world as check_world
from nhc.tasks.files import read_task as read_task
from nhc.tasks.json_task import task_between as task_between
from nhc.tasks.planning import PlanningTask as PlanningTask
from nhc.training.config import run_config as run_config
from nhc.training.session import train as train

PUBLIC: dict[str, str]
__version__: str

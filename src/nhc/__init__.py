"""A neural computer that learns algorithms by evolution and runs them at any scale.

The public names, most of them imported only when they are used; docs/python.md shows them at work:

`Model`, `load_model`, `save_model`: files and the zoo. `domain_names`, `make_domain`: worlds.
`read_task`, `task_of_level`, `task_at_node`, `far_task`, `task_between`: tasks.
`solve`, `Solution`, `Ending`, `Budget`: plans.
`solve_graph`, `Answer`, `graph_task`, `puzzle_task`, `read_pddl`: plans by graph search.
`prove`, `certificate_json`: proofs from the weights. `evaluate_level`: many tasks.
`Computer`, `Problem`, `run`, `trace`, `explain`, `step`: the machine with data modules in the loop.
`MachineConfig`, `Parameters`, `initial_parameters`, `initial_state`, `tick`: the machine, one tick at a time.
`Algorithm`, `Lesson`, `FREE`, `DataSide`, `learn`, `execute`, `measure`: an algorithm of your own.
`TrainConfig`, `run_config`, `train`, `Result`: learning.
`show`, `Page`, `program_of`, `LearnedProgram`: looking inside.
`small_world`, `check_world`: a world of your own. `learn_modules`, `check_modules`, `save_modules`,
`load_modules`: data modules for it. `NhcError`: what all of them raise, with a code.
"""

import importlib

__version__ = "0.2.0"

PUBLIC = {
    "Algorithm": "nhc.algorithms.protocol",
    "Answer": "nhc.planning.graph_search",
    "Budget": "nhc.planning.budget",
    "Computer": "nhc.computer.world",
    "DataSide": "nhc.algorithms.protocol",
    "Ending": "nhc.planning.solution",
    "FREE": "nhc.algorithms.protocol",
    "LearnedProgram": "nhc.viewer.learned",
    "Lesson": "nhc.algorithms.protocol",
    "MachineConfig": "nhc.machine.config",
    "MachineState": "nhc.machine.state",
    "Model": "nhc.model",
    "NhcError": "nhc.errors",
    "Page": "nhc.viewer.show",
    "Parameters": "nhc.machine.parameters",
    "PlanningTask": "nhc.tasks.planning",
    "Problem": "nhc.computer.world",
    "Proof": "nhc.certify.prove",
    "Refutation": "nhc.certify.prove",
    "Result": "nhc.training.session",
    "Solution": "nhc.planning.solution",
    "Tick": "nhc.machine.tick",
    "Trace": "nhc.runs.trace",
    "TrainConfig": "nhc.evolve.config",
    "certificate_json": "nhc.certify.certificate",
    "check_modules": "nhc.supervised.own",
    "check_world": "nhc.supervised.world_check",
    "computer_for": "nhc.planning.states",
    "domain_names": "nhc.domains.registry",
    "evaluate_level": "nhc.planning.evaluate",
    "execute": "nhc.computer.hosted",
    "explain": "nhc.computer.explain",
    "far_task": "nhc.planning.sample",
    "graph_task": "nhc.planning.graph_tasks",
    "initial_parameters": "nhc.machine.parameters",
    "initial_state": "nhc.machine.state",
    "learn": "nhc.training.session",
    "learn_modules": "nhc.supervised.own",
    "load_model": "nhc.model",
    "load_modules": "nhc.supervised.own",
    "make_domain": "nhc.domains.registry",
    "measure": "nhc.computer.hosted",
    "problem_for": "nhc.planning.states",
    "program_of": "nhc.viewer.learned",
    "prove": "nhc.certify.prove",
    "puzzle_task": "nhc.tasks.files",
    "read_pddl": "nhc.pddl.task",
    "read_task": "nhc.tasks.files",
    "run": "nhc.computer.run",
    "run_config": "nhc.training.config",
    "save_model": "nhc.model",
    "save_modules": "nhc.supervised.own",
    "show": "nhc.viewer.show",
    "small_world": "nhc.domains.small",
    "solve": "nhc.planning.solve",
    "solve_graph": "nhc.planning.graph_search",
    "step": "nhc.machine.rollout",
    "task_at_node": "nhc.planning.sample",
    "task_between": "nhc.tasks.planning",
    "task_of_level": "nhc.planning.sample",
    "tick": "nhc.machine.tick",
    "trace": "nhc.computer.trace",
    "train": "nhc.training.session",
}
"""Public name -> module that defines it."""

__all__ = list(PUBLIC)


def __getattr__(name: str) -> object:
    """Import a public name on first use, so that `import nhc` itself does no work."""
    if name not in PUBLIC:
        raise AttributeError(f"module 'nhc' has no attribute {name!r}")
    found: object = getattr(importlib.import_module(PUBLIC[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted([*PUBLIC, "__version__"])

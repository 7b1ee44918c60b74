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

_MODULES = {
    "nhc.algorithms.protocol": ("Algorithm", "DataSide", "FREE", "Lesson"),
    "nhc.certify.certificate": ("certificate_json",),
    "nhc.certify.prove": ("Proof", "Refutation", "prove"),
    "nhc.computer.explain": ("explain",),
    "nhc.computer.hosted": ("execute", "measure"),
    "nhc.computer.run": ("run",),
    "nhc.computer.trace": ("trace",),
    "nhc.computer.world": ("Computer", "Problem"),
    "nhc.domains.registry": ("domain_names", "make_domain"),
    "nhc.domains.small": ("small_world",),
    "nhc.errors": ("NhcError",),
    "nhc.evolve.config": ("TrainConfig",),
    "nhc.machine.config": ("MachineConfig",),
    "nhc.machine.parameters": ("Parameters", "initial_parameters"),
    "nhc.machine.rollout": ("step",),
    "nhc.machine.state": ("MachineState", "initial_state"),
    "nhc.machine.tick": ("Tick", "tick"),
    "nhc.model": ("Model", "load_model", "save_model"),
    "nhc.pddl.task": ("read_pddl",),
    "nhc.planning.budget": ("Budget",),
    "nhc.planning.evaluate": ("evaluate_level",),
    "nhc.planning.graph_search": ("Answer", "solve_graph"),
    "nhc.planning.graph_tasks": ("graph_task",),
    "nhc.planning.sample": ("far_task", "task_at_node", "task_of_level"),
    "nhc.planning.solution": ("Ending", "Solution"),
    "nhc.planning.solve": ("solve",),
    "nhc.planning.states": ("computer_for", "problem_for"),
    "nhc.runs.trace": ("Trace",),
    "nhc.supervised.own": ("check_modules", "learn_modules", "load_modules", "save_modules"),
    "nhc.supervised.world_check": ("check_world",),
    "nhc.tasks.files": ("puzzle_task", "read_task"),
    "nhc.tasks.planning": ("PlanningTask", "task_between"),
    "nhc.training.config": ("run_config",),
    "nhc.training.session": ("Result", "learn", "train"),
    "nhc.viewer.learned": ("LearnedProgram", "program_of"),
    "nhc.viewer.show": ("Page", "show"),
}
"""The modules that define public names."""
PUBLIC = dict(sorted((name, module) for module, names in _MODULES.items() for name in names))
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

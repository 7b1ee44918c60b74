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
    "algorithms.protocol": ("Algorithm", "DataSide", "FREE", "Lesson"),
    "certify.certificate": ("certificate_json",),
    "certify.prove": ("Proof", "Refutation", "prove"),
    "computer.explain": ("explain",),
    "computer.hosted": ("execute", "measure"),
    "computer.run": ("run",),
    "computer.trace": ("trace",),
    "computer.world": ("Computer", "Problem"),
    "domains.registry": ("domain_names", "make_domain"),
    "domains.small": ("small_world",),
    "errors": ("NhcError",),
    "evolve.config": ("TrainConfig",),
    "machine.config": ("MachineConfig",),
    "machine.parameters": ("Parameters", "initial_parameters"),
    "machine.rollout": ("step",),
    "machine.state": ("MachineState", "initial_state"),
    "machine.tick": ("Tick", "tick"),
    "model": ("Model", "load_model", "save_model"),
    "pddl.task": ("read_pddl",),
    "planning.budget": ("Budget",),
    "planning.evaluate": ("evaluate_level",),
    "planning.graph_search": ("Answer", "solve_graph"),
    "planning.graph_tasks": ("graph_task",),
    "planning.sample": ("far_task", "task_at_node", "task_of_level"),
    "planning.solution": ("Ending", "Solution"),
    "planning.solve": ("solve",),
    "planning.states": ("computer_for", "problem_for"),
    "runs.trace": ("Trace",),
    "supervised.own": ("check_modules", "learn_modules", "load_modules", "save_modules"),
    "supervised.world_check": ("check_world",),
    "tasks.files": ("puzzle_task", "read_task"),
    "tasks.planning": ("PlanningTask", "task_between"),
    "training.config": ("run_config",),
    "training.session": ("Result", "learn", "train"),
    "viewer.learned": ("LearnedProgram", "program_of"),
    "viewer.show": ("Page", "show"),
}
"""The modules that define public names."""
PUBLIC = {name: f"nhc.{module}" for module, names in _MODULES.items() for name in names}
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

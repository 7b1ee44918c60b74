"""One long task: the whole network tick by tick, or the program that its weights amount to."""

from pathlib import Path

from nhc.experiments.job import Record, Values

SECONDS_A_TICK = {"network": 2e-5, "program": 1e-7}
START_SECONDS = {"free-tree": 8.0, "sokoban-6x6": 20.0}
OTHER_SECONDS = 30.0
MEMORY = 8 * 2**30
"""Bytes that one run may take."""


def seconds(values: Values) -> float:
    """About how long a run takes."""
    goal = values["goal"]
    assert isinstance(goal, int)
    start = START_SECONDS.get(str(values["world"]), OTHER_SECONDS)
    return start + goal * SECONDS_A_TICK[str(values["engine"])]


def run(values: Values, folder: Path) -> Record:
    """Solve a task of `world` whose goal is first met at node `goal`, with `model` run by `engine`.

    The plan that comes out is replayed by an independent referee. Raises InputError (`task.node`) if there is
    no such task, and the codes of `nhc.planning.solve.solve`.
    """
    from nhc.algorithms.tree.nodes import level_of, path
    from nhc.certify.prove import prove
    from nhc.domains.registry import make_domain
    from nhc.model import load_model
    from nhc.planning.budget import Budget
    from nhc.planning.engines import NetworkEngine, chosen_engine
    from nhc.planning.modules import chosen_modules
    from nhc.planning.sample import task_at_node
    from nhc.planning.solve import solve

    del folder  # a run takes seconds: there is nothing to keep on the way
    model, domain = load_model(str(values["model"])), make_domain(str(values["world"]))
    goal, seed = values["goal"], values["seed"]
    assert isinstance(goal, int) and isinstance(seed, int)
    task = task_at_node(domain, goal, seed=seed)
    if values["engine"] == "program":
        engine = chosen_engine("program", model, prove(model), task)
    else:
        engine = NetworkEngine(model, chosen_modules(str(values["modules"]), domain).modules)
    depth = len(path(goal)) - 1
    expected = goal + 1 + depth
    found = solve(model, task, budget=Budget(ticks=expected + 1_000, memory=MEMORY), engine=engine)
    return {
        "world": domain.name,
        "engine": engine.name,
        "task_level": level_of(goal),
        "ticks": found.ticks,
        "expected_ticks": expected,
        "plan_length": len(found.ops),
        "solved": found.solved and found.ticks == expected and len(found.ops) == depth,
        "ending": str(found.ending),
        "weights": model.hash,
    }

"""Runs of machines and data modules that have learned: other worlds, long tasks, single tasks to look at."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import softmax

from nhc.algorithms.tree.nodes import level_of, path
from nhc.certify.prove import prove
from nhc.computer.trace import trace
from nhc.domains.protocol import BRANCHING
from nhc.domains.registry import finite_world, make_domain
from nhc.domains.states import picked, plain
from nhc.experiments.job import Record, Values, field, whole
from nhc.experiments.kinds import LEVEL_FILE
from nhc.model import load_model
from nhc.planning.budget import Budget
from nhc.planning.engines import NetworkEngine, chosen_engine
from nhc.planning.sample import task_at_node
from nhc.planning.solve import solve
from nhc.planning.states import chosen_modules, computer_for, decoded_states, problem_for
from nhc.planning.transfer import Part, transfer
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.runs.behaviour import spans
from nhc.streams import random_stream
from nhc.supervised.files import learned_modules, load_modules
from nhc.supervised.workflow import columns_of, workflow
from nhc.zoo import modules_path

MEMORY = 8 * 2**30
"""Bytes that one long run may take."""
WORKFLOW_STATES = 64
"""Drawn, of which the one that is shown is chosen."""


def transfer_run(values: Values, folder: Path) -> Record:
    """`model` on the curriculum of `world` with `modules`, as `nhc transfer` does; keeps finished levels."""
    model, domain = load_model(field(values, "model", str)), make_domain(field(values, "world", str))
    seed = whole(values, "seed")
    chosen = chosen_modules(field(values, "modules", str), domain)
    folder.mkdir(parents=True, exist_ok=True)
    made = transfer(
        computer_for(model, domain, chosen.modules),
        domain,
        iterations=whole(values, "iterations"),
        seed=seed,
        kept=kept_levels(folder),
        on_part=lambda number, part: keep_level(folder, number, part),
    )
    below = np.flatnonzero(made.fitness < model.algorithm.maximum)
    return {
        "task": made.task,
        "world": made.domain,
        "modules": chosen.note,
        "samples": made.samples,
        "mistakes": made.mistakes,
        "maximum": model.algorithm.maximum,
        "levels": run_lengths(made.level),
        # Nearly all batches are at the maximum; the others are named one by one.
        "below_maximum": {str(at): float(made.fitness[at]) for at in below},
        "empty_levels": {str(level): behind for level, behind in made.behind.items()},
        "weights": model.hash,
        "picture": domain.draw(plain(picked(domain.sample(random_stream(seed, "picture"), 1), 0))),
    }


def run_lengths(level: NDArray[np.int64]) -> list[list[int]]:
    """The levels in a row, each with its number of iterations."""
    return [[int(level[first]), last - first] for first, last in spans(level)]


def keep_level(folder: Path, number: int, part: Part) -> None:
    """Write what came of a level, so that it is not repeated. Raises StorageError (`storage.write`)."""
    metadata: dict[str, object] = {"filled": part.filled, "mistakes": part.mistakes}
    save_arrays(folder / LEVEL_FILE.format(number), {"counts": part.counts}, metadata)


def kept_levels(folder: Path) -> dict[int, Part]:
    """The levels that are finished. Raises ModelError and ConfigError (`run.damaged`) for a damaged file."""
    parts: dict[int, Part] = {}
    for file in folder.glob(LEVEL_FILE.format("*")):
        arrays, metadata = load_arrays(file)
        filled, mistakes = whole(metadata, "filled"), whole(metadata, "mistakes")
        parts[int(file.stem.rpartition("-")[2])] = Part(filled, arrays["counts"].astype(np.int32), mistakes)
    return parts


def long_run(values: Values, folder: Path) -> Record:
    """One task of `world` whose goal is first met at node `goal`, with `model` run by `engine`.

    The plan that comes out is replayed by an independent referee. Raises InputError (`task.node`) if there is
    no such task, and the codes of `nhc.planning.solve.solve`.
    """
    del folder  # a run takes seconds: there is nothing to keep on the way
    model, domain = load_model(field(values, "model", str)), make_domain(field(values, "world", str))
    goal = whole(values, "goal")
    task = task_at_node(domain, goal, seed=whole(values, "seed"))
    if values["engine"] == "program":
        engine = chosen_engine("program", model, prove(model), task)
    else:
        engine = NetworkEngine(model, chosen_modules(field(values, "modules", str), domain).modules)
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


def behaviour_run(values: Values, folder: Path) -> Record:
    """One task tick by tick (Figure 5): `model` on a task of `world` whose goal is first met at `goal`."""
    del folder
    model, domain = load_model(field(values, "model", str)), make_domain(field(values, "world", str))
    goal = whole(values, "goal")
    task = task_at_node(domain, goal, seed=whole(values, "seed"))
    made = trace(computer_for(model, domain), problem_for(task), max_ticks=4 * goal + 8)
    return {
        "goal": goal,
        "ticks": made.ticks,
        "ended": made.status.name.lower(),
        "op": made.op.tolist(),
        "read": made.read.tolist(),
        "met": made.met.tolist(),
        "winner": made.winner.tolist(),
        "shares": np.round(softmax(made.strengths, axis=1), 6).tolist(),
        "boards": [domain.draw(state) for state in decoded_states(domain, np.asarray(made.data))],
        "weights": model.hash,
    }


def workflow_run(values: Values, folder: Path) -> Record:
    """What the data modules that ship for `world` make of a state and an operation (Figure 6).

    Shown is what changes most bits of the word, among `WORKFLOW_STATES` states drawn by `seed` and the four
    operations, so that there is something to see; the first of equals. Raises ConfigError (`domain.cells`)
    if the world is not made of cells, and what reading modules raises.
    """
    del folder
    world = finite_world(field(values, "world", str))
    model = load_modules(modules_path(f"zoo:{world.name}"), world)
    learned_modules(model)  # refuses files that lack modules
    states = world.sample(random_stream(whole(values, "seed"), "workflow"), WORKFLOW_STATES)
    words = world.encode(states)
    after = [world.encode(world.step(states, op)) for op in range(BRANCHING)]
    changed = np.stack([(word != words).sum(axis=1) for word in after], axis=1)
    chosen, op = divmod(int(changed.argmax()), BRANCHING)
    state = world.decode(words[chosen : chosen + 1])
    flow = workflow(world, model.networks, state, op, columns_of(world))
    return {
        "title": flow.title,
        "columns": flow.columns,
        "boards": [
            {"caption": board.caption, "signs": list(board.signs), "marked": sorted(board.marked)}
            for board in flow.boards
        ],
        "bits": [{"name": row.name, "groups": list(row.groups)} for row in flow.bits],
        "faults": list(flow.faults),
        "modules": model.hash,
    }

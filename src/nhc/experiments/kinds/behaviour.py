"""One task, tick by tick: what the machine reads, by which attention, and what it does (Figure 5)."""

from pathlib import Path

import numpy as np

from nhc.experiments.job import Record, Values


def seconds(values: Values) -> float:
    """About how long a run takes."""
    del values
    return 12.0


def run(values: Values, folder: Path) -> Record:
    """Trace `model` on a task of `world` whose goal is first met at node `goal`, drawn by `seed`."""
    from nhc.computer.trace import trace
    from nhc.domains.registry import make_domain
    from nhc.model import load_model
    from nhc.planning.sample import task_at_node
    from nhc.planning.states import computer_for, decoded_states, problem_for

    del folder
    model, domain = load_model(str(values["model"])), make_domain(str(values["world"]))
    goal, seed = values["goal"], values["seed"]
    assert isinstance(goal, int) and isinstance(seed, int)
    task = task_at_node(domain, goal, seed=seed)
    made = trace(computer_for(model, domain), problem_for(task), max_ticks=4 * goal + 8)
    shares = np.exp(made.strengths - made.strengths.max(axis=1, keepdims=True))
    return {
        "goal": goal,
        "ticks": made.ticks,
        "ended": made.status.name.lower(),
        "op": made.op.tolist(),
        "read": made.read.tolist(),
        "met": made.met.tolist(),
        "winner": made.winner.tolist(),
        "shares": np.round(shares / shares.sum(axis=1, keepdims=True), 6).tolist(),
        "boards": [domain.draw(state) for state in decoded_states(domain, np.asarray(made.data))],
        "weights": model.hash,
    }

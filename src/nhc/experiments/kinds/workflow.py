"""One state on its way through a world's learned data modules (Figure 6)."""

from pathlib import Path

from nhc.experiments.job import Record, Values

DRAWN = 64
"""States among which the one that is shown is chosen."""


def seconds(values: Values) -> float:
    """About how long a run takes."""
    del values
    return 5.0


def run(values: Values, folder: Path) -> Record:
    """What the modules that ship for `world` make of a state and an operation.

    Shown is what changes most bits of the word, among `DRAWN` states drawn by `seed` and the four
    operations, so that there is something to see; the first of equals. Raises ConfigError (`domain.cells`)
    if the world is not made of cells, and what reading modules raises.
    """
    import numpy as np

    from nhc.domains.protocol import BRANCHING
    from nhc.domains.registry import finite_world
    from nhc.streams import random_stream
    from nhc.supervised.files import learned_modules, load_modules
    from nhc.supervised.shipped import modules_path
    from nhc.supervised.workflow import columns_of, workflow

    del folder
    seed = values["seed"]
    assert isinstance(seed, int)
    world = finite_world(str(values["world"]))
    model = load_modules(modules_path(f"zoo:{world.name}"), world)
    learned_modules(model)  # refuses files that lack modules
    states = world.sample(random_stream(seed, "workflow"), DRAWN)
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

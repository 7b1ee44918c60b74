"""A world of one's own: the Tower of Hanoi on a ring of four pegs, with learned data modules and a plan.

A state names the peg of each disc, the smallest disc first. There is an operation for each two neighbouring
pegs: the smaller of their top discs moves to the other peg.
"""

from itertools import product

import nhc

DISCS = 4
PEGS = "ABCD"
PAIRS = ("AB", "BC", "CD", "DA")  # the ring: D and A are neighbours, too


def movable(state: str, op: int) -> int | None:
    """The smallest disc on the two pegs of an operation."""
    return next((disc for disc, peg in enumerate(state) if peg in PAIRS[op]), None)


def step(state: str, op: int) -> str:
    """The rules: that disc moves to the other peg, where no smaller one lies."""
    disc = movable(state, op)
    if disc is None:
        return state
    return state[:disc] + PAIRS[op].replace(state[disc], "") + state[disc + 1 :]


def look(state: str) -> list[int | None]:
    """The local view: for each operation the disc that it would move."""
    return [movable(state, op) for op in range(4)]


world = nhc.small_world(
    name="hanoi-ring",
    family=f"{DISCS} discs on a ring of {len(PEGS)} pegs, no disc on a smaller one",
    symbols=PEGS,
    size=len(PEGS) ** DISCS,
    states=map("".join, product(PEGS, repeat=DISCS)),
    step=step,
    look=look,
    ops={pair: [slot] for slot, pair in enumerate(PAIRS)},  # each changes what its own slot shows
)

modules, report = nhc.learn_modules(world, seed=0)
print(report)
assert report.passed

model = nhc.load_model("zoo:plan")  # its 1,592 weights were trained elsewhere and stay as they are
task = nhc.task_between(world, start="AAAA", goal="BBBA")
solution = nhc.solve(model, task, modules=modules)
print(f"{solution.ending} in {solution.ticks:,} ticks: {world.plan_text(task.start, list(solution.ops))}")
print(" -> ".join(world.draw(state) for state in solution.states))

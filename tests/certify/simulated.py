"""What runs of a certified machine really do, by brute force, for comparison with what its proof says."""

from functools import cache
from itertools import islice
from typing import NamedTuple

from tests.certify.mutants import base
from tests.oracles.brute_force import State, way_back

TICKS = 4_000


class Simulation(NamedTuple):
    """One search run without a goal."""

    fresh: list[int]
    """F_c: the word with which cell c was written."""
    final: list[int]
    """The word that stays in cell c, of cells that were left."""
    phases: list[list[int]]
    """The words of cell c at the ticks of its node."""
    earlier: list[set[int]]
    """Words in cells before n at the ticks of node n."""
    later: list[set[int]]
    """Words in cells after n at the ticks of node n."""
    reads: set[tuple[State, int]]


@cache
def simulated(name: str) -> Simulation:
    """The first ticks of a machine's search, its memory looked through at every tick."""
    fresh, phases = [], []
    earlier: list[set[int]] = []
    later: list[set[int]] = []
    reads = set()
    words: list[int] = []
    for number, (tick, run) in enumerate(islice(base(name).machine().ticks(None), TICKS)):
        node, words = number // 4, run.words
        fresh.append(words[-1])
        if number % 4 == 0:
            phases.append([])
            earlier.append(set())
            later.append(set())
        phases[-1].append(words[node])
        earlier[-1] |= {*words[:node]}
        later[-1] |= {*words[node + 1 :]}
        reads.add((tick.state, tick.word))
    return Simulation(fresh, words[: TICKS // 4 - 1], phases, earlier, later, reads)


@cache
def ends(name: str, goals: int = 400) -> list[tuple[int, State, int, int]]:
    """(goal, control state, word read, operation) of every tick after the goal, for goals 1, 2, ..."""
    found = []
    mutant = base(name)
    machine = mutant.machine()
    for goal in [*range(1, 90), *range(90, goals, 7)]:
        length = len(way_back(goal)) if mutant.plan else 1
        for tick, _ in islice(machine.ticks(goal), goal, goal + length):
            found.append((goal, tick.state, tick.word, tick.op))
    return found

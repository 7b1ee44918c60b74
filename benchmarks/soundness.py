"""The prover against brute force on machines broken on purpose: the long form of tests/certify.

Run it from anywhere: `python benchmarks/soundness.py --seconds 240 [MODEL ...]`. Each machine is judged by
the prover and by runs to goals 1..1,500 and 200 more at each depth from 6 on. A proof where a run fails would
be a lie; the program then ends with 1.
"""

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from nhc.certify.prove import Proof, Undecided
from nhc.model import load_model
from tests.certify.mutants import (
    BASES,
    Mutant,
    agrees,
    base,
    moved,
    near_border,
    random_direction,
    random_flip,
    verdict,
    visited,
)
from tests.certify.table_machines import depth_machine, random_table_machine
from tests.oracles.brute_force import goals_to_try

DEPTH, DEEPER, DEEPEST = 7, 8, 10
EVERY = 25
"""Of how many proved machines one is run down to the deepest goals."""
Maker = Callable[[np.random.Generator, Mutant], Iterator[Mutant]]
ALGORITHMS = ("plan", "search")
COLUMNS = ("mutants", "proved", "refuted", "undecided, right", "undecided, wrong", "disagree")


def near(rng: np.random.Generator, machine: Mutant) -> Iterator[Mutant]:
    """On either side of the border between right and wrong."""
    yield from near_border(rng, machine)


def anywhere(rng: np.random.Generator, machine: Mutant) -> Iterator[Mutant]:
    """Weights changed by a little or a lot."""
    name, direction = random_direction(rng, machine)
    yield moved(machine, direction, 10 ** rng.uniform(-4, 0.5), name)


def flipped(rng: np.random.Generator, machine: Mutant) -> Iterator[Mutant]:
    """One decision changed, or two."""
    places = sorted(visited(machine))
    changes = {**random_flip(rng, machine, places)}
    if rng.random() < 0.3:
        changes |= random_flip(rng, machine, places)
    yield machine.with_(changes, f"{machine.name}, flipped")


def tables(rng: np.random.Generator, _: Mutant) -> Iterator[Mutant]:
    """Machines given by random tables, and one with a decision changed."""
    machine = random_table_machine(rng, str(rng.choice(ALGORITHMS)))
    yield machine
    yield machine.with_(random_flip(rng, machine, sorted(visited(machine, (3, 30, 300)))))


def shared(rng: np.random.Generator, _: Mutant) -> Iterator[Mutant]:
    """Words that tell depths, some with two meanings; half of the machines with a decision changed."""
    depths = int(rng.integers(2, 9))
    words = [10 * depth + number for depth in range(depths) for number in range(9)]
    pairs = [map(int, rng.choice(words, 2, replace=False)) for _ in range(int(rng.integers(0, 4)))]
    machine = depth_machine(depths, str(rng.choice(ALGORITHMS)), dict(pairs))
    if rng.random() < 0.5:
        places = sorted(visited(machine, (3, 30, 300, 1400)))
        machine = machine.with_(random_flip(rng, machine, places))
    yield machine


MAKERS: dict[str, Maker] = {
    "weights, near the border": near,
    "weights, anywhere": anywhere,
    "decisions flipped": flipped,
    "random tables": tables,
    "words with two meanings": shared,
}


def machines(names: list[str]) -> list[Mutant]:
    """The machines to break: those of the tests, and models given by name. Each must be proved."""
    found = [base(name) for name in BASES]
    for name in names:
        model = load_model(name)
        blocks = model.parameters.named_blocks(model.config)
        found.append(Mutant(name, blocks, model.algorithm.name, usage_link=model.config.usage_link))
    return [machine for machine in found if isinstance(verdict(machine), Proof)]


def reason(told: str) -> str:
    """Why there is no proof, without the place."""
    return " ".join(told.replace(":", "").split()[:2])


def main() -> int:
    """Break machines until time is up; print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*")
    parser.add_argument("--seconds", type=float, default=240.0)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    end = time.monotonic() + options.seconds
    rng = np.random.default_rng(options.seed)
    whole = machines(options.models)
    goals, deeper_goals, deep = (goals_to_try(depth) for depth in (DEPTH, DEEPER, DEEPEST))
    print(f"{len(whole)} proved machines to break")
    counts = {name: Counter[str]() for name in MAKERS}
    reasons: Counter[str] = Counter()
    proved = number = deep_runs = 0
    while time.monotonic() < end:
        name = [*MAKERS][number % len(MAKERS)]
        for mutant in MAKERS[name](rng, whole[number // len(MAKERS) % len(whole)]):
            found = verdict(mutant)
            is_proved = isinstance(found, Proof)
            deepest = is_proved and proved % EVERY == 0
            some = deeper_goals if MAKERS[name] is shared else goals
            fault = mutant.fault(deep if deepest else some)
            proved, deep_runs = proved + is_proved, deep_runs + deepest
            counts[name]["mutants"] += 1
            try:
                counts[name][agrees(mutant, found, fault)] += 1
            except AssertionError as disagreement:
                counts[name]["disagree"] += 1
                print(f"DISAGREE: {disagreement}"[:2000])
            if isinstance(found, Undecided):
                reasons[
                    "right: " * (fault is None) + "wrong: " * (fault is not None) + reason(found.reason)
                ] += 1
        number += 1
    print_table(counts)
    print(f"{deep_runs} of the proved machines were run to goals at depth {DEEPEST}, the others to {DEPTH},")
    print(f"those with words of two meanings to {DEEPER}.")
    for why, count in reasons.most_common():
        print(f"  undecided, {why}: {count}")
    return int(any(count["disagree"] for count in counts.values()))


def print_table(counts: dict[str, Counter[str]]) -> None:
    """A line for each kind of mutant, their sum, and the share of right machines that are proved."""
    every: Counter[str] = Counter()
    for count in counts.values():
        every += count
    print(" " * 26 + "".join(f"{column:>18}" for column in (*COLUMNS, "right: proved")))
    for name, count in [*counts.items(), ("all", every)]:
        right = count["proved"] + count["undecided, right"]
        share = f"{count['proved'] / right:.1%}" if right else "-"
        print(f"{name:<26}" + "".join(f"{count[column]:>18}" for column in COLUMNS) + f"{share:>18}")


if __name__ == "__main__":
    sys.exit(main())

"""Machines broken on purpose, for the prover and for brute force alike.

A mutant has other weights, or single decisions of it are overruled. Both are seen by both sides: the prover
through `Overruled` decisions, brute force through its `changes`.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from typing import NamedTuple
from unittest.mock import patch

import numpy as np

from nhc.certify import prove as prover
from nhc.certify.decisions import Decisions, Margin, Margins
from nhc.certify.enclosure import Network
from nhc.certify.induction import Invariant, invariant
from nhc.certify.prove import Proof, Refutation, Undecided, Verdict, prefix_words
from nhc.machine.layout import unused_blocks
from nhc.program.table import ControlState
from tests.computer.machines import Weights, hand_made, model_of, zoo
from tests.oracles.brute_force import BruteForce, Changes, Fault, State, goals_to_try

QUICK = goals_to_try(5)[:400]
NOTHING: Changes = {}


class Mutant(NamedTuple):
    """A machine with what is overruled in it."""

    name: str
    weights: Weights
    algorithm: str = "plan"
    changes: Changes = NOTHING
    usage_link: bool = True

    @property
    def plan(self) -> bool:
        """Does it walk back?"""
        return self.algorithm == "plan"

    def machine(self) -> BruteForce:
        """For running it."""
        return BruteForce(self.weights, plan=self.plan, usage_link=self.usage_link, changes=self.changes)

    def fault(self, goals: list[int]) -> Fault | None:
        """What brute force finds."""
        return self.machine().first_fault(goals)

    def with_(self, changes: Changes, name: str = "") -> "Mutant":
        """The same machine with more overruled."""
        return self._replace(changes={**self.changes, **changes}, name=name or self.name)


class Overruled(Decisions):
    """Decisions of a network, some of which are replaced; `changes` are those of the brute force."""

    def __init__(self, network: Network, margins: Margins, *, changes: Changes) -> None:
        self.changes = changes
        super().__init__(network, margins)

    def _written(self, state: ControlState) -> tuple[int, int]:
        found = super()._written(state)
        return tuple(
            self.changes.get((kind, state), word)
            for kind, word in zip(("constrained", "fresh"), found, strict=True)
        )

    def _winner(self, state: ControlState, present: frozenset[int]) -> int:
        wanted = self.changes.get(("winner", state))
        return wanted if wanted in present else super()._winner(state, present)

    def _op(self, state: ControlState, word: int) -> int:
        wanted = self.changes.get(("op", state, word))
        return super()._op(state, word) if wanted is None else wanted

    def _prefers(self, state: ControlState, word: int, other: int) -> bool:
        above = [("above", state, w) in self.changes for w in (word, other)]
        pair = [self.changes.get(("above", state, w), w) for w in (word, other)]
        pair = [self.changes.get(("like", state, w), w) for w in pair]
        if pair[0] != pair[1]:
            return super()._prefers(state, *pair)
        self.margins.take("content", Margin(float(above[0] != above[1]), 0.0, f"{state}, alike"))
        return above[0] > above[1]


def verdict(mutant: Mutant) -> Verdict:
    """What the prover says."""
    model = model_of(mutant.weights, mutant.algorithm, usage_link=mutant.usage_link)
    with patch.object(prover, "Decisions", partial(Overruled, changes=mutant.changes)):
        return prover.prove(model)


@cache
def base(name: str) -> Mutant:
    """A certified machine: `zoo:plan`, `zoo:search`, or `plan` and `search` made by hand."""
    if name.startswith("zoo:"):
        model = zoo(name.removeprefix("zoo:"))
        return Mutant(name, model.parameters.named_blocks(model.config), model.algorithm.name)
    model = hand_made(name)
    return Mutant(f"hand-made {name}", model.parameters.named_blocks(model.config), name)


BASES = ("zoo:plan", "zoo:search", "plan", "search")


def visited(mutant: Mutant, goals: Iterable[int] = (3, 30, 84, 300)) -> Counter[tuple[State, int]]:
    """(control state, word read) of a few runs, with how often they occur."""
    found: Counter[tuple[State, int]] = Counter()
    for goal in goals:
        ticks = mutant.machine().ticks(goal)
        end = 1
        if mutant.plan:
            end += int(np.log(3 * goal + 1) / np.log(4) + 1e-9)
        for _ in range(goal + end):
            tick, _ = next(ticks)
            found[tick.state, tick.word] += 1
    return found


def random_flip(rng: np.random.Generator, mutant: Mutant, where: list[tuple[State, int]]) -> Changes:
    """One decision of one of these states, changed."""
    state, word = where[rng.integers(len(where))]
    machine = mutant.machine()
    row = machine.row(state)
    kind = str(rng.choice(["op", "winner", "constrained", "fresh", "above"]))
    if kind == "op":
        return {("op", state, word): int((row.ops[word] + rng.integers(1, 5)) % 5)}
    if kind == "winner":
        return {("winner", state): int((row.order[0] + rng.integers(1, 5)) % 5)}
    used = sorted({w for _, w in where} - {word}) or [word ^ 1]
    if kind == "above":
        return {("above", state, int(rng.choice(used))): word}
    old = getattr(row, kind)
    return {(kind, state): int(rng.choice([*used, old ^ (1 << int(rng.integers(8)))]))}


def random_direction(rng: np.random.Generator, mutant: Mutant) -> tuple[str, Weights]:
    """A direction in the space of weights: everywhere, one block, one row, or aimed at one control state."""
    model = model_of(mutant.weights, mutant.algorithm)
    unused = unused_blocks(model.config)
    blocks = sorted({name.rsplit(".", 1)[0] for name in mutant.weights} - {*unused})
    noise = {name: rng.standard_normal(array.shape) for name, array in mutant.weights.items()}
    kind = str(rng.choice(["all", "block", "row", "state"]))
    if kind == "all":
        return kind, noise
    block = str(rng.choice(blocks))
    name = f"{kind} {block}"
    direction = {key: np.zeros_like(array, np.float64) for key, array in mutant.weights.items()}
    if kind == "state":
        blocks.remove("controller")
        block = str(rng.choice(blocks))
        states = sorted(visited(mutant, (3, 30)))
        target = int(rng.integers(len(states)))
        row = int(rng.integers(len(mutant.weights[f"{block}.b"])))
        sign = rng.choice([-1.0, 1.0])
        direction[f"{block}.w"][row] = sign * aimed_at(mutant, block, states, target)
        return f"state {block}", direction
    rows = slice(None)
    if kind == "row":
        row = int(rng.integers(len(mutant.weights[f"{block}.b"])))
        rows = slice(row, row + 1)
    for part in ("w", "b"):
        direction[f"{block}.{part}"][rows] = noise[f"{block}.{part}"][rows]
    return name, direction


def aimed_at(mutant: Mutant, block: str, states: list[tuple[State, int]], target: int) -> np.ndarray:
    """A row of weights whose output is 1 in one of these states and, as far as may be, 0 in the others."""
    w, b = (np.asarray(mutant.weights[f"controller.{part}"], np.float64) for part in ("w", "b"))
    count = mutant.machine().signals
    inputs = []
    for state, word in states:
        signals = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, 0.0)][state.phase])[:count]
        before, read = (
            np.where(w < 0, 0.0, np.where((w >> np.arange(8)) & 1, 1.0, -1.0)) for w in (state.word, word)
        )
        hidden = np.tanh(w @ np.concatenate([signals, before, np.arange(5) == state.op]) + b)
        parts = [hidden, read, signals] if block == "transform_c" else [signals, hidden]
        inputs.append(np.concatenate(parts))
    same = [a for a, (state, _) in enumerate(states) if state == states[target][0]]
    wanted = np.zeros(len(states))
    wanted[[target] if block == "transform_c" else same] = 1.0
    return np.linalg.lstsq(np.array(inputs), wanted, rcond=None)[0]


def moved(mutant: Mutant, direction: Mapping[str, np.ndarray], scale: float, name: str) -> Mutant:
    """The machine with weights a step further in a direction."""
    weights = {
        key: (array + scale * direction[key]).astype(np.float32) for key, array in mutant.weights.items()
    }
    return mutant._replace(weights=weights, name=f"{mutant.name}, {name}, {scale:.3g}")


def border(
    mutant: Mutant, direction: Mapping[str, np.ndarray], halvings: int, right: Callable[[Mutant], bool]
) -> tuple[float, float] | None:
    """Two scales, right at the lower and wrong at the upper; None if it is right however far one goes."""
    low, high = 0.0, 1 / 32
    while right(moved(mutant, direction, high, "")):
        low, high = high, high * 4
        if high > 1000:
            return None
    for _ in range(halvings):
        middle = (low + high) / 2
        low, high = (middle, high) if right(moved(mutant, direction, middle, "")) else (low, middle)
    return low, high


def near_border(rng: np.random.Generator, mutant: Mutant) -> Iterator[Mutant]:
    """Two machines close to where right turns wrong, on either side of it."""
    name, direction = random_direction(rng, mutant)
    halvings = int(rng.integers(0, 18))
    scales = border(mutant, direction, halvings, lambda m: m.fault(QUICK) is None)
    for scale in scales or ():
        yield moved(mutant, direction, scale, name)


def agrees(mutant: Mutant, found: Verdict, fault: Fault | None) -> str:
    """How the prover's verdict compares with brute force, in a word; raises AssertionError if it may not."""
    told = f"{mutant.name} {dict(mutant.changes)}: {found}, brute force {fault}"
    if isinstance(found, Proof):
        assert fault is None, told
        return "proved"
    if isinstance(found, Refutation):
        assert fault is not None, told
        assert (found.failure.goal, found.failure.tick) == (fault.goal, fault.tick), told
        return "refuted"
    assert isinstance(found, Undecided)
    return "undecided, " + ("right" if fault is None else "wrong")


def decisions_of(mutant: Mutant, changes: Changes | None = None) -> Decisions:
    model = model_of(mutant.weights, mutant.algorithm, usage_link=mutant.usage_link)
    return Overruled(Network(model), Margins(), changes={**mutant.changes, **(changes or {})})


def claim_of(mutant: Mutant) -> Invariant:
    """The invariant that the prover finds, without checking it."""
    decisions = decisions_of(mutant)
    return invariant(decisions, prefix_words(decisions, 1), 1)

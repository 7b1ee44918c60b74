"""The verdict on a machine of any algorithm: proved, refuted, or undecided.

Search and Plan are proved by an induction, see `nhc.certify.prove`. Any other machine is proved if in every
state that machine and environment can reach together it takes each tick as it should. Then it is right on
every instance, of every length: each is a path of the environment.
"""

from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass
from typing import TypeVar

from nhc.algorithms.abstraction import Abstraction
from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.certify import order, stack
from nhc.certify.cells import TooManyCases
from nhc.certify.decisions import Decisions, MarginError, Margins
from nhc.certify.enclosure import Network, RangeError
from nhc.certify.environment import Environment, Refused, read_environment
from nhc.certify.prove import Proof, Refutation, Undecided, prove
from nhc.certify.replay import Replay, search
from nhc.machine.config import GATED, options_unlike
from nhc.model import Model

QUICK_TICKS, REFUTING_TICKS = 10_000, 150_000
"""Ticks of runs on small instances, before a proof is tried and after it failed."""
MOST_STATES, MOST_STEPS = 30_000, 300_000
"""Bounds on the work, which is the same on every machine."""

StateT = TypeVar("StateT", order.State, stack.State)


@dataclass(frozen=True)
class PathProof:
    """On every path of the environment, each tick is as it should be."""

    abstraction: Abstraction
    tracks: bool
    """Was the parent of the cell read followed?"""
    reached: dict[Hashable, order.State] | dict[Hashable, stack.State]
    """By what tells states apart."""
    under: dict[stack.Frame, set[stack.Frame]]
    """In stacks, what can lie below a resting cell."""
    margins: Margins


@dataclass(frozen=True)
class Counterexample:
    """The smallest instance found whose result is wrong."""

    run: Replay


PathVerdict = PathProof | Counterexample | Undecided
AnyVerdict = Proof | Refutation | PathVerdict


def verdict_on(model: Model) -> AnyVerdict:
    """Proved for every input, refuted by one, or undecided and why. Usually takes less than a second.

    Raises ConfigError (`algorithm.environment`) if the algorithm's environment cannot be read.
    """
    searches = isinstance(model.algorithm, TreeAlgorithm)
    return prove(model) if searches else prove_paths(model)


def verdict_label(verdict: AnyVerdict) -> str:
    """One word: `proved`, `refuted` or `undecided`."""
    if isinstance(verdict, Proof | PathProof):
        return "proved"
    return "undecided" if isinstance(verdict, Undecided) else "refuted"


def failing_instance(verdict: AnyVerdict) -> object:
    """An instance on which the machine does not do what it was taught; None if none is known."""
    if isinstance(verdict, Refutation):
        return verdict.failure.goal
    if isinstance(verdict, Counterexample):
        return verdict.run.instance
    return verdict.instance if isinstance(verdict, Undecided) else None


def prove_paths(model: Model) -> PathVerdict:
    """The verdict on a model. Takes some hundredths of a second, where it is hard to decide up to a minute.

    Raises ConfigError (`algorithm.environment`).
    """
    algorithm, abstraction = model.algorithm, model.algorithm.abstraction()
    unsupported = options_unlike(model.config, GATED)
    if abstraction is None or unsupported:
        return Undecided(f"unsupported options: {unsupported}" if unsupported else "no environment is stated")
    environment, network = read_environment(algorithm, abstraction.rules), Network(model)
    concrete = Decisions(network, Margins())
    try:
        early = search(concrete, algorithm, QUICK_TICKS)
        if early.wrong is not None:
            return Counterexample(early.wrong)
        if early.off is None:
            return attempts(network, environment, abstraction)
        reason = off_reason(early.off)
    except RangeError as error:
        return Undecided(f"range: {error}")
    except MarginError as error:
        return refutation(concrete, algorithm, f"margin: {error}", close=True)
    except TooManyCases as error:
        reason = f"states: {error}"
    except Refused as error:
        reason = f"step: {error}"
    return refutation(concrete, algorithm, reason, close=False)


def attempts(network: Network, environment: Environment, abstraction: Abstraction) -> PathProof:
    """The proof, by an abstraction that is fine enough.

    Raises Refused, TooManyCases, MarginError and RangeError.
    """
    if abstraction.memory == "stack":
        margins = Margins()
        frames = stack.Stack(Decisions(network, margins), environment)
        found = explored(frames.start, frames.successors, MOST_STATES, frames.noted)
        return PathProof(abstraction, False, found, frames.under, margins)

    def in_order(*, tracks: bool) -> PathProof:
        margins = Margins()
        cells = order.Order(Decisions(network, margins), environment, tracks=tracks)
        reached = explored(cells.start, cells.successors, MOST_STATES)
        return PathProof(abstraction, tracks, reached, {}, margins)

    try:
        return in_order(tracks=False)
    except Refused as error:
        if not error.needs_parents:
            raise
    return in_order(tracks=True)


def explored(
    start: StateT,
    successors: Callable[[StateT], Iterator[StateT]],
    most_states: int,
    noted: Callable[[], int] = lambda: 0,
) -> dict[Hashable, StateT]:
    """Every state that machine and environment can reach together, by its key.

    When `noted`, the size of what was noted beside the states, grows, all are looked at again. Raises Refused
    and TooManyCases.
    """
    steps, before, reached = 0, -1, {start.key: start}
    while before != noted():
        before, left = noted(), list(reached)
        while left:
            for new in successors(reached[left.pop()]):
                steps += 1
                key = new.key
                known = reached.get(key)
                joined = new if known is None else known.joined(new)
                if joined != known:
                    reached[key] = joined
                    left.append(key)
            if len(reached) > most_states or steps > MOST_STEPS:
                raise TooManyCases(f"{len(reached):,} abstract states, {steps:,} steps between them")
    return reached


def refutation(
    concrete: Decisions, algorithm: AnyAlgorithm, reason: str, *, close: bool
) -> Counterexample | Undecided:
    """An instance that is wrong, or why there is no verdict."""
    found = search(concrete, algorithm, REFUTING_TICKS)
    if found.wrong is not None:
        return Counterexample(found.wrong)
    off = found.off
    reason = reason if off is None else off_reason(off)
    told = f"{reason} ({found.tried:,} instances were right)"
    return Undecided(told, None if off is None else off.instance, close)


def off_reason(run: Replay) -> str:
    """A machine that is right otherwise than the teacher is beyond what the theorem says."""
    return f"teacher: right, but tick {run.off_at} of {run.instance!r} is not the teacher's"

"""A change of one bias so small that hardly any case goes wrong: where tests of checks and repairs begin.

A bias of a last layer is added to one logit. So a case that some change makes wrong stays wrong for every
larger change of that sign, and the wrong cases of a change are among those of a larger one. A complete check
at a change that is a little too large therefore finds all cases that matter; the search goes on among these,
and a second complete check confirms what it finds.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Generic, NamedTuple

import equinox as eqx
import numpy as np
from numpy.typing import NDArray

from nhc.data.learned import Network, dense
from nhc.domains.local import FiniteWorld, LocalStateT, one_hot
from nhc.domains.states import joined
from nhc.errors import ModelError
from nhc.streams import random_stream
from nhc.supervised.check.fast import FastEngine
from nhc.supervised.check.judged import Judge
from nhc.supervised.check.report import Report
from nhc.supervised.check.run import NEEDS, CheckOptions, check_networks, constant_symbols
from nhc.supervised.check.tally import COUNTEREXAMPLES, Counterexample, Tally
from nhc.supervised.check.truth import Truth
from nhc.supervised.check.weights import plain_networks

SAMPLE = 4096
"""States among which a change is looked for that is a little too large."""
HALVINGS = 24
NARROWINGS = 12
LARGEST = 2.0**10
GAP = 1e-3
"""Of a case's decisive logits, at least, from a tie: so rounding decides no case."""

Errors = Callable[[float], int]
"""Wrong cases by the size of a change; they do not get fewer when it grows."""


class Spot(NamedTuple):
    """A bias of the last layer of a network, and the sign of its change."""

    network: str
    unit: int
    sign: float


class Damage(NamedTuple):
    """Networks of a module, one bias of them changed."""

    networks: dict[str, Network]
    network: str
    unit: int
    change: float
    tally: Tally
    """Of a complete check."""


@dataclass(frozen=True)
class Search(Generic[LocalStateT]):
    """What a search for damage needs."""

    world: FiniteWorld[LocalStateT]
    networks: dict[str, Network]
    module: str
    truth: Truth[LocalStateT]
    constant: NDArray[np.int64]
    complete: Callable[[Mapping[str, Network]], Tally]
    """A complete check that may end early when there are 20,000 errors."""
    note: Callable[[str], None]

    def among(self, states: LocalStateT, spot: Spot) -> Errors:
        """Wrong cases among some states; the ALU is always run on all views."""

        def errors(size: float) -> int:
            changed = plain_networks(shifted(self.networks, spot, size))
            if self.module == "alu":
                return Judge(self.truth, changed).alu_tally().errors
            engine = FastEngine(self.truth, changed, self.constant, frozenset({self.module}))
            return engine.check(states, 0).tallies[self.module].errors

        return errors

    def states_of(self, wrong: list[Counterexample]) -> LocalStateT:
        """The states of wrong cases, each once."""
        symbols = np.unique(np.array([case.symbols for case in wrong], np.uint8), axis=0)
        return self.world.decode(one_hot(symbols, len(self.world.form.symbols)))


def find_damage(
    world: FiniteWorld[LocalStateT],
    networks: Mapping[str, Network],
    module: str,
    *,
    most: int = 5,
    seed: int = 0,
    workers: int | None = 0,
    note: Callable[[str], None] = lambda text: None,
    on_progress: Callable[[Report, int], None] = lambda report, chunks: None,
) -> Damage | None:
    """Between 1 and `most` wrong cases of `transform_d`, `alu` or `output` by a change of one bias.

    None if no bias does it. Biases are tried in random order; as a rule the first one does, with two complete
    checks, over `workers` processes. Raises ModelError (`modules.wrong`) for a module that errs already, and
    the errors of `check_networks`.
    """
    options = CheckOptions(modules=frozenset({module}), workers=workers, stop_after=COUNTEREXAMPLES)

    def complete(changed: Mapping[str, Network]) -> Tally:
        return check_networks(world, changed, options, on_progress).tallies[module]

    own = {name: networks[name] for name in NEEDS[module]}
    search = Search(world, own, module, Truth(world), constant_symbols(world), complete, note)
    spots = [
        Spot(name, unit, sign)
        for name, network in own.items()
        for unit in range(network.sizes[-1])
        for sign in (1.0, -1.0)
    ]
    sample = sample_of(world, seed)
    for place in random_stream(seed, "damage").permutation(len(spots)).tolist():
        found = damage_at(search, spots[place], sample, most)
        if found is not None:
            return found
    return None


def sample_of(world: FiniteWorld[LocalStateT], seed: int) -> LocalStateT:
    """Some states, or all of a small family."""
    if world.family_size <= SAMPLE:
        return joined(list(world.family_states()))
    return world.sample(random_stream(seed, "damage sample"), SAMPLE)


def damage_at(search: Search[LocalStateT], spot: Spot, sample: LocalStateT, most: int) -> Damage | None:
    """Damage by a change of this bias, if there is any. Raises ModelError (`modules.wrong`)."""
    name = f"bias {spot.unit} of {spot.network}"
    errors = search.among(sample, spot)
    require_right(errors(0.0), search.module)
    size = between(errors, most)
    if size is None:
        return None
    if search.module != "alu":
        search.note(f"{name}: {spot.sign * size:+.4f} is too much for some of {SAMPLE:,} states, full check")
        tally = search.complete(shifted(search.networks, spot, size))
        if not 1 <= tally.errors < COUNTEREXAMPLES:
            return None
        search.note(f"{name}: {tally.errors:,} wrong cases, searching among these")
        errors = search.among(search.states_of(tally.wrong), spot)
        require_right(errors(0.0), search.module)
    found = in_the_middle(errors, most, size)
    if found is None:
        return None
    search.note(f"{name}: {errors(found)} wrong cases by {spot.sign * found:+.4f}, full check")
    changed = shifted(search.networks, spot, found)
    tally = search.complete(changed)
    if tally.errors != errors(found) or tally.disagreements:
        return None
    return Damage(changed, spot.network, spot.unit, float(np.float32(spot.sign * found)), tally)


def require_right(errors: int, module: str) -> None:
    """Raises ModelError (`modules.wrong`) for a module that errs before it is damaged."""
    if errors:
        message = f"{module}: expected a module without errors, found {errors:,} wrong cases"
        raise ModelError("modules.wrong", message)


def between(errors: Errors, most: int, size: float = 1.0) -> float | None:
    """A size with 1 to `most` errors, looked for below `size` if that has any, else above it."""
    harmless, harmful = 0.0, size
    while errors(harmful) == 0:
        harmless, harmful = harmful, 2 * harmful
        if harmful > LARGEST:
            return None
    size = harmful
    for _ in range(HALVINGS):
        count = errors(size)
        if 1 <= count <= most:
            return size
        harmless, harmful = (size, harmful) if count == 0 else (harmless, size)
        size = (harmless + harmful) / 2
    return None


def in_the_middle(errors: Errors, most: int, known: float) -> float | None:
    """A size with 1 to `most` errors, as far from one case more as from one less; at most `known`.

    None if there is none, or only so near to other counts that rounding may matter.
    """
    size = between(errors, most, known)
    if size is None:
        return None
    count = errors(size)
    fewer, least, largest, more = 0.0, size, size, known
    for _ in range(NARROWINGS):
        low, high = (fewer + least) / 2, (largest + more) / 2
        fewer, least = (fewer, low) if errors(low) == count else (low, least)
        largest, more = (high, more) if errors(high) == count else (largest, high)
    return (least + largest) / 2 if largest - least > 2 * GAP else None


def shifted(networks: Mapping[str, Network], spot: Spot, size: float) -> dict[str, Network]:
    """The networks with one bias of a last layer changed."""
    change = np.float32(spot.sign * size)
    changed = eqx.tree_at(
        lambda network: network.biases[-1],
        dense(networks, spot.network),
        replace_fn=lambda bias: bias.at[spot.unit].add(change),
    )
    return {**networks, spot.network: changed}

"""Certification of a model's control: finds the invariant and checks every step, or says what failed."""

from dataclasses import dataclass, field

from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.tree.algorithm import TreeAlgorithm, tree_algorithm
from nhc.certify.decisions import Decisions, MarginError, Margins
from nhc.certify.enclosure import Network, RangeError
from nhc.certify.follow import Failure, Follower, smallest_failure
from nhc.certify.goals import check_plan_end, check_search_end
from nhc.certify.induction import Invariant, Obligation, check_search, invariant
from nhc.domains.protocol import BRANCHING
from nhc.machine.config import GATED, TABULAR, MachineConfig, options_unlike
from nhc.model import Model
from nhc.program.table import ControlState, Phase, Program, Row

LONGEST_PREFIX = 48
FAILURE_SEARCH = 1_500
"""Goals tried when there is no proof."""


@dataclass(frozen=True)
class Proof:
    """The control is the algorithm: on every tree, for every goal n >= 1."""

    invariant: Invariant
    margins: Margins
    reads: dict[ControlState, set[int]] = field(repr=False)
    """Every control state of every run, with the words that can be read in it."""
    lookups: set[ControlState] = field(repr=False)
    """Those states in which a run can read by content."""


@dataclass(frozen=True)
class Refutation:
    """The control is not the algorithm: the smallest task that fails."""

    failure: Failure


@dataclass(frozen=True)
class Undecided:
    """Neither proved nor refuted, and why."""

    reason: str
    instance: object = None
    """One on which the machine is right, but not as it was taught."""
    close: bool = True
    """May the next step of learning decide it?"""


Verdict = Proof | Refutation | Undecided


def control_label(verdict: Verdict) -> str:
    """One word: `proved`, `refuted` or `unproved`."""
    if isinstance(verdict, Proof):
        return "proved"
    return "refuted" if isinstance(verdict, Refutation) else "unproved"


def control_sentence(verdict: Verdict) -> str:
    """What the verdict means for a person who reads an answer."""
    if isinstance(verdict, Proof):
        return "control proved: breadth-first search on every task, whatever its size"
    if isinstance(verdict, Refutation):
        return f"control refuted: it is not the algorithm, on the free tree with {verdict.failure}"
    return f"control not proved ({verdict.reason})"


def prove(model: Model) -> Verdict:
    """The verdict on a model's control. Takes some hundredths of a second.

    Raises ConfigError (`algorithm.family`) for another algorithm than Search and Plan.
    """
    algorithm = tree_algorithm(model.algorithm)
    unsupported = options_unlike(model.config, TABULAR)
    if unsupported:
        return Undecided(f"unsupported options: {unsupported}")
    network = Network(model)
    reason = "no prefix was tried"
    for prefix in range(1, LONGEST_PREFIX + 1):
        try:
            return attempt(network, algorithm, prefix)
        except MarginError as error:
            reason = f"margin: {error}"
        except Obligation as error:
            reason = f"obligation {error}"
        except RangeError as error:
            return Undecided(f"range: {error}")
    try:
        # With margins here too: what only real numbers get wrong is no failure of the machine.
        failure = smallest_failure(Decisions(network, Margins()), algorithm, FAILURE_SEARCH)
    except MarginError:
        failure = None
    return Undecided(reason) if failure is None else Refutation(failure)


def attempt(network: Network, algorithm: TreeAlgorithm, prefix: int) -> Proof | Refutation:
    """The proof with nodes below `prefix` followed one by one, or the first of them that fails.

    Raises Obligation or MarginError.
    """
    margins = Margins()
    decisions = Decisions(network, margins)
    # One goal more than the prefix has: its search is the first tick of node `prefix`.
    failure = smallest_failure(decisions, algorithm, BRANCHING * prefix + 1)
    if failure is not None:
        return Refutation(failure)
    claim = invariant(decisions, prefix_words(decisions, prefix), prefix)
    check_search(decisions, claim)
    (check_plan_end if algorithm.backtracks else check_search_end)(decisions, claim)
    reads = {state: words for state, words in decisions.reads.items() if isinstance(state, ControlState)}
    return Proof(claim, margins, reads, {state for state in reads if state in decisions.lookups})


def prefix_words(decisions: Decisions, prefix: int) -> tuple[int, ...]:
    """F_0 .. F_{4 prefix}: the words with which those cells are written, before anything rewrites them."""
    run, words = Follower(decisions), list[int]()
    for _ in range(BRANCHING * prefix + 1):
        run.tick(Phase.SEARCH)
        words.append(run.memory.words[-1])
    return tuple(words)


def extract_program(model: Model, proof: Proof) -> Program:
    """The program of a proved model: every control state that a run can reach, and what it can read there.

    These are the states and words of which the proof asked for the operation.
    """
    decisions = Decisions(Network(model), Margins(strict=False))
    rows = {state: _row(decisions, state, proof) for state in sorted(proof.reads)}
    return Program(model.algorithm.name, model.config.word_size, rows)


def _row(decisions: Decisions, state: ControlState, proof: Proof) -> Row:
    constrained, fresh = decisions.written(state)
    modes = decisions.network.at(state).interface["read.modes"]
    strength = modes.low + modes.high
    order = tuple(sorted(decisions.mechanisms, key=lambda m: (-strength[m], m)))
    read, claim = proof.reads[state], proof.invariant
    preference: list[int] = []
    kept = {constrained, fresh, *read, *claim.final, *claim.fresh, *claim.prefix_words}
    left = kept if state in proof.lookups else set()
    while left:
        preference.append(decisions.best_word(state, left))
        left.remove(preference[-1])
    ops = {word: decisions.op(state, word) for word in sorted(read)}
    return Row(constrained, fresh, order, tuple(preference), ops)


def is_provable(algorithm: AnyAlgorithm, config: MachineConfig) -> bool:
    """Is it stated what a proof of this algorithm is about, and does one cover such a machine?"""
    by_induction: object = algorithm
    wanted = TABULAR if isinstance(by_induction, TreeAlgorithm) else GATED
    return algorithm.abstraction() is not None and not options_unlike(config, wanted)

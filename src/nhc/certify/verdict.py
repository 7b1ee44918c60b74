"""The verdict on a machine of any algorithm, whatever kind of proof there is for it."""

from typing import TypeAlias

from nhc.algorithms.tree.algorithm import TreeAlgorithm
from nhc.certify.paths import Counterexample, PathProof, prove_paths
from nhc.certify.prove import Proof, Refutation, Undecided, prove
from nhc.model import Model

AnyVerdict: TypeAlias = Proof | Refutation | PathProof | Counterexample | Undecided


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

"""The check of each module that training runs: a proof for Input, the whole family for the others."""

from collections.abc import Mapping

import numpy as np

from nhc.data.dense import Dense
from nhc.domains.local import FiniteWorld, LocalStateT, LocalWorld, WordForm
from nhc.supervised.equality_proof import Proved, Refuted, prove_equality
from nhc.supervised.rows import packed, width
from nhc.supervised.verdict import (
    UNDECIDED,
    Note,
    Verdict,
    Verify,
    check_family,
    check_samples,
    check_single_differences,
    quiet,
)

ENUMERABLE = 10_000_000
"""Families of more states are sampled."""


def verify_module(world: LocalWorld[LocalStateT], module: str, seed: int, note: Note = quiet) -> Verify:
    """The check of a module; `seed` only matters where it is sampled."""
    if module == "input":
        return lambda networks: verify_equality(world.form, networks)
    if isinstance(world, FiniteWorld) and (module == "alu" or world.family_size <= ENUMERABLE):
        return lambda networks: check_family(world, module, networks, note)
    return lambda networks: check_samples(world, module, networks, seed, note)


def verify_equality(form: WordForm, networks: Mapping[str, Dense]) -> Verdict:
    """Prove that Input tells all words apart, or hand back pairs that it confuses.

    Differences in a single cell are tried first: they give many counterexamples at once.
    """
    singles = check_single_differences(form, networks)
    if singles.errors:
        return singles
    outcome = prove_equality(networks["equality"], form)
    if isinstance(outcome, Refuted):
        pair = {"left": np.array([outcome.left]), "right": np.array([outcome.right])}
        return Verdict("refuted", singles.cases, 1, packed(form, "input", pair))
    label = "proved" if isinstance(outcome, Proved) else UNDECIDED
    return Verdict(label, singles.cases, 0, np.zeros((0, width(form, "input")), np.uint8))

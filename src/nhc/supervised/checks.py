"""The check of each module that training runs: a proof for Input, the whole family for the others."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from nhc.data.experts import Experts
from nhc.data.learned import Network, dense
from nhc.domains.local import CasedWorld, FiniteWorld, LocalStateT, LocalWorld, WordForm, one_hot
from nhc.supervised.check.report import Report
from nhc.supervised.check.run import CheckOptions, check_networks
from nhc.supervised.check.tally import Counterexample
from nhc.supervised.equality_proof import Proved, Refuted, prove_equality
from nhc.supervised.rows import packed, width
from nhc.supervised.samples import act_rows, insert_rows, insert_word_rows, view_rows
from nhc.supervised.verdict import (
    KEPT,
    UNDECIDED,
    Note,
    Verdict,
    Verify,
    check_samples,
    check_single_differences,
    quiet,
)
from nhc.supervised.words_proof import deciding, provable, prove_words

ENUMERABLE = 10_000_000
"""Families of more states are sampled."""

LEARNED = 1.0
"""Difference of logits."""

SMALL = 100_000
"""Families of so many states are run in this process."""


def verify_module(world: LocalWorld[LocalStateT], module: str, seed: int, note: Note = quiet) -> Verify:
    """The check of a module; `seed` only matters where it is sampled."""
    if module == "input":
        return lambda networks: verify_equality(world.form, networks)
    if isinstance(world, CasedWorld) and module in ("transform_d", "output"):
        cased: CasedWorld[LocalStateT] = world
        return lambda networks: verify_words(cased, module, networks, seed, note)
    return verify_states(world, module, seed, note)


def verify_states(world: LocalWorld[LocalStateT], module: str, seed: int, note: Note) -> Verify:
    """The check that runs a module: on all states where they can be enumerated, else on samples."""
    if isinstance(world, FiniteWorld) and (module == "alu" or world.family_size <= ENUMERABLE):
        return lambda networks: verify_family(world, module, networks, note)
    return lambda networks: check_samples(world, module, networks, seed, note)


def verify_words(
    world: CasedWorld[LocalStateT],
    module: str,
    networks: Mapping[str, Network],
    seed: int,
    note: Note = quiet,
) -> Verdict:
    """Prove a module for all words, where its form allows it; else run it.

    Words that are right by less than `LEARNED` come back with those that are wrong: the next round can spoil
    them.
    """
    if not provable(module, networks):
        return verify_states(world, module, seed, note)(networks)
    proof = prove_words(world, module, networks, KEPT)
    label = "proved" if proof.proved else "refuted"
    worth = proof.margins < LEARNED if proof.failures else np.zeros(len(proof.margins), bool)
    rows = word_rows(world, module, proof.contents[worth], proof.ops[worth])
    network = networks["view" if module == "transform_d" else "mask"]
    experts = deciding(world, network) if isinstance(network, Experts) else ()
    return Verdict(label, proof.cases, proof.failures, rows, experts)


def word_rows(
    world: LocalWorld[LocalStateT], module: str, contents: NDArray[np.uint8], ops: NDArray[np.intp]
) -> NDArray[np.uint8]:
    """Words, states or not, as training rows."""
    if module == "transform_d":
        return view_rows(world, contents)
    return insert_word_rows(world, contents, ops)


def verify_family(
    world: FiniteWorld[LocalStateT], module: str, networks: Mapping[str, Network], note: Note = quiet
) -> Verdict:
    """Run Transform_D, ALU or Output on its whole family, over all cores if it is large.

    It ends early when there are more counterexamples than are kept.
    """
    workers = None if module != "alu" and world.family_size > SMALL else 0
    options = CheckOptions(modules=frozenset({module}), workers=workers, stop_after=KEPT)

    def told(report: Report, chunks: int) -> None:
        note(report.chunks, chunks)

    tally = check_networks(world, networks, options, told).tallies[module]
    undecided = tally.errors == 0 and not tally.passed
    label = UNDECIDED if undecided else "exhaustive"
    return Verdict(label, tally.cases, tally.errors, rows_of(world, module, tally.wrong[:KEPT]))


def rows_of(
    world: FiniteWorld[LocalStateT], module: str, wrong: Sequence[Counterexample]
) -> NDArray[np.uint8]:
    """Counterexamples of a check as training rows."""
    if not wrong:
        return np.zeros((0, width(world.form, module)), np.uint8)
    symbols = np.array([case.symbols for case in wrong], np.uint8)
    ops = np.array([case.op for case in wrong])
    if module == "transform_d":
        return view_rows(world, symbols)
    if module == "alu":
        return act_rows(world, symbols, ops)
    return insert_rows(world, world.decode(one_hot(symbols, len(world.form.symbols))), ops)


def verify_equality(form: WordForm, networks: Mapping[str, Network]) -> Verdict:
    """Prove that Input tells all words apart, or hand back pairs that it confuses.

    Differences in a single cell are tried first: they give many counterexamples at once.
    """
    singles = check_single_differences(form, networks)
    if singles.errors:
        return singles
    outcome = prove_equality(dense(networks, "equality"), form)
    if isinstance(outcome, Refuted):
        pair = {"left": np.array([outcome.left]), "right": np.array([outcome.right])}
        return Verdict("refuted", singles.cases, 1, packed(form, "input", pair))
    label = "proved" if isinstance(outcome, Proved) else UNDECIDED
    return Verdict(label, singles.cases, 0, np.zeros((0, width(form, "input")), np.uint8))

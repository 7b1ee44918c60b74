"""The check of each module that training runs: a proof for Input, the whole family or a proof for the others.

Training only needs a function from networks to an outcome; faster checks of the same kind can take its place.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8
from numpy.typing import NDArray

from nhc.data.networks import Experts, Network, Networks, dense
from nhc.domains.local import CasedWorld, FiniteWorld, WordForm
from nhc.domains.protocol import StateT
from nhc.streams import random_stream
from nhc.supervised.check.report import CheckRecord, Counterexample
from nhc.supervised.check.run import CheckOptions, check_networks
from nhc.supervised.config import MODULES
from nhc.supervised.equality_proof import Proved, prove_equality, single_differences, words_of
from nhc.supervised.losses import outcome
from nhc.supervised.rows import fresh_rows, labelled, packed, width
from nhc.supervised.words_proof import deciding, provable, prove_words

CHUNK = 4096
"""Rows that are run at once."""

KEPT = 4096
"""Counterexamples that a check hands back, the first ones."""

UNDECIDED = "undecided"

SAMPLED = 256 * CHUNK
"""Rows of a sampled check: 1,048,576."""

ENUMERABLE = 10_000_000
"""Families of more states are sampled."""

LEARNED = 1.0
"""Difference of logits."""


@dataclass(frozen=True, eq=False)
class CheckOutcome:
    """The outcome of a check."""

    label: str
    """How far it goes, such as `exhaustive`, `proved` or `sampled`; `undecided` if it came to no end."""
    cases: int
    errors: int
    counterexamples: NDArray[np.uint8]
    """Training rows that went wrong, (rows, width); perhaps not all of them."""
    deciding: tuple[int, ...] = ()
    """Where linear experts surely decide: their numbers, so that training can leave out the others."""

    @property
    def passed(self) -> bool:
        """Did it find that there is nothing wrong?"""
        return self.errors == 0 and self.label != UNDECIDED


Verify = Callable[[Networks], CheckOutcome]
"""A check of one module of one world. If it finds errors, there is at least one counterexample."""

Note = Callable[[int, int], None]
"""Told of the cases that a check has done, and of all of them."""


def verify_module(
    world: FiniteWorld[StateT], module: str, seed: int, note: Note = lambda done, cases: None
) -> Verify:
    """The check of a module; `seed` only matters where it is sampled."""

    def verify(networks: Networks) -> CheckOutcome:
        if module == "input":
            return verify_equality(world.form, networks)
        if isinstance(world, CasedWorld) and provable(module, networks):
            return verify_words(world, module, networks)
        if module == "alu" or world.family_size <= ENUMERABLE:
            return verify_family(world, module, networks, note)
        return check_samples(world, module, networks, seed, note)

    return verify


def verify_words(world: CasedWorld[StateT], module: str, networks: Networks) -> CheckOutcome:
    """Prove Transform_D or Output for all words.

    Words that are right by less than `LEARNED` come back with those that are wrong: the next round can spoil
    them.
    """
    proof = prove_words(world, module, networks)
    label = "proved" if proof.proved else "refuted"
    worth = proof.margins < LEARNED if proof.failures else np.zeros(len(proof.margins), bool)
    rows = labelled(world, module, proof.contents[worth], proof.ops[worth])
    network = networks["view" if module == "transform_d" else "mask"]
    experts = deciding(world, network) if isinstance(network, Experts) else ()
    return CheckOutcome(label, proof.cases, proof.failures, rows, experts)


def verify_family(world: FiniteWorld[StateT], module: str, networks: Networks, note: Note) -> CheckOutcome:
    """Run Transform_D, ALU or Output on its whole family.

    It ends early when there are more counterexamples than are kept.
    """
    options = CheckOptions(modules=frozenset({module}), stop_after=KEPT)

    def tell(report: CheckRecord, chunks: int) -> None:
        note(report.chunks, chunks)

    counts = check_networks(world, networks, options, tell).tallies[module]
    undecided = counts.errors == 0 and not counts.passed
    label = UNDECIDED if undecided else "exhaustive"
    return CheckOutcome(label, counts.cases, counts.errors, rows_of(world, module, counts.wrong[:KEPT]))


def rows_of(world: FiniteWorld[StateT], module: str, wrong: Sequence[Counterexample]) -> NDArray[np.uint8]:
    """Counterexamples of a check as training rows."""
    if not wrong:
        return np.zeros((0, width(world.form, module)), np.uint8)
    symbols = np.array([case.symbols for case in wrong], np.uint8)
    return labelled(world, module, symbols, np.array([case.op for case in wrong]))


def verify_equality(form: WordForm, networks: Networks) -> CheckOutcome:
    """Prove that Input tells all words apart, or hand back pairs that it confuses.

    These are equal words and pairs that differ in a single cell, which are all that the proof can refute.
    """
    words = [words_of(form, bits) for bits in ((), *single_differences(form))]
    left, right = np.array(words, np.uint8).transpose(1, 0, 2)
    rows = packed(form, "input", {"left": left, "right": right})
    chunks = (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))
    singles = check_rows(form, "input", networks, chunks, "single cells")
    if singles.errors:
        return singles
    proved = isinstance(prove_equality(dense(networks, "equality"), form), Proved)
    return replace(singles, label="proved" if proved else UNDECIDED)


def check_rows(
    form: WordForm,
    module: str,
    networks: Networks,
    chunks: Iterator[NDArray[np.uint8]],
    label: str,
) -> CheckOutcome:
    """Run all rows of all chunks, each of at most `CHUNK` rows."""
    cases = errors = 0
    found = [np.zeros((0, width(form, module)), np.uint8)]
    for rows in chunks:
        padded = np.zeros((CHUNK, rows.shape[1]), np.uint8)
        padded[: len(rows)] = rows
        wrong = np.asarray(_failed(form, module, dict(networks), padded))[: len(rows)]
        cases, errors = cases + len(rows), errors + int(wrong.sum())
        if sum(map(len, found)) < KEPT:
            found.append(rows[wrong])
    return CheckOutcome(label, cases, errors, np.concatenate(found)[:KEPT])


@partial(jax.jit, static_argnames=("form", "module"))
def _failed(
    form: WordForm, module: str, networks: dict[str, Network], rows: UInt8[Array | np.ndarray, "rows width"]
) -> Bool[Array, " rows"]:
    return outcome(form, module, networks, jnp.asarray(rows)).failed


def check_samples(
    world: FiniteWorld[StateT],
    module: str,
    networks: Networks,
    seed: int,
    note: Note,
) -> CheckOutcome:
    """Fresh rows that no round draws: for worlds whose family is too large to enumerate.

    Other weights are checked on other rows, so that training on what a check found cannot fit the check.
    """
    weights = crc32(b"".join(np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(dict(networks))))
    stream = random_stream(seed, "modules check", MODULES.index(module), weights)
    chunks = (fresh_rows(world, module, stream, CHUNK) for _ in range(SAMPLED // CHUNK))
    return check_rows(world.form, module, networks, told(chunks, SAMPLED, note), "sampled")


def told(chunks: Iterator[NDArray[np.uint8]], total: int, note: Note) -> Iterator[NDArray[np.uint8]]:
    """The chunks, with a note after each is done."""
    done = 0
    for rows in chunks:
        yield rows
        done += len(rows)
        note(done, total)

"""What a check of a module says, and the plain checks that every world can have.

Training only needs a function from networks to a verdict; faster checks of the same kind can take its place.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import combinations
from typing import Protocol, runtime_checkable
from zlib import crc32

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, UInt8
from numpy.typing import NDArray

from nhc.data.learned import Network
from nhc.domains.local import FiniteWorld, LocalStateT, LocalWorld, WordForm
from nhc.domains.protocol import OPS
from nhc.domains.states import regrouped
from nhc.streams import random_stream
from nhc.supervised.losses import outcome
from nhc.supervised.rows import packed, width
from nhc.supervised.samples import act_rows, fresh_rows, insert_rows, view_rows
from nhc.supervised.sizes import MODULES

CHUNK = 4096
"""Rows that are run at once."""

KEPT = 4096
"""Counterexamples that a check hands back, the first ones."""

UNDECIDED = "undecided"

SAMPLED = 256 * CHUNK
"""Rows of a sampled check: 1,048,576."""


@dataclass(frozen=True, eq=False)
class Verdict:
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


@runtime_checkable
class Verify(Protocol):
    """A check of one module of one world."""

    def __call__(self, networks: Mapping[str, Network]) -> Verdict:
        """Run it. If `errors` is positive, there is at least one counterexample."""
        ...


Note = Callable[[int, int], None]
"""Told of the cases that a check has done, and of all of them."""


def quiet(done: int, cases: int) -> None:
    """A `Note` that nobody reads."""
    del done, cases


def check_rows(
    form: WordForm,
    module: str,
    networks: Mapping[str, Network],
    chunks: Iterator[NDArray[np.uint8]],
    label: str,
) -> Verdict:
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
    return Verdict(label, cases, errors, np.concatenate(found)[:KEPT])


@partial(jax.jit, static_argnames=("form", "module"))
def _failed(
    form: WordForm, module: str, networks: dict[str, Network], rows: UInt8[Array | np.ndarray, "rows width"]
) -> Bool[Array, " rows"]:
    return outcome(form, module, networks, jnp.asarray(rows)).failed


def check_family(
    world: FiniteWorld[LocalStateT], module: str, networks: Mapping[str, Network], note: Note = quiet
) -> Verdict:
    """Every row of Transform_D, ALU or Output: slow and plain."""
    total = len(world.views()) if module == "alu" else world.family_size
    total *= 1 if module == "transform_d" else len(OPS)
    chunks = told(family_rows(world, module), total, note)
    return check_rows(world.form, module, networks, chunks, "exhaustive")


def check_samples(
    world: LocalWorld[LocalStateT],
    module: str,
    networks: Mapping[str, Network],
    seed: int,
    note: Note = quiet,
) -> Verdict:
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


def family_rows(world: FiniteWorld[LocalStateT], module: str) -> Iterator[NDArray[np.uint8]]:
    """All rows of Transform_D, ALU or Output in chunks, each once."""
    if module == "alu":
        views = world.views()
        for start in range(0, len(views), CHUNK):
            part = views[start : start + CHUNK]
            for op in range(len(OPS)):
                yield act_rows(world, part, np.full(len(part), op))
        return
    for states in regrouped(world.family_states(), CHUNK):
        contents = world.contents(states)
        if module == "transform_d":
            yield view_rows(world, contents)
            continue
        for op in range(len(OPS)):
            yield insert_rows(world, states, np.full(len(contents), op))


def check_single_differences(form: WordForm, networks: Mapping[str, Network]) -> Verdict:
    """Input on equal words, and on every pair of symbols in every cell: the hard cases, not all of them."""
    rows = single_difference_rows(form)
    chunks = (rows[start : start + CHUNK] for start in range(0, len(rows), CHUNK))
    return check_rows(form, "input", networks, chunks, "single cells")


def single_difference_rows(form: WordForm) -> NDArray[np.uint8]:
    """Rows of Input: an equal pair, then pairs that differ in one cell, for each two symbols."""
    pairs = list(combinations(range(len(form.symbols)), 2))
    left = np.zeros((1 + form.cells * len(pairs), form.cells), np.uint8)
    right = left.copy()
    for cell in range(form.cells):
        here = slice(1 + cell * len(pairs), 1 + (cell + 1) * len(pairs))
        left[here, cell], right[here, cell] = np.array(pairs, np.uint8).T
    return packed(form, "input", {"left": left, "right": right})

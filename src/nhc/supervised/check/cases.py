"""What the rules demand of data modules, and how the decisions of a chunk are counted.

Outputs are discrete. Where Transform_D and the ALU are right, the three modules in a row see just what Output
was checked on, so Output's result is the composition's and is not computed again; only the other cases run
through all three. What was decided by little is looked at again.
"""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import Generic, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from nhc.data.networks import Networks
from nhc.domains.local import FiniteWorld, direction_of, views_of
from nhc.domains.protocol import BRANCHING, NOP, OPS, StateT
from nhc.domains.states import picked
from nhc.errors import ConfigError
from nhc.supervised.check.plain import (
    Change,
    Flags,
    Floats,
    Symbols,
    alu_change,
    alu_logits,
    change_bits,
    composed,
    group_margins,
    output_contents,
    output_logits,
    view_logits,
)
from nhc.supervised.check.report import COUNTEREXAMPLES, LOW_MARGIN, CaseCounts, counterexamples

Rows: TypeAlias = NDArray[np.intp]

ROWS = 4096
"""Cases that are run again at a time."""


class Demands(NamedTuple):
    """Of n states."""

    contents: Symbols
    """(n, cells)"""
    view: Symbols
    """(n, slots)"""
    changes: NDArray[np.intp]
    """(n, ops): number of the local change and c_a."""
    view_number: NDArray[np.intp]
    """(n,)"""
    after_step: Symbols
    """(n, ops, cells): the world's step, the state itself for `nop`."""


class Truth(Generic[StateT]):
    """The rules of one world. All local changes that its views can lead to are numbered.

    Raises ConfigError (code `world.views`) for views too long to be numbered.
    """

    def __init__(self, world: FiniteWorld[StateT]) -> None:
        self.world, self.form = world, world.form
        self.views = world.views()
        if self.form.view_symbols**self.form.slots >= 2**63:
            raise ConfigError("world.views", f"views of {self.form.slots} slots are too long to be numbered")
        self._base = self.form.view_symbols ** np.arange(self.form.slots, dtype=np.int64)
        codes = self.views @ self._base
        self._order = np.argsort(codes)
        self._codes = codes[self._order]
        ops = np.tile(np.arange(len(OPS)), len(self.views))
        views = np.repeat(self.views, len(OPS), axis=0)
        changed, after = world.act(views, ops)
        self.case_ops, self.case_views = ops, views
        self.case_changes = Change(np.asarray(changed), direction_of(ops), np.asarray(after).astype(np.uint8))
        """What the ALU has to say of each view and operation, operations fastest."""
        bits = change_bits(self.form, self.case_changes)
        _, first, places = np.unique(bits, axis=0, return_index=True, return_inverse=True)
        self.change_words = bits[first]
        self.changes = picked(self.case_changes, first)
        self._change_of = places.reshape(len(self.views), len(OPS))

    def of(self, states: StateT) -> Demands:
        """Raises ConfigError (code `world.views`) for a state whose view is not among the world's views."""
        world = self.world
        contents = world.contents(states)
        view = views_of(world, contents)
        codes = view @ self._base
        found = np.minimum(np.searchsorted(self._codes, codes), len(self._codes) - 1)
        if (self._codes[found] != codes).any():
            raise ConfigError(
                "world.views", f"a state of {world.name} has a view that is not among its views"
            )
        number = self._order[found]
        steps = [world.contents(world.step(states, op)) for op in range(BRANCHING)]
        assert len(steps) == NOP
        return Demands(contents, view, self._change_of[number], number, np.stack([*steps, contents], axis=1))


class Decisions(NamedTuple):
    """Decisions of Transform_D (n,) and Output (n, ops): right?, and by what margin."""

    view: Flags
    view_margin: Floats
    output: Flags
    output_margin: Floats


class ChunkResult(NamedTuple):
    """Of one chunk of states."""

    states: int
    counts: dict[str, CaseCounts]
    digest: str
    """SHA-256 of the words' symbols."""


class CaseCounter(Generic[StateT]):
    """Knows the rules, and the networks for second looks; the ALU's decisions on all views once asked."""

    def __init__(self, truth: Truth[StateT], networks: Networks) -> None:
        self.truth, self.networks, self.form = truth, networks, truth.form

    def _alu(self, cases: Rows, dtype: DTypeLike) -> tuple[Flags, Floats]:
        """The ALU's decisions. What the action network says counts where something changes."""
        form, ops, views = self.form, self.truth.case_ops[cases], self.truth.case_views[cases]
        wanted = picked(self.truth.case_changes, cases)
        gate, logits = alu_logits(self.networks, form, ops, views, dtype)
        found = alu_change(form, ops, views, gate, logits)
        _, margin = group_margins(logits[:, None, :BRANCHING], wanted.direction[:, None])
        symbols = logits[:, BRANCHING:].reshape(len(ops), form.changes, form.view_symbols)
        margin = np.minimum(margin, group_margins(symbols, wanted.after)[1])
        gate_margin = np.where(wanted.changed, gate, -gate)
        right = (
            (found.changed == wanted.changed)
            & (found.direction == wanted.direction)
            & (found.after == wanted.after).all(axis=1)
        )
        return right, np.where(wanted.changed, np.minimum(margin, gate_margin), gate_margin)

    @cached_property
    def _all_of_alu(self) -> tuple[Flags, Floats]:
        """Its decisions on every view and operation, operations fastest."""
        return self._alu(np.arange(len(self.truth.case_ops)), np.float32)

    def alu_counts(self) -> CaseCounts:
        """The ALU on all views and operations."""
        (right, margins), ops, views = self._all_of_alu, self.truth.case_ops, self.truth.case_views
        numbers = np.arange(len(ops)) // len(OPS)
        return tallied(
            right[:, None],
            margins[:, None],
            lambda cases, _: self._alu(cases, np.float64)[0],
            numbers,
            ops[:, None],
            views,
        )

    def counts(
        self, demands: Demands, decisions: Decisions, first: int, modules: frozenset[str]
    ) -> dict[str, CaseCounts]:
        """Of a chunk whose first state has the number `first`."""
        contents, ops = demands.contents, np.arange(len(OPS))[None]
        numbers, found = first + np.arange(len(contents)), dict[str, CaseCounts]()
        if "transform_d" in modules:
            right, margins = decisions.view[:, None], decisions.view_margin[:, None]
            again = partial(self._view_again, demands)
            found["transform_d"] = tallied(right, margins, again, numbers, np.array([[-1]]), contents)
        if "output" in modules:
            again = partial(self._output_again, demands)
            right, margins = decisions.output, decisions.output_margin
            found["output"] = tallied(right, margins, again, numbers, ops, contents)
        if "composed" in modules:
            again = partial(self._composed_again, demands, np.float64)
            right, margins = self._composed(demands, decisions)
            found["composed"] = tallied(right, margins, again, numbers, ops, contents)
        return found

    def _composed(self, demands: Demands, decisions: Decisions) -> tuple[Flags, Floats]:
        alu_right, alu_margin = self._all_of_alu
        cases = len(OPS) * demands.view_number[:, None] + np.arange(len(OPS))
        right = decisions.output.copy()
        for states, ops in pieces(~(decisions.view[:, None] & alu_right[cases])):
            right[states, ops] = self._composed_again(demands, np.float32, states, ops)
        least = np.minimum(alu_margin[cases], decisions.view_margin[:, None])
        return right, np.minimum(least, decisions.output_margin)

    def _view_again(self, demands: Demands, states: Rows, ops: Rows) -> Flags:
        del ops
        logits = view_logits(self.networks, self.form, demands.contents[states], np.float64)
        return (logits.argmax(axis=2) == demands.view[states]).all(axis=1)

    def _output_again(self, demands: Demands, states: Rows, ops: Rows) -> Flags:
        change = picked(self.truth.changes, demands.changes[states, ops])
        contents = demands.contents[states]
        gate, places = output_logits(self.networks, self.form, change, contents, np.float64)
        made = output_contents(self.form, gate, places, change.after, contents)
        return (made == demands.after_step[states, ops]).all(axis=1)

    def _composed_again(self, demands: Demands, dtype: DTypeLike, states: Rows, ops: Rows) -> Flags:
        made = composed(self.networks, self.form, ops, demands.contents[states], dtype)
        return (made == demands.after_step[states, ops]).all(axis=1)


def tallied(
    right: Flags,
    margins: Floats,
    again: Callable[[Rows, Rows], Flags],
    numbers: Rows,
    ops: Rows,
    symbols: Symbols,
) -> CaseCounts:
    """Count cases of n states, decided with margins, both (n, cases of a state).

    `again` looks at cases for a second time, by their places. For counterexamples there are the numbers of
    the states, (n,), their symbols, (n, cells), and operations as many as cases, or broadcast.
    """
    low, disagreements = abs(margins) < LOW_MARGIN, 0
    for places in pieces(low):
        disagreements += int((again(*places) != right[places]).sum())
    rows, columns = (places[:COUNTEREXAMPLES] for places in np.nonzero(~right))
    return CaseCounts(
        cases=right.size,
        errors=int((~right).sum()),
        failing=int((~right).any(axis=1).sum()),
        margin=float(margins.min()),
        repeated=int(low.sum()),
        disagreements=disagreements,
        wrong=counterexamples(numbers[rows], np.broadcast_to(ops, right.shape)[rows, columns], symbols[rows]),
    )


def pieces(chosen: Flags) -> Iterator[tuple[Rows, Rows]]:
    """The places of chosen cases, states and cases of them, in pieces of bounded size."""
    states, ops = np.nonzero(chosen)
    for start in range(0, len(states), ROWS):
        yield states[start : start + ROWS], ops[start : start + ROWS]

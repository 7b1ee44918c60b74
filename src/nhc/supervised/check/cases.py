"""What the rules demand of data modules, and how the decisions of a chunk are counted.

Outputs are discrete. Where Transform_D and the ALU are right, the three modules in a row see just what Output
was checked on, so Output's result is the composition's and is not computed again; only the other cases run
through all three. What was decided by little is looked at again.
"""

import hashlib
from collections.abc import Callable
from functools import cached_property
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import FiniteWorld, LocalStateT, direction_of, views_of
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.domains.states import picked
from nhc.errors import ConfigError
from nhc.supervised.check.plain import (
    Change,
    Flags,
    Floats,
    Networks,
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


class Truth(Generic[LocalStateT]):
    """The rules of one world. All local changes that its views can lead to are numbered.

    Raises ConfigError (code `world.views`) for views too long to be numbered.
    """

    def __init__(self, world: FiniteWorld[LocalStateT]) -> None:
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

    def of(self, states: LocalStateT) -> Demands:
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
    seconds: float
    digest: str
    """SHA-256 of the words' symbols."""


class CaseCounter(Generic[LocalStateT]):
    """Knows the rules, and the networks for second looks; the ALU's decisions on all views once asked."""

    def __init__(self, truth: Truth[LocalStateT], networks: Networks) -> None:
        self.truth, self.networks, self.form = truth, networks, truth.form

    def alu_decisions(self, dtype: type[np.floating]) -> tuple[Flags, Floats, Change]:
        """On every view and operation. What the action network says counts where something changes."""
        form, truth = self.form, self.truth
        ops, views, wanted = truth.case_ops, truth.case_views, truth.case_changes
        gate, logits = alu_logits(self.networks, form, ops, views, dtype)
        found = alu_change(form, ops, views, gate, logits)
        _, margin = group_margins(logits[:, None, :4], wanted.direction[:, None])
        symbols = logits[:, 4:].reshape(len(ops), form.changes, form.view_symbols)
        margin = np.minimum(margin, group_margins(symbols, wanted.after)[1])
        gate_margin = np.where(wanted.changed, gate, -gate)
        right = (
            (found.changed == wanted.changed)
            & (found.direction == wanted.direction)
            & (found.after == wanted.after).all(axis=1)
        )
        return right, np.where(wanted.changed, np.minimum(margin, gate_margin), gate_margin), found

    @cached_property
    def _alu_by_view(self) -> tuple[Flags, Floats]:
        """Right, and margins, shape (views, ops)."""
        right, margins, _ = self.alu_decisions(np.float32)
        shape = (len(self.truth.views), len(OPS))
        return right.reshape(shape), margins.reshape(shape)

    def alu_counts(self) -> CaseCounts:
        """The ALU on all views and operations."""
        right, margins, _ = self.alu_decisions(np.float32)
        low = abs(margins) < LOW_MARGIN
        again = self.alu_decisions(np.float64)[0] if low.any() else right
        wrong = np.flatnonzero(~right)
        return CaseCounts(
            cases=len(right),
            errors=len(wrong),
            failing=len(wrong),
            margin=float(margins.min()),
            repeated=int(low.sum()),
            disagreements=int((again != right)[low].sum()),
            wrong=counterexamples(
                wrong // len(OPS), self.truth.case_ops[wrong], self.truth.case_views[wrong]
            ),
        )

    def counts(
        self, demands: Demands, decisions: Decisions, first: int, modules: frozenset[str]
    ) -> dict[str, CaseCounts]:
        """Of a chunk whose first state has the number `first`."""
        found: dict[str, CaseCounts] = {}
        if "transform_d" in modules:
            found["transform_d"] = self._view_counts(demands, decisions, first)
        if "output" in modules:
            found["output"] = self._case_counts(
                demands, decisions.output, decisions.output_margin, first, self._output_again
            )
        if "composed" in modules:
            found["composed"] = self._composed_counts(demands, decisions, first)
        return found

    def _view_counts(self, demands: Demands, decisions: Decisions, first: int) -> CaseCounts:
        wrong = np.flatnonzero(~decisions.view)
        low = np.flatnonzero(abs(decisions.view_margin) < LOW_MARGIN)
        other = 0
        for rows in batches(low):
            again = view_logits(self.networks, self.form, demands.contents[rows], np.float64).argmax(axis=2)
            other += int(((again == demands.view[rows]).all(axis=1) != decisions.view[rows]).sum())
        return CaseCounts(
            cases=len(decisions.view),
            errors=len(wrong),
            failing=len(wrong),
            margin=float(decisions.view_margin.min()),
            repeated=len(low),
            disagreements=other,
            wrong=counterexamples(first + wrong, np.full(len(wrong), -1), demands.contents[wrong]),
        )

    def _composed_counts(self, demands: Demands, decisions: Decisions, first: int) -> CaseCounts:
        alu_right, alu_margin = self._alu_by_view
        shared = decisions.view[:, None] & alu_right[demands.view_number]
        correct = decisions.output.copy()
        for states, ops in pairs(~shared):
            result = composed(self.networks, self.form, ops, demands.contents[states])
            correct[states, ops] = (result == demands.after_step[states, ops]).all(axis=1)
        least = np.minimum(alu_margin[demands.view_number], decisions.view_margin[:, None])
        margins = np.minimum(least, decisions.output_margin)
        return self._case_counts(demands, correct, margins, first, self._composed_again)

    def _case_counts(
        self,
        demands: Demands,
        correct: Flags,
        margins: Floats,
        first: int,
        again: "SecondLook",
    ) -> CaseCounts:
        low, other = abs(margins) < LOW_MARGIN, 0
        for states, ops in pairs(low):
            result = again(demands, states, ops)
            right = (result == demands.after_step[states, ops]).all(axis=1)
            other += int((right != correct[states, ops]).sum())
        states, ops = (places[:COUNTEREXAMPLES] for places in np.nonzero(~correct))
        return CaseCounts(
            cases=correct.size,
            errors=int((~correct).sum()),
            failing=int((~correct).any(axis=1).sum()),
            margin=float(margins.min()),
            repeated=int(low.sum()),
            disagreements=other,
            wrong=counterexamples(first + states, ops, demands.contents[states]),
        )

    def _output_again(self, demands: Demands, states: NDArray[np.intp], ops: NDArray[np.intp]) -> Symbols:
        change = picked(self.truth.changes, demands.changes[states, ops])
        contents = demands.contents[states]
        gate, places = output_logits(self.networks, self.form, change, contents, np.float64)
        return output_contents(self.form, gate, places, change.after, contents)

    def _composed_again(self, demands: Demands, states: NDArray[np.intp], ops: NDArray[np.intp]) -> Symbols:
        return composed(self.networks, self.form, ops, demands.contents[states], np.float64)


SecondLook = Callable[[Demands, NDArray[np.intp], NDArray[np.intp]], Symbols]


def digest(demands: Demands) -> str:
    """SHA-256 of the words of a chunk."""
    return hashlib.sha256(demands.contents.tobytes()).hexdigest()


def batches(rows: NDArray[np.intp]) -> list[NDArray[np.intp]]:
    """Pieces of bounded size."""
    return [rows[start : start + ROWS] for start in range(0, len(rows), ROWS)]


def pairs(chosen: Flags) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """The places of chosen cases, in pieces of bounded size."""
    states, ops = np.nonzero(chosen)
    return list(zip(batches(states), batches(ops), strict=True))

"""The fast engine: NumPy's matrix products on one core, and compiled loops around them; no JAX.

The first layers of all networks read the word, so its part is one product for Transform_D and for all five
operations of Output; the part of the local change comes from a table of all changes that the world knows.
Bits that are the same in all states of the family, such as those of a walled rim, join the biases; a chunk
where they are not is checked with all bits. Cases of a state with the same input, `nop` and an `up` without
effect, are evaluated once. The mask is evaluated only where something is inserted.
"""

import time
from typing import Generic, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import LocalStateT, one_hot
from nhc.domains.protocol import OPS
from nhc.domains.states import picked
from nhc.jit import compiled
from nhc.supervised.check import loops
from nhc.supervised.check.judged import ChunkResult, Judge, Judged, digest
from nhc.supervised.check.plain import READERS, Flags, Floats, Networks, Symbols, layers_of
from nhc.supervised.check.truth import Demands, Truth

STATES = 256
"""States whose inner layers fit into a core's cache."""


class FirstLayer(NamedTuple):
    """What the first layers make of a word, all networks side by side."""

    columns: NDArray[np.intp]
    """(cells, symbols): the input of each bit, -1 if it is constant."""
    weights: NDArray[np.float32]
    """(inputs, units of all networks)"""
    tables: dict[str, NDArray[np.float32]]
    """Per network what biases, constant bits and each local change add, (changes, units)."""
    starts: dict[str, int]


class FastEngine(Generic[LocalStateT]):
    """Checks chunks of states. `constant` (cells,) names the symbols that all states hold, -1 for others."""

    name = "fast"

    def __init__(
        self,
        truth: Truth[LocalStateT],
        networks: Networks,
        constant: NDArray[np.int64],
        modules: frozenset[str],
    ) -> None:
        self.truth, self.networks, self.modules = truth, networks, modules
        self.judge = Judge(truth, networks)
        self._constant = constant
        self._folded = first_layer(truth, networks, constant)
        self._whole: FirstLayer | None = None
        self._slope = np.float32(networks.slope)
        self._flops = 0.0

    def check(self, states: LocalStateT, first: int) -> ChunkResult:
        """The tallies of a chunk whose first state has the number `first`."""
        began = time.perf_counter()
        self._flops = 0.0
        demands = self.truth.of(states)
        contents = demands.contents
        layer = self._layer_for(contents)
        parts = []
        for start in range(0, len(contents), STATES):
            block = picked(demands, slice(start, start + STATES))
            parts.append(self._judged(layer, block))
        judged = Judged(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))
        tallies = self.judge.tallies(demands, judged, first, self.modules)
        seconds, constant = time.perf_counter() - began, layer is self._folded
        return ChunkResult(len(contents), tallies, self._flops, seconds, digest(demands), constant)

    def _layer_for(self, contents: Symbols) -> FirstLayer:
        fixed = self._constant >= 0
        if (contents[:, fixed] == self._constant[fixed]).all():
            return self._folded
        if self._whole is None:
            self._whole = first_layer(self.truth, self.networks, np.full_like(self._constant, -1))
        return self._whole

    def _judged(self, layer: FirstLayer, demands: Demands) -> Judged:
        inputs = np.empty((len(demands.contents), len(layer.weights)), np.float32)
        compiled(loops.fill_inputs)(demands.contents, layer.columns, inputs)
        parts = self._product(inputs, layer.weights)
        count = len(inputs)
        correct, margins = np.ones(count, bool), np.full(count, np.inf, np.float32)
        if self.modules & {"transform_d", "composed"}:
            none = np.zeros(count, np.intp)
            logits = self._rest(layer, parts, "view", np.arange(count), none)
            symbols = self.truth.form.view_symbols
            compiled(loops.judge_groups)(logits, demands.view, symbols, correct, margins)
        if self.modules & {"output", "composed"}:
            return Judged(correct, margins, *self._output(layer, parts, demands))
        shape = (count, len(OPS))
        return Judged(correct, margins, np.ones(shape, bool), np.full(shape, np.inf, np.float32))

    def _output(self, layer: FirstLayer, parts: Floats, demands: Demands) -> tuple[Flags, Floats]:
        shape = demands.changes.shape
        states, ops = np.empty(demands.changes.size, np.intp), np.empty(demands.changes.size, np.intp)
        rows = np.empty(shape, np.intp)
        count = compiled(loops.distinct_cases)(demands.changes, demands.after_step, states, ops, rows)
        states, ops = states[:count], ops[:count]
        changes = demands.changes[states, ops]
        wanted = demands.after_step[states, ops]
        gate = self._rest(layer, parts, "inserts", states, changes)[:, 0]
        changed = self.truth.changes.changed[changes]
        correct = (gate > 0) | (wanted == demands.contents[states]).all(axis=1)
        margins = np.where(changed, gate, -gate)
        open_rows = np.flatnonzero((gate > 0) | changed)
        logits = self._rest(layer, parts, "mask", states[open_rows], changes[open_rows])
        after = self.truth.changes.after[changes[open_rows]]
        right, distance = self._mask(logits, demands.contents[states[open_rows]], wanted[open_rows], after)
        inserted = gate[open_rows] > 0
        correct[open_rows] &= right | ~inserted
        # A gate that opens where nothing changes does no harm if the mask then keeps the word.
        needless = inserted & ~changed[open_rows]
        margins[open_rows] = np.where(needless, distance, np.minimum(margins[open_rows], distance))
        return correct[rows], margins[rows]

    def _mask(
        self, logits: Floats, contents: Symbols, wanted: Symbols, after: Symbols
    ) -> tuple[Flags, Floats]:
        """Is the inserted word right, and how far from another; 0 if it is wrong."""
        symbols = len(self.truth.form.symbols)
        places = np.empty(after.shape, np.intp)
        right, needed = np.empty(len(after), bool), np.empty(after.shape, bool)
        margins = np.empty(len(after), np.float32)
        compiled(loops.choose_places)(logits, places)
        compiled(loops.judge_words)(contents, wanted, after, symbols, places, right)
        compiled(loops.find_needed)(contents, wanted, after, symbols, places, needed)
        compiled(loops.mask_margins)(logits, wanted, after, symbols, places, needed, margins)
        return right, np.where(right, margins, np.float32(0))

    def _rest(
        self, layer: FirstLayer, parts: Floats, name: str, states: NDArray[np.intp], changes: NDArray[np.intp]
    ) -> Floats:
        """The logits of a network from the parts of its first layer."""
        network, table = layers_of(self.networks, name), layer.tables[name]
        values = np.empty((len(states), table.shape[1]), np.float32)
        compiled(loops.first_layer)(parts, layer.starts[name], table, states, changes, self._slope, values)
        for number, (w, b) in enumerate(network[1:], 2):
            values = self._product(values, w)
            if number < len(network):
                compiled(loops.rectify)(values, b, self._slope)
            else:
                values += b
        return values

    def _product(self, left: Floats, right: Floats) -> Floats:
        self._flops += 2.0 * left.shape[0] * left.shape[1] * right.shape[1]
        return left @ right


def first_layer(truth: Truth[LocalStateT], networks: Networks, constant: NDArray[np.int64]) -> FirstLayer:
    """The first layers with the constant bits folded into the biases.

    Raises ValueError for experts and for networks without a hidden layer.
    """
    form = truth.form
    symbols, bits = len(form.symbols), form.word_bits
    varies = np.repeat(constant < 0, symbols)
    columns = np.where(varies, np.cumsum(varies) - 1, -1).reshape(form.cells, symbols).astype(np.intp)
    held = one_hot(np.where(constant < 0, symbols, constant).astype(np.uint8), symbols)
    weights, tables, starts, start = [], {}, {}, 0
    for name in (name for name in READERS if name in networks.of):
        layers = layers_of(networks, name)
        if len(layers) < 2:
            raise ValueError(f"expected a hidden layer in {name}")
        w, b = layers[0]
        base = held.astype(np.float64) @ w[:bits].astype(np.float64) + b
        change = np.zeros((1, 0)) if name == "view" else truth.change_words.astype(np.float64)
        tables[name] = (base + change @ w[bits:].astype(np.float64)).astype(np.float32)
        weights.append(w[:bits][varies])
        starts[name], start = start, start + w.shape[1]
    return FirstLayer(columns, np.ascontiguousarray(np.concatenate(weights, axis=1)), tables, starts)


def product_rate(seconds: float = 0.15) -> float:
    """Operations a second of NumPy's float32 product with 500 x 500 weights on this core."""
    left, right = np.ones((4 * STATES, 500), np.float32), np.ones((500, 500), np.float32)
    left @ right
    began, count = time.perf_counter(), 0
    while time.perf_counter() < began + seconds:
        left @ right
        count += 1
    return 2.0 * left.size * 500 * count / (time.perf_counter() - began)

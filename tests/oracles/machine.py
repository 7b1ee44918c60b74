"""One tick of the machine in plain NumPy loops: the definition that the fast machine is tested against.

Tanneberg, Rueckert and Peters (2020) for the parts; order of stages, ties and first tick are our readings.
Nothing is imported from `nhc`, so that a mistake there cannot repeat itself here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tests.oracles.formulas import first_largest, rewritten, similarity, softmax
from tests.oracles.soft import SoftCells

UNITS, WORD = 16, 8  # controller units, control word
OPS, NOP = 5, 4  # of Search and Plan: four ops and nop
MECHANISMS = ("content", "temporal forward", "temporal backward", "usage forward", "usage backward")
INTERFACE = {  # block name: rows
    "read.key": WORD,
    "read.strength": 1,
    "read.modes": len(MECHANISMS),
    "read.free_gate": 1,
    "write.key": WORD,
    "write.strength": 1,
    "write.erase": WORD,
    "write.word": WORD,
    "write.gate": 1,
    "write.allocation": 1,
    "constrained.erase": WORD,
    "constrained.word": WORD,
    "constrained.gate": 1,
}
SECOND = {
    name.replace("write", "second"): rows for name, rows in INTERFACE.items() if name.startswith("write")
}
Gate = Literal["always", "learned"]


@dataclass(frozen=True)
class OracleConfig:
    """The named options of the machine; the defaults are those of the prototype's best runs."""

    signals: int = 3
    ops: int = OPS
    mix: Literal["winner", "sum"] = "winner"
    words: Literal["bits", "real"] = "bits"
    constrained_gate: Gate = "always"
    write_gate: Gate = "always"
    allocation: Gate = "always"
    usage_link: bool = True
    constrained_head: bool = True
    attention: Literal["hard", "soft"] = "hard"
    free_heads: Literal[1, 2] = 1


@dataclass
class Cell:
    """A memory cell: two words and four links, each the address of another cell or None."""

    data: int
    word: np.ndarray
    temporal_forward: int | None = None
    temporal_backward: int | None = None
    usage_forward: int | None = None
    usage_backward: int | None = None


@dataclass(frozen=True)
class OracleTick:
    """What one tick decided; `gap` is the smallest margin of any decision, inf when there was none."""

    signals: tuple[float, ...]
    op: int
    written: int | None  # address of the free write
    read: int | None  # None: nothing was in memory, the episode ended and the op means nothing
    data_read: int | None
    word_read: tuple[float, ...]
    winner: int | None  # index into MECHANISMS; None for `sum`
    addresses: tuple[int | None, ...]
    strengths: tuple[float, ...]  # the raw mode values
    gap: float
    others: tuple[int | None, ...] = ()  # addresses of further free writes


def interface_rows(free_heads: int) -> dict[str, int]:
    """The blocks of the interface; those of a second free head are the last."""
    return INTERFACE | (SECOND if free_heads == 2 else {})


def weight_shapes(signals: int, free_heads: int = 1, ops: int = OPS) -> dict[str, tuple[int, ...]]:
    """The shape of every named block for a machine with this many control signals and operations."""
    inputs = {"controller": (UNITS, signals + WORD + ops), "transform_c": (ops, UNITS + WORD + signals)}
    rows_of = interface_rows(free_heads).items()
    inputs |= {f"interface.{block}": (rows, signals + UNITS) for block, rows in rows_of}
    matrices: dict[str, tuple[int, ...]] = {f"{layer}.w": shape for layer, shape in inputs.items()}
    return matrices | {f"{layer}.b": shape[:1] for layer, shape in inputs.items()}


def random_weights(rng: np.random.Generator, signals: int, scale: float) -> dict[str, np.ndarray]:
    """Normal float32 weights with standard deviation `scale`."""
    shapes = weight_shapes(signals).items()
    return {name: (scale * rng.standard_normal(shape)).astype(np.float32) for name, shape in shapes}


class Oracle:
    """The machine and its memory. The weights are used as given, in their own precision, and not copied."""

    def __init__(self, weights: dict[str, np.ndarray], config: OracleConfig) -> None:
        shapes = {name: array.shape for name, array in weights.items()}
        expected = weight_shapes(config.signals, config.free_heads, config.ops)
        if shapes != expected:
            raise ValueError(f"expected blocks {expected}, found {shapes}")
        self.weights, self.config = weights, config
        self.cells: list[Cell] = []
        self.last_written: int | None = None  # the last cell of the temporal list
        self.read: int | None = None  # r(t-1)
        self.ended = False
        self._gap = np.inf
        self._dtype = weights["controller.w"].dtype
        self._word_read = np.zeros(WORD, self._dtype)
        self._last_op = np.zeros(config.ops, self._dtype)  # at the first tick no op, which is not nop
        self.soft = SoftCells(config, WORD) if config.attention == "soft" else None

    @property
    def words(self) -> np.ndarray:
        """All control words, a row for each cell."""
        return np.array([cell.word for cell in self.cells], self._dtype).reshape(-1, WORD)

    @property
    def data(self) -> tuple[int, ...]:
        """All data words."""
        return tuple(cell.data for cell in self.cells)

    @property
    def links(self) -> tuple[tuple[int | None, ...], ...]:
        """The links of every cell: temporal forward and backward, usage forward and backward."""
        names = ("temporal_forward", "temporal_backward", "usage_forward", "usage_backward")
        return tuple(tuple(getattr(cell, name) for name in names) for cell in self.cells)

    def tick(self, data: int, told: Sequence[float]) -> OracleTick:
        """One tick with the data word d_i and the signals c_i; RuntimeError after the episode's end."""
        if self.ended:
            raise RuntimeError("expected a running episode, found one that ended: nothing was in memory")
        self._gap = np.inf
        if len(told) != self.config.signals:
            raise ValueError(f"expected {self.config.signals} signals, found {told}")
        signals = np.array(told, self._dtype)
        controls = np.tanh(self._linear("controller", signals, self._word_read, self._last_op))
        rows = interface_rows(self.config.free_heads)
        head = {block: self._linear(f"interface.{block}", signals, controls) for block in rows}
        heads = ("write", "second")[: self.config.free_heads]
        if self.soft is None:
            self._constrained_write(head)
            written = [self._free_write(head, name, data) for name in heads]
            addresses = self._addresses(head)
            self.read, winner = self._choose(head["read.modes"], addresses)
        else:
            written, addresses, self.read, gap = self.soft.access(head, heads, data)
            winner, self._gap = None, gap
        op = self._op(controls, signals)
        return OracleTick(
            signals=tuple(signals.tolist()),
            op=op,
            written=written[0],
            read=self.read,
            data_read=None if self.read is None else self._data_read(),
            word_read=tuple(self._word_read.tolist()),
            winner=winner,
            addresses=addresses,
            strengths=tuple(head["read.modes"].tolist()),
            gap=float(self._gap),
            others=tuple(written[1:]),
        )

    def _data_read(self) -> int:
        return self.cells[self.read].data if self.soft is None else self.soft.data[self.read]

    def _linear(self, layer: str, *inputs: np.ndarray) -> np.ndarray:
        return self.weights[f"{layer}.w"] @ np.concatenate(inputs) + self.weights[f"{layer}.b"]

    def _decided_by(self, margins: Sequence[np.floating] | np.ndarray) -> None:
        self._gap = min([self._gap, *margins])

    def _is_open(self, gate: Gate, value: np.ndarray) -> bool:
        if gate == "always":
            return True
        self._decided_by(abs(value))
        return bool(value[0] > 0)

    def _write_word(self, cell: Cell, erase: np.ndarray, word: np.ndarray) -> None:
        cell.word = rewritten(cell.word, erase, word, self.config.words)
        if self.config.words == "bits":
            self._decided_by(abs(word))

    def _look_up(self, key: np.ndarray) -> int:
        """The address whose word is most similar to the key; lowest address on ties."""
        found = [similarity(key, cell.word, self.config.words) for cell in self.cells]
        best = first_largest(found)
        others = [a for a, cell in enumerate(self.cells) if (cell.word != self.cells[best].word).any()]
        self._decided_by([found[best] - found[a] for a in others])
        return best

    def _constrained_write(self, head: dict[str, np.ndarray]) -> None:
        """Rewrite the control word at r(t-1); its data word and links stay."""
        if not self.config.constrained_head or self.read is None:
            return
        if self._is_open(self.config.constrained_gate, head["constrained.gate"]):
            self._write_word(self.cells[self.read], head["constrained.erase"], head["constrained.word"])

    def _free_write(self, head: dict[str, np.ndarray], name: str, data: int) -> int | None:
        """Write data and a control word into a new cell or the content address of the write key."""
        if not self._is_open(self.config.write_gate, head[f"{name}.gate"]):
            return None
        if not self.cells or self._is_open(self.config.allocation, head[f"{name}.allocation"]):
            self.cells.append(Cell(data, np.zeros(WORD, self._dtype)))
            address = len(self.cells) - 1
        else:
            address = self._look_up(head[f"{name}.key"])
        cell = self.cells[address]
        cell.data = data
        self._write_word(cell, head[f"{name}.erase"], head[f"{name}.word"])
        self._link_as_last(address)
        cell.usage_backward = self.read
        if self.read is not None:
            self.cells[self.read].usage_forward = address  # an old parent's forward link stays
        return address

    def _link_as_last(self, address: int) -> None:
        """Take the cell out of the temporal list, without joining its neighbours, and link it as the last."""
        if address == self.last_written:
            return
        cell = self.cells[address]
        if cell.temporal_backward is not None:
            self.cells[cell.temporal_backward].temporal_forward = None
        if cell.temporal_forward is not None:
            self.cells[cell.temporal_forward].temporal_backward = None
        cell.temporal_forward, cell.temporal_backward = None, self.last_written
        if self.last_written is not None:
            self.cells[self.last_written].temporal_forward = address
        self.last_written = address

    def _addresses(self, head: dict[str, np.ndarray]) -> tuple[int | None, ...]:
        """What each mechanism names, in the order of MECHANISMS."""
        content = self._look_up(head["read.key"]) if self.cells else None
        if self.read is None:
            return content, None, None, None, None
        cell = self.cells[self.read]
        usage = (cell.usage_forward, cell.usage_backward) if self.config.usage_link else (None, None)
        return content, cell.temporal_forward, cell.temporal_backward, *usage

    def _choose(self, modes: np.ndarray, addresses: Sequence[int | None]) -> tuple[int | None, int | None]:
        """The address to read, and the mechanism that won it (None for `sum`)."""
        named = [m for m in range(len(MECHANISMS)) if addresses[m] is not None]
        if not named:
            return None, None
        if self.config.mix == "winner":
            winner = named[first_largest([modes[m] for m in named])]
            others = [m for m in named if addresses[m] != addresses[winner]]
            self._decided_by([modes[winner] - modes[m] for m in others])
            return addresses[winner], winner
        weights = softmax(modes)  # over all five, also those without an address
        candidates = sorted({addresses[m] for m in named})
        sums = [sum(weights[m] for m in named if addresses[m] == c) for c in candidates]
        best = first_largest(sums)
        self._decided_by([sums[best] - sums[i] for i in range(len(sums)) if i != best])
        return candidates[best], None

    def _op(self, controls: np.ndarray, signals: np.ndarray) -> int:
        """The op with the largest logit, lowest op on ties; keeps what the next tick's controller sees."""
        if self.read is None:
            self.ended = True
            return 0
        self._word_read = self.cells[self.read].word if self.soft is None else self.soft.word_read
        logits = self._linear("transform_c", controls, self._word_read, signals)
        op = first_largest(logits)
        self._decided_by([logits[op] - logits[o] for o in range(len(logits)) if o != op])
        self._last_op = np.eye(len(logits), dtype=self._dtype)[op]
        return op

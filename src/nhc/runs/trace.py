"""What a machine did, tick by tick, as plain arrays for people, tests and viewers."""

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
from jaxtyping import Float, Int, Shaped

from nhc.machine.layout import MECHANISMS
from nhc.machine.tick import Tick

if TYPE_CHECKING:  # Slow to import, and only pictures need it.
    from matplotlib.figure import Figure


TraceT = TypeVar("TraceT", bound="Trace")


@dataclass(frozen=True)
class Trace:
    """One run; row t is tick t+1. Addresses are -1 where there is none."""

    op: Int[np.ndarray, " ticks"]
    signals: Float[np.ndarray, "ticks signals"]
    written: Int[np.ndarray, " ticks"]
    """Cell of the free write."""
    read: Int[np.ndarray, " ticks"]
    """Cell that was read."""
    addresses: Int[np.ndarray, "ticks mechanisms"]
    """The cell that each read mechanism named."""
    strengths: Float[np.ndarray, "ticks mechanisms"]
    """Raw mode weights; the largest with an address wins under `winner`."""
    word: Float[np.ndarray, "ticks word"]
    """Control word read."""
    data: Shaped[np.ndarray, "ticks ..."]
    """Data word read: bits of a configuration, or whatever an algorithm stores."""
    ops: tuple[str, ...]
    """Names of the operations."""

    @property
    def ticks(self) -> int:
        """Length of the run."""
        return len(self.op)

    @property
    def winner(self) -> Int[np.ndarray, " ticks"]:
        """The mechanism whose address was read, the strongest where several named it."""
        agreeing = (self.addresses == self.read[:, None]) & (self.addresses >= 0)
        return np.where(agreeing, self.strengths, -np.inf).argmax(axis=1)

    def named(self, name: Callable[[object], str]) -> "Trace":
        """The same run with names in place of the words read."""
        words = np.empty(self.ticks, object)
        words[:] = [name(word) for word in self.data]
        return replace(self, data=words)

    def part(self: "TraceT", first: int, last: int) -> "TraceT":
        """The ticks from `first` to `last`, counted from 1, as far as there are such."""
        copied = copy(self)
        for field in fields(self):
            if isinstance(column := getattr(self, field.name), np.ndarray):
                object.__setattr__(copied, field.name, column[first - 1 : last])
        return copied

    def table(self) -> str:
        """The run as text, a line a tick; with the word read, unless that is an array."""
        named = self.data.dtype == object
        width = max(6, *(len(name) for name in self.ops))
        columns = f"{'tick':>5} {'read':>5} {'written':>7}  {'op':<{width}} {'mechanism':<17} control word"
        lines = [columns + "  word read" * named]
        for t, winner in enumerate(self.winner):
            bits = "".join("+" if value > 0 else "-" for value in self.word[t])
            word = f"{'':{14 - len(bits)}}{self.data[t]}" if named else ""
            cells = f"{self.read[t]:>5} {self.written[t]:>7}"
            op, mechanism = self.ops[self.op[t]], MECHANISMS[winner]
            lines.append(f"{t + 1:>5} {cells}  {op:<{width}} {mechanism:<17} {bits}{word}")
        return "\n".join(lines)

    def plot(self, title: str | None = None) -> "Figure":
        """A picture of the cells read and the operations chosen; a notebook shows it."""
        from nhc.runs.trace_figure import trace_figure

        return trace_figure(self, f"{self.ticks:,} ticks" if title is None else title)


def control_columns(made: Tick, ticks: int) -> dict[str, np.ndarray]:
    """The columns of a trace, without `data` and `ops`, of ticks stacked along a leading axis."""
    reading = made.reading
    columns = {
        "op": made.op,
        "signals": made.signals,
        "written": made.written[0],
        "read": reading.address,
        "addresses": reading.addresses,
        "strengths": made.interface.read.modes,
        "word": reading.word,
    }
    return {name: np.asarray(column)[:ticks] for name, column in columns.items()}

"""What a network does in a control state, found out by the network's own functions when a run first meets it.

A control state is what the controller sees at a tick: signals, the word read last, the operation chosen
last. Signals are bits, words have eight of them, so control is a finite table, of which a run meets a few
dozen entries. The float32 functions that the network runs by fill it, and so a table does what it does.
"""

from functools import partial
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.errors import ConfigError
from nhc.machine.config import COMPILED, MachineConfig, options_unlike
from nhc.machine.interface import memory_interface
from nhc.machine.layout import MECHANISMS
from nhc.machine.memory.indexed import sign_table
from nhc.machine.memory.words import dot_in_order
from nhc.machine.memory.writing import GATES, sign_word
from nhc.machine.parameters import Parameters
from nhc.machine.tick import controller, transform_c
from nhc.program.compiled import (
    CONSTRAINED,
    CONTENT,
    FORWARD,
    FRESH,
    PREFERENCE,
    USAGE_FORWARD,
    Tables,
)
from nhc.program.compiled import MECHANISMS as RANKED
from nhc.program.table import word_code
from nhc.shapes import NONE, Address, Signals, Word

MOST_SIGNALS = 10
"""The table has a page for each value of the signals."""
SURE = (FORWARD, USAGE_FORWARD)
"""Mechanisms that have an address at a tick that stores a word, wherever the cursor is."""


class Shown(NamedTuple):
    """A control state in numbers."""

    signals: int
    """Signal k is bit k."""
    word: int
    """Code of the word read last, `NONE` before the first tick."""
    op: int
    """`NONE` before the first tick."""


class Decided(NamedTuple):
    """What the network does in a control state, whatever else is in memory."""

    constrained: int
    """Code of the word that replaces the one in the cell read last."""
    fresh: int
    """Code of the new cell's word, `NONE` where the write gate is closed."""
    mechanisms: tuple[int, ...]
    """Strongest first."""
    scores: NDArray[np.float32]
    """Of every word, by code, in a lookup by content."""
    ops: NDArray[np.int32]
    """The operation that is chosen if a word, by code, is read."""

    @property
    def looks_up(self) -> bool:
        """Can a lookup by content decide what is read?"""
        sure = SURE if self.fresh != NONE else ()
        return self.mechanisms.index(CONTENT) < min(map(self.mechanisms.index, sure), default=len(MECHANISMS))


def require_plain(config: MachineConfig) -> None:
    """Raises ConfigError (`program.options`) for a machine whose control is no finite table."""
    unlike = options_unlike(config, COMPILED)
    found = [unlike] if unlike else []
    if config.word_size > 8:
        found.append(f"word_size = {config.word_size}")
    if config.signals > MOST_SIGNALS:
        found.append(f"signals = {config.signals}")
    if found:
        wanted = "the machine's usual options, words of up to 8 bits and up to 10 signals"
        raise ConfigError("program.options", f"a program: expected {wanted}, found {', '.join(found)}")


class Control:
    """The control of one machine as a table that grows. Words have numbers in the order of their discovery.

    Raises ConfigError (`program.options`), see `require_plain`.
    """

    def __init__(self, parameters: Parameters, config: MachineConfig) -> None:
        require_plain(config)
        self.config, self._parameters = config, parameters
        self.states: dict[Shown, Decided] = {}
        """All that was found out so far."""
        self.codes: list[int] = []
        """The words that known states write."""
        self._tables: Tables | None = None

    def decided(self, shown: Shown) -> Decided:
        """What the network does in a state."""
        if shown not in self.states:
            found = decide(self._parameters, self.config, shown)
            self.states[shown] = found
            self.codes += [code for code in dict.fromkeys(found[:2]) if code not in (NONE, *self.codes)]
            self._tables = None
        return self.states[shown]

    def learn(self, signals: int, word: int, op: int) -> Tables:
        """The tables with a state more; word and operation are numbers of `tables`."""
        self.decided(Shown(signals, NONE if word == NONE else self.codes[word], op))
        return self.tables

    @property
    def tables(self) -> Tables:
        """What is known, for compiled loops.

        Raises ConfigError (`program.tie`) where a lookup finds two words equally good.
        """
        if self._tables is None:
            self._tables = self._filled()
        return self._tables

    def _filled(self) -> Tables:
        words, states, codes = len(self.codes), list(self.states.values()), np.array(self.codes, np.intp)
        after = np.full((1 << self.config.signals, words + 1, self.config.ops + 1), NONE, np.int16)
        rows = np.full((len(states), PREFERENCE + words), NONE, np.int16)
        ops = np.empty((len(states), words), np.int8)
        for number, (shown, found) in enumerate(self.states.items()):
            after[shown.signals, self._number(shown.word), shown.op] = number
            rows[number, CONSTRAINED], rows[number, FRESH] = map(self._number, found[:2])
            rows[number, RANKED:PREFERENCE] = found.mechanisms
            rows[number, PREFERENCE:] = self._preference(shown, found)
            ops[number] = found.ops[codes]
        asked = words if any(found.looks_up for found in states) else 0
        gated = self.config.write_gate == "learned"
        return Tables(codes.astype(np.int64), after, rows, ops, lookups=asked, backtracks=False, gated=gated)

    def _number(self, code: int) -> int:
        """The number of a word; one that no known state writes can be no word that was read."""
        return NONE if code == NONE else self.codes.index(code)

    def _preference(self, shown: Shown, found: Decided) -> NDArray[np.intp]:
        scores = found.scores[self.codes]
        if found.looks_up and len(np.unique(scores)) < len(scores):
            raise ConfigError("program.tie", f"expected a best word in each lookup, found two in {shown}")
        return np.argsort(-scores, kind="stable")


def decide(parameters: Parameters, config: MachineConfig, shown: Shown) -> Decided:
    """What the network does in a state: its own functions, evaluated once."""
    bits = (shown.signals >> np.arange(config.signals)) & 1
    written, is_open, modes, scores, ops = jax.device_get(
        _decide(parameters, config, bits.astype(np.float32), jnp.int32(shown.word), jnp.int32(shown.op))
    )
    order = tuple(np.argsort(-modes, kind="stable").tolist())
    constrained, fresh = map(word_code, written.astype(np.float64))
    return Decided(constrained, fresh if is_open else NONE, order, scores, ops)


@partial(jax.jit, static_argnums=1)
def _decide(
    parameters: Parameters, config: MachineConfig, signals: Signals, code: Address, op: Address
) -> tuple[jax.Array, jax.Array, jax.Array, jax.Array, jax.Array]:
    """Words to write, is the gate open, strengths of the mechanisms, scores and operations of every word."""
    table = sign_table(config.word_size)
    word: Word = jnp.where(code == NONE, 0.0, table[:, code])
    hidden = controller(parameters.controller, signals, word, op, config)
    interface = memory_interface(parameters.interface, signals, hidden, config)
    heads = interface.constrained, interface.write
    written = jnp.stack([sign_word(head.word, head.erase, head.word) for head in heads])
    # One word at a time, for the network too multiplies by a vector, not by a matrix.
    ops = jax.lax.map(lambda read: transform_c(parameters.transform_c, hidden, read, signals), table.T)
    is_open = GATES[config.write_gate](interface.write.gate)
    return written, is_open, interface.read.modes, dot_in_order(interface.read.key, table), ops

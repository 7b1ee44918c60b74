"""A program as dense integer tables, for engines that run it.

Words get numbers below 256, so a cell takes one byte; those that a lookup by content may ask for come first.
What the tick before read and chose selects a row by plain indexing.
"""

from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.tree.algorithm import TREES
from nhc.domains.protocol import OPS
from nhc.errors import ConfigError
from nhc.machine import layout
from nhc.program.table import NO_WORD, ControlState, Phase, Program, Row
from nhc.shapes import NONE

MOST_WORDS = 256

CONSTRAINED, FRESH, MECHANISMS, PREFERENCE = 0, 1, 2, 2 + len(layout.MECHANISMS)
"""Columns of a row: the word that replaces the one in the cell read last, the new cell's word, from here on
read mechanisms, strongest first, and from here on words in the order in which a lookup prefers them."""

CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(len(layout.MECHANISMS))


Rows: TypeAlias = NDArray[np.int16]
Ops: TypeAlias = NDArray[np.int8]


class Tables(NamedTuple):
    """A program in numbers; the arrays are read-only. `NONE` marks what the program does not say."""

    codes: NDArray[np.int64]
    """Word number -> code."""
    after: Rows
    """Phase, word read, operation -> row; the last ones, at `NONE`, stand for those before the first tick."""
    rows: Rows
    """What a row writes and how it reads; the columns are `CONSTRAINED` and those after it."""
    ops: Ops
    """Row, word read -> operation."""
    lookups: int
    """Words with a lower number are those that some lookup may ask for."""
    backtracks: bool
    """Does the run go back to the start after the goal?"""
    gated: bool = False
    """May a tick store nothing? Then a row that does has `NONE` for the new cell's word."""


def compile_program(program: Program) -> Tables:
    """The tables of a program.

    Raises ConfigError: `program.table` for numbers out of range, `program.words` for over 256 words.
    """
    algorithm = TREES.get(program.task)
    if algorithm is None:
        raise ConfigError("program.table", f"expected task search or plan, found {program.task!r}")
    for state, row in program.rows.items():
        _check(state, row, program.word_size)
    asked = sorted({word for row in program.rows.values() for word in row.preference})
    met = {word for s, row in program.rows.items() for word in (s.word, row.constrained, row.fresh, *row.ops)}
    codes = asked + sorted(met - {NO_WORD, *asked})
    if len(codes) > MOST_WORDS:
        raise ConfigError("program.words", f"expected at most {MOST_WORDS} words, found {len(codes)}")
    numbers = {code: number for number, code in enumerate(codes)}
    longest = max([0, *(len(row.preference) for row in program.rows.values())])
    after = np.full((len(Phase), len(codes) + 1, len(OPS) + 1), NONE, np.int16)
    rows = np.full((len(program.rows), PREFERENCE + longest), NONE, np.int16)
    ops = np.full((len(program.rows), len(codes)), NONE, np.int8)
    for number, (state, row) in enumerate(sorted(program.rows.items())):
        after[state.phase, NONE if state.word == NO_WORD else numbers[state.word], state.op] = number
        rows[number, CONSTRAINED], rows[number, FRESH] = numbers[row.constrained], numbers[row.fresh]
        rows[number, MECHANISMS : MECHANISMS + len(row.mechanisms)] = row.mechanisms
        preferred = [numbers[word] for word in row.preference]
        rows[number, PREFERENCE : PREFERENCE + len(preferred)] = preferred
        for word, op in row.ops.items():
            ops[number, numbers[word]] = op
    tables = Tables(np.array(codes, np.int64), after, rows, ops, len(asked), algorithm.backtracks)
    for table in (tables.codes, after, rows, ops):
        table.flags.writeable = False
    return tables


def _check(state: ControlState, row: Row, word_size: int) -> None:
    words = {row.constrained, row.fresh, *row.preference, *row.ops} | ({state.word} - {NO_WORD})
    ops = {*row.ops.values()} | ({state.op} - {NONE})
    numbers = (
        ("phase", {int(state.phase)}, len(Phase)),
        ("word", words, 1 << word_size),
        ("operation", ops, len(OPS)),
        ("read mechanism", {*row.mechanisms}, len(layout.MECHANISMS)),
    )
    for name, found, end in numbers:
        wrong = [number for number in sorted(found) if not 0 <= number < end]
        if wrong:
            where = f"state {tuple(map(int, state))}"
            raise ConfigError("program.table", f"{where}: no {name} has the number {wrong[0]}")

"""What a machine does on an algorithm: every control state that its runs met, in plain Python.

Unlike a proof this says nothing about states that no run met. It is also the slow twin of the compiled loop.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.algorithms.tape import DONE, TapeAlgorithm
from nhc.program.compiled import CONTENT
from nhc.program.control import Control, Decided, Shown
from nhc.program.plain import PlainMemory
from nhc.shapes import NONE

TICKS_A_TASK = 3
"""Ticks for each that the teacher needs: a machine that goes astray is not followed for long."""


class PlainTick(NamedTuple):
    """What one tick did."""

    shown: Shown
    mechanism: int
    address: int
    word: int
    """Code of the word read."""
    op: int


@dataclass
class Seen:
    """What happened in one control state."""

    decided: Decided
    found: dict[int, set[int]] = field(default_factory=dict)
    """Mechanism that won, strongest first -> words that it found."""
    ops: dict[int, int] = field(default_factory=dict)
    """Word read -> operation."""


def plain_run(
    control: Control, algorithm: TapeAlgorithm[object], instance: object, max_ticks: int
) -> list[PlainTick]:
    """A run on a plain memory, until the data side ends or `max_ticks` have passed."""
    tape, registers = algorithm.load(instance)
    memory, stored, ticks, op = PlainMemory[int](), list[int](), list[PlainTick](), NONE
    while not registers[DONE] and len(ticks) < max_ticks:
        signals, data = algorithm.functions.observe(tape, registers)
        word = NONE if memory.cursor == NONE else memory.words[memory.cursor]
        shown = Shown(int(signals), word, op)
        decided = control.decided(shown)
        memory.write(decided.constrained, decided.fresh)
        if not memory.words:
            break
        stored += [int(data)] * (len(memory.words) - len(stored))
        cells = memory.links()
        best = max(set(memory.words), key=lambda code: decided.scores[code])
        cells[CONTENT] = memory.first([best])
        mechanism = next(m for m in decided.mechanisms if m in cells)
        memory.cursor = cells[mechanism]
        read = memory.words[memory.cursor]
        op = int(decided.ops[read])
        algorithm.functions.act(op, stored[memory.cursor], tape, registers)
        ticks.append(PlainTick(shown, mechanism, memory.cursor, read, op))
    return ticks


def observed(control: Control, algorithm: TapeAlgorithm[object]) -> dict[Shown, Seen]:
    """All control states of runs on the algorithm's examples."""
    states: dict[Shown, Seen] = {}
    for instance in algorithm.examples():
        limit = TICKS_A_TASK * len(algorithm.teacher(instance))
        for tick in plain_run(control, algorithm, instance, limit):
            seen = states.setdefault(tick.shown, Seen(control.states[tick.shown]))
            seen.found.setdefault(tick.mechanism, set()).add(tick.word)
            seen.ops[tick.word] = tick.op
    return states

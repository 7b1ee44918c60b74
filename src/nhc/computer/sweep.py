"""A machine on random inputs of many lengths: is every answer that of the specification?

Each input has a stream of random numbers of its own, by seed, length and number. So results depend neither on
how the work is cut into portions nor on how many processes share it.
"""

import time
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, partial
from itertools import groupby
from typing import NamedTuple

import numpy as np

from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import Asked
from nhc.computer.hosted import Execution, execute
from nhc.computer.sequences import EngineName, run_table, tape_algorithm
from nhc.errors import ConfigError
from nhc.model import Model, load_model
from nhc.program.control import Control
from nhc.program.data_engine import DEFAULT_MEMORY, OUTPUT_BYTES
from nhc.program.memory import MOST_TICKS, memory_bytes
from nhc.runs.pool import in_order
from nhc.statistics import upper_bound
from nhc.streams import random_stream

MOST_LENGTH = 1_000_000
"""Longer lists of different symbols cannot be drawn."""
DEFAULT_TICKS: dict[EngineName, int] = {"program": 100_000_000, "network": 1_000_000}
"""Most ticks of a run; a tick of the network takes some thousand times longer."""
TOGETHER, LONG = 100, 1000
"""Inputs that a process takes at a time, and the length from which on it takes one."""
PLENTY = 64
"""Ticks for each word of an input, more than any teacher takes but those that know their ticks."""
NO_LIMIT = 2**62
"""Bytes: the ticks of a run bound its memory."""
PATIENCE = 10
"""Ticks for each that the teacher takes, before a run counts as one that does not end."""
SHOWN = 1000
"""Characters of an input or an answer that are kept."""


class Sweep(NamedTuple):
    """What is asked of each length."""

    model: str
    engine: EngineName
    seed: int
    most_ticks: int
    """Of one run."""


class Portion(NamedTuple):
    """Some inputs of a length: numbers first..last - 1."""

    length: int
    first: int
    last: int


class Wrong(NamedTuple):
    """An input whose answer is not the specification's, and the answers, cut where they are long."""

    number: int
    """Of the input, among those of its length."""
    input: str
    expected: str
    found: str
    """Or that the run did not end."""
    ticks: int


class LengthResult(NamedTuple):
    """What came of inputs of one length."""

    length: int
    inputs: int
    failures: int
    ticks: int
    """Of all runs together."""
    longest_run: int
    """Most ticks of a run."""
    seconds: float
    """Of the processor for the runs, without the drawing of inputs and the specification."""
    first_failure: Wrong | None

    @property
    def bound(self) -> float:
        """The exact upper bound on the rate of failures."""
        return upper_bound(self.failures, self.inputs)

    @property
    def nanoseconds(self) -> float:
        """Of a tick."""
        return 1e9 * self.seconds / max(1, self.ticks)

    def fields(self) -> dict[str, object]:
        """For JSON. Of these only the time of a tick differs between two runs of the same sweep."""
        values = {key: value for key, value in self._asdict().items() if key != "seconds"}
        wrong = None if self.first_failure is None else self.first_failure._asdict()
        rates = {"failure_rate_bound": self.bound, "ns_per_tick": round(self.nanoseconds, 1)}
        return {**values, **rates, "first_failure": wrong}


class Machine(NamedTuple):
    """A model, made ready for many runs."""

    model: Model
    algorithm: SequenceAlgorithm[object]
    control: Control | None
    """None for the network."""


@cache
def machine_of(name: str, engine: EngineName) -> Machine:
    """A machine that knows the control states of some small inputs, in each process one.

    Raises ConfigError (`algorithm.family`) if inputs of its algorithm have no lengths, and what `load_model`
    and `Control` raise.
    """
    model = load_model(name)
    tape: object = tape_algorithm(model)
    if not isinstance(tape, SequenceAlgorithm):
        wanted = "expected an algorithm whose inputs have lengths"
        raise ConfigError("algorithm.family", f"{wanted}, found {model.algorithm.name}")
    control = Control(model.parameters, model.config) if engine == "program" else None
    machine = Machine(model, tape, control)
    for size in range(1, 9):
        one_run(machine, tape.random(size, np.random.default_rng(size)), size, MOST_TICKS)
    return machine


def most_ticks_of(name: str, engine: EngineName, max_ticks: int | None, max_memory: int | None) -> int:
    """The ticks that a budget allows; the network has none of memory. None is the default.

    Raises ConfigError (`program.ticks`, `program.memory`), and what `machine_of` raises.
    """
    ticks = DEFAULT_TICKS[engine] if max_ticks is None else max_ticks
    if not 1 <= ticks <= MOST_TICKS:
        raise ConfigError("program.ticks", f"expected 1..{MOST_TICKS} ticks, found {ticks}")
    control = machine_of(name, engine).control
    if control is None:
        return ticks
    memory = DEFAULT_MEMORY if max_memory is None else max_memory
    each = memory_bytes(control.tables, np.int64) + OUTPUT_BYTES
    if memory < each:
        raise ConfigError("program.memory", f"expected at least {each} bytes for a tick, found {memory}")
    return min(ticks, memory // each)


def lengths_that_fit(
    algorithm: SequenceAlgorithm[object], lengths: list[int], most_ticks: int
) -> tuple[list[int], int]:
    """Lengths whose runs take at most `most_ticks`, in order, and how many of those asked for do not.

    The longest that fits stands for all that do not. Where ticks grow with the length, all fit.
    """

    def ticks(length: int) -> int:
        return algorithm.ticks(length) or 0

    kept = {length for length in lengths if ticks(length) <= most_ticks}
    left_out = {*lengths} - kept
    if left_out:
        fits = bisect_right(range(1, min(left_out)), most_ticks, key=ticks)
        kept |= {fits} - {0}
    return sorted(kept), len(left_out)


def portions(lengths: list[int], inputs: int) -> list[Portion]:
    """What one process takes at a time."""
    return [
        Portion(length, first, min(first + step, inputs))
        for length in lengths
        for step in [TOGETHER if length < LONG else 1]
        for first in range(0, inputs, step)
    ]


def swept(sweep: Sweep, items: list[Portion], processes: int) -> Iterator[LengthResult]:
    """What came of each portion, in their order; raises what `machine_of` raises."""
    return in_order(partial(run_portion, sweep), items, processes)


def by_length(results: list[LengthResult]) -> list[LengthResult]:
    """Portions that follow each other and are of one length, as one."""
    return [merged(list(group)) for _, group in groupby(results, lambda result: result.length)]


def merged(results: list[LengthResult]) -> LengthResult:
    """As one; the length is the last one's, and the first failure that of the first result with one."""
    wrong = (result.first_failure for result in results)
    return LengthResult(
        results[-1].length,
        sum(result.inputs for result in results),
        sum(result.failures for result in results),
        sum(result.ticks for result in results),
        max(result.longest_run for result in results),
        sum(result.seconds for result in results),
        next(filter(None, wrong), None),
    )


def run_portion(sweep: Sweep, portion: Portion) -> LengthResult:
    """Draw inputs, run them and compare."""
    machine = machine_of(sweep.model, sweep.engine)
    failures, ticks, longest, seconds = 0, 0, 0, 0.0
    first: Wrong | None = None
    for number in range(portion.first, portion.last):
        instance = drawn(machine.algorithm, sweep.seed, portion.length, number)
        made, took = one_run(machine, instance, portion.length, sweep.most_ticks)
        ticks, longest, seconds = ticks + made.ticks, max(longest, made.ticks), seconds + took
        expected = machine.algorithm.spec(instance)
        if not made.ended or made.result != expected:
            failures += 1
            first = first or wrong_of(machine.algorithm, number, instance, expected, made)
    inputs = portion.last - portion.first
    return LengthResult(portion.length, inputs, failures, ticks, longest, seconds, first)


def drawn(algorithm: SequenceAlgorithm[object], seed: int, length: int, number: int) -> object:
    """An input of a length, always the same under one seed."""
    return algorithm.random(length, random_stream(seed, "sweep", length, number))


def one_run(machine: Machine, instance: object, length: int, most_ticks: int) -> tuple[Execution, float]:
    """A run until it ends, or takes much longer than the teacher, or `most_ticks`; and its seconds.

    The teacher is slow, and asked only if a run is longer than any should be.
    """
    algorithm, known = machine.algorithm, machine.algorithm.ticks(length)
    first = PLENTY * (length + 1) if known is None else PATIENCE * known
    made, seconds = _timed(machine, instance, min(first, most_ticks))
    if not made.ended and known is None and first < most_ticks:
        allowed = min(PATIENCE * len(algorithm.teacher(instance)), most_ticks)
        if allowed > first:
            made, seconds = _timed(machine, instance, allowed)
    return made, seconds


def _timed(machine: Machine, instance: object, ticks: int) -> tuple[Execution, float]:
    began = time.process_time()
    if machine.control is None:
        made = execute(machine.model, instance, max_ticks=ticks)
    else:
        made = run_table(machine.control, machine.algorithm, instance, ticks, NO_LIMIT)
    return made, time.process_time() - began


def wrong_of(
    algorithm: SequenceAlgorithm[object], number: int, instance: object, expected: object, made: Execution
) -> Wrong:
    """A failure, as a person writes inputs and reads answers."""
    notation = NOTATIONS.get(algorithm.name)

    def shown(answer: object) -> str:
        if answer is None:
            return "no answer"
        return cut(str(answer) if notation is None else notation.show(answer, Asked(instance)))

    written = cut(repr(instance) if notation is None else notation.line(instance))
    found = shown(made.result) if made.ended else f"no end after {made.ticks:,} ticks"
    return Wrong(number, written, shown(expected), found, made.ticks)


def cut(text: str) -> str:
    """A text of at most `SHOWN` characters, and a mark where it goes on."""
    return text if len(text) <= SHOWN else f"{text[:SHOWN]} ..."

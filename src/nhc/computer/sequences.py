"""A trained machine on an instance of an algorithm on a tape: by the network at every tick, or by its table.

Both do the same at every tick; the table takes some ten nanoseconds for one.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Literal

from nhc.algorithms.tape import OVERFLOW, TapeAlgorithm
from nhc.computer.hosted import Execution, execute
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.program.control import Control
from nhc.program.data_engine import DEFAULT_MEMORY, DEFAULT_TICKS, run_data

EngineName = Literal["program", "network"]
CHECKED_TICKS = 20_000
"""Longer runs are compared with the specification only if asked: some take long to say what is right."""


def tape_algorithm(model: Model) -> TapeAlgorithm[object]:
    """The algorithm of a model. Raises ConfigError (`algorithm.family`) for search and plan."""
    found: object = model.algorithm
    if not isinstance(found, TapeAlgorithm):
        raise ConfigError(
            "algorithm.family", f"expected an algorithm with an input, found {model.algorithm.name}"
        )
    return found


def run_sequence(
    model: Model,
    instance: object,
    *,
    engine: EngineName = "program",
    max_ticks: int = DEFAULT_TICKS,
    max_memory: int = DEFAULT_MEMORY,
    check: bool | None = None,
    keep: bool = False,
    on_progress: Callable[[int], None] = lambda ticks: None,
) -> Execution:
    """Run until the data side ends, or the budget is used up.

    `check` compares with the specification; None means for runs of up to `CHECKED_TICKS` ticks. With `keep`
    there is a trace. That takes the network, whose runs are always compared and know no `max_memory`.
    Raises what `execute`, `run_data` and `tape_algorithm` do.
    """
    algorithm = tape_algorithm(model)
    if engine == "network" or keep:
        executed = execute(model, instance, max_ticks=max_ticks, keep=keep)
        return executed if executed.ended else replace(executed, correct=None)
    control = Control(model.parameters, model.config)
    made = run_table(control, algorithm, instance, max_ticks, max_memory, on_progress)
    looked = made.ended and (made.ticks <= CHECKED_TICKS if check is None else check)
    return replace(made, correct=made.result == algorithm.spec(instance)) if looked else made


def run_table(
    control: Control,
    algorithm: TapeAlgorithm[object],
    instance: object,
    max_ticks: int,
    max_memory: int,
    on_progress: Callable[[int], None] = lambda ticks: None,
) -> Execution:
    """Run by the table, and compare nothing. `control` keeps what it found out: the next run has it at once.

    Raises what `run_data` does.
    """
    made = run_data(
        control,
        algorithm.functions,
        algorithm.load(instance),
        max_ticks=max_ticks,
        max_memory=max_memory,
        on_progress=on_progress,
    )
    large = not made.ended or made.registers[OVERFLOW]
    result = None if large else algorithm.answer(tuple(made.output.tolist()))
    return Execution(result, made.ticks, made.ended, None)

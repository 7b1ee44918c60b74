"""A training run's state as named arrays and plain values, and back: nothing of it is lost."""

from collections.abc import Mapping
from dataclasses import fields

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.supply import Position
from nhc.algorithms.traces import Traces
from nhc.errors import ModelError
from nhc.evolve.bad_memories import BadMemories
from nhc.evolve.config import TrainConfig
from nhc.evolve.novelty import Novelty
from nhc.evolve.state import TrainState
from nhc.machine.parameters import Parameters

COUNTERS = tuple(
    field.name
    for field in fields(TrainState)
    if field.name not in ("parameters", "bad", "positions", "novelty")
)
THETA, BAD = "theta/", "bad/"
ARCHIVE, PROGRESS, COUNTS = "novelty/archive", "novelty/progress", "novelty/counts"


def state_arrays(state: TrainState, config: TrainConfig) -> dict[str, NDArray[np.generic]]:
    """The arrays of a state, by name."""
    arrays: dict[str, NDArray[np.generic]] = {
        THETA + name: block for name, block in state.parameters.named_blocks(config.machine).items()
    }
    arrays |= {BAD + name: column for name, column in state.bad.tasks._asdict().items()}
    arrays["positions"] = np.array(state.positions, np.int64)
    if state.novelty is not None:
        novelty = state.novelty
        arrays[ARCHIVE] = novelty.archive
        arrays[COUNTS] = np.array([novelty.next, novelty.held, novelty.stale, novelty.best_level], np.int64)
        arrays[PROGRESS] = np.array([novelty.weight, novelty.best_fitness], np.float64)
    return arrays


def state_values(state: TrainState) -> dict[str, object]:
    """The counters of a state, which are also all that its random streams depend on."""
    counters: dict[str, object] = {name: getattr(state, name) for name in COUNTERS}
    return {"kind": "checkpoint", **counters, "bad_next": state.bad.next, "bad_held": state.bad.held}


def restored_state(
    arrays: Mapping[str, NDArray[np.generic]], values: Mapping[str, object], config: TrainConfig
) -> TrainState:
    """The state that `state_arrays` and `state_values` describe.

    Raises ModelError (`model.checkpoint`) if a part is missing and `model.shape` if weights do not fit.
    """
    theta = {name.removeprefix(THETA): block for name, block in arrays.items() if name.startswith(THETA)}
    blocks = {name: np.asarray(block, np.float32) for name, block in theta.items()}
    parameters = Parameters.from_blocks(blocks, config.machine)

    def number(name: str) -> int:
        value = values[name]
        if not isinstance(value, int):
            raise ModelError("model.checkpoint", f"{name}: expected a whole number, found {value!r}")
        return value

    try:
        tasks = Traces(*(np.array(arrays[BAD + name]) for name in Traces._fields))
        return TrainState(
            parameters,
            BadMemories(tasks, number("bad_next"), number("bad_held")),
            tuple(Position(int(refill), int(offset)) for refill, offset in arrays["positions"]),
            iteration=number("iteration"),
            level=number("level"),
            level_began=number("level_began"),
            reached=bool(number("reached")),
            streak=number("streak"),
            doubtful=bool(number("doubtful")),
            learning_iterations=number("learning_iterations"),
            restarts=number("restarts"),
            nonfinite=number("nonfinite"),
            ticks=number("ticks"),
            mastered=bool(number("mastered")),
            certified=bool(number("certified")),
            undecided=bool(number("undecided")),
            novelty=_restored_novelty(arrays) if config.novelty.enabled else None,
        )
    except KeyError as error:
        raise ModelError("model.checkpoint", f"expected a checkpoint, found none of its {error}") from error


def _restored_novelty(arrays: Mapping[str, NDArray[np.generic]]) -> Novelty:
    following, held, stale, level = np.asarray(arrays[COUNTS], np.int64).tolist()
    weight, fitness = np.asarray(arrays[PROGRESS], np.float64).tolist()
    return Novelty(np.array(arrays[ARCHIVE], np.int16), following, held, weight, stale, level, fitness)

"""The metrics of a run as columns, for pictures and summaries."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float64, Int64

from nhc.errors import InputError

Record = Mapping[str, object]


class History(NamedTuple):
    """One entry an iteration, in the order of the log."""

    iteration: Int64[np.ndarray, " iterations"]
    level: Int64[np.ndarray, " iterations"]
    fitness: Float64[np.ndarray, " iterations"]
    learned: Bool[np.ndarray, " iterations"]
    restarted: Bool[np.ndarray, " iterations"]
    solved: Bool[np.ndarray, " iterations"]


def history(records: Sequence[Record]) -> History:
    """The columns of the records of `metrics.jsonl`.

    Raises InputError: `run.empty` if there are none, `run.damaged` if a field is missing or no number.
    """
    if not records:
        raise InputError("run.empty", "expected at least one iteration, found none")
    return History(
        iteration=_column(records, "iteration").astype(np.int64),
        level=_column(records, "level").astype(np.int64),
        fitness=_column(records, "fitness"),
        learned=_column(records, "learned").astype(bool),
        restarted=_column(records, "restarted").astype(bool),
        solved=_column(records, "solved").astype(bool),
    )


def _column(records: Sequence[Record], field: str) -> Float64[np.ndarray, " iterations"]:
    values = []
    for number, record in enumerate(records, start=1):
        value = record.get(field)
        if not isinstance(value, int | float):
            raise InputError("run.damaged", f"record {number}: expected a number as {field}, found {value!r}")
        values.append(value)
    return np.array(values, dtype=np.float64)


class Span(NamedTuple):
    """Successive iterations at one level between restarts; both ends belong to it."""

    level: int
    first: int
    last: int


def spans(run: History) -> list[Span]:
    """The run cut where the level changes and after each restart."""
    new = np.ones(len(run.level), dtype=bool)
    new[1:] = (run.level[1:] != run.level[:-1]) | run.restarted[:-1]
    starts = np.flatnonzero(new)
    ends = np.append(starts[1:], len(new)) - 1
    return [
        Span(int(run.level[start]), int(run.iteration[start]), int(run.iteration[end]))
        for start, end in zip(starts, ends, strict=True)
    ]

"""Columns and spans of a run."""

import numpy as np
import pytest

from nhc.errors import InputError
from nhc.runs.history import Span, history, spans
from tests.runs.samples import records


def test_columns() -> None:
    run = history(records([(1, 37.5, "learn"), (1, 150.0, "solve"), (2, 12.25, "restart")]))
    assert run.iteration.tolist() == [1, 2, 3]
    assert run.level.tolist() == [1, 1, 2]
    assert run.fitness.tolist() == [37.5, 150.0, 12.25]
    assert run.learned.tolist() == [True, False, False]
    assert run.solved.tolist() == [False, True, False]
    assert run.restarted.tolist() == [False, False, True]
    assert run.level.dtype == run.iteration.dtype == np.int64


def test_spans_end_with_level_and_restart() -> None:
    script = [(1, 0.0, "learn"), (1, 9.0, "solve"), (2, 1.0, "learn"), (2, 1.0, "restart")]
    script += [(1, 0.0, "restart"), (1, 0.0, "learn"), (1, 0.0, "learn")]
    assert spans(history(records(script))) == [Span(1, 1, 2), Span(2, 3, 4), Span(1, 5, 5), Span(1, 6, 7)]


@pytest.mark.parametrize("field", ["iteration", "level", "fitness", "learned", "restarted", "solved"])
@pytest.mark.parametrize("value", [None, "3"])
def test_a_bad_field_is_named(field: str, value: object) -> None:
    lines = records([(1, 0.0, "learn")] * 3)
    lines[1][field] = value
    with pytest.raises(InputError, match=f"record 2: expected a number as {field}") as caught:
        history(lines)
    assert caught.value.code == "run.damaged"


def test_no_records() -> None:
    with pytest.raises(InputError) as caught:
        history([])
    assert caught.value.code == "run.empty"

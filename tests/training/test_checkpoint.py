"""A state of a run goes into arrays and numbers and comes back with nothing lost; damage is noticed."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import jax
import numpy as np
import pytest

from nhc.errors import ModelError
from nhc.evolve.novelty import Novelty
from nhc.evolve.state import Record, TrainState, initial_train_state
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.runs.codec import decoded, encoded
from nhc.training.keeping import GROWING
from nhc.training.session import course_of, steps
from tests.training.small import config


@cache
def states() -> list[tuple[TrainState, list[Record]]]:
    """The states of the small run, each with the records of the step that led to it."""
    return list(steps(course_of(config()), initial_train_state(course_of(config()))))


def content(state: TrainState) -> list[object]:
    """Everything in a state, as plain values that can be compared."""
    leaves = [np.asarray(leaf) for leaf in jax.tree.leaves((state.parameters, state.unproved))]
    arrays = [*leaves, *state.bad.tasks]
    plain = [(array.dtype.str, array.shape, array.tobytes()) for array in arrays]
    names = [f.name for f in fields(state) if f.name not in ("parameters", "unproved", "bad")]
    return [plain, state.bad.next, state.bad.held, *((name, getattr(state, name)) for name in names)]


COUNTERS = [
    field.name
    for field in fields(TrainState)
    if field.name not in ("parameters", "unproved", "bad", "positions", "novelty")
]


def through_file(state: TrainState, path: Path) -> TrainState:
    save_arrays(path, *encoded(state))
    return decoded(*load_arrays(path), states()[0][0], GROWING)


def test_every_state_of_a_run_comes_back_from_its_file(tmp_path: Path) -> None:
    restarts, streaks, held = set(), set(), set()
    for state, _ in [(initial_train_state(course_of(config())), []), *states()[::31], *states()[-12:]]:
        back = through_file(state, tmp_path / "state")
        assert content(back) == content(state)
        assert {type(getattr(back, name)) for name in COUNTERS} == {int, bool}
        restarts.add(state.restarts)
        streaks.add(state.streak > 0)
        held.add(state.bad.held)
    assert len(restarts) > 1 and len(streaks) == 2 and {0, 7} <= held, "the states differ in all parts"


def test_a_run_continues_from_any_state_as_if_it_had_never_been_stored(tmp_path: Path) -> None:
    everything = [record for _, records in states() for record in records]
    last = content(states()[-1][0])
    for start in (len(states()) // 2, len(states()) - 12, len(states()) - 1):
        state = through_file(states()[start][0], tmp_path / "state")
        rest = list(steps(course_of(config()), state))
        assert [record for _, records in rest for record in records] == everything[state.iteration :]
        if rest:
            assert content(rest[-1][0]) == last


@pytest.mark.parametrize("best", [-np.inf, 37.125])
def test_novelty_is_stored_with_all_it_has(tmp_path: Path, best: float) -> None:
    settings = config(novelty={"enabled": True, "capacity": 3})
    first = initial_train_state(course_of(settings))
    assert first.novelty is not None
    shape = first.novelty.archive.shape
    archive = np.arange(np.prod(shape), dtype=np.int16).reshape(shape)
    novelty = Novelty(archive, next=1, held=2, weight=0.1 + 0.2, stale=7, best_level=4, best_fitness=best)
    state = replace(first, novelty=novelty)
    save_arrays(tmp_path / "state", *encoded(state))
    back = decoded(*load_arrays(tmp_path / "state"), first).novelty
    assert back is not None and back[1:] == novelty[1:]
    assert (back.archive.dtype, back.archive.tolist()) == (archive.dtype, archive.tolist())
    arrays, values = encoded(states()[3][0])
    assert not any(name.startswith("novelty") for name in arrays)
    with pytest.raises(ModelError, match="novelty"):
        decoded(arrays, values, first)


Arrays = dict[str, np.ndarray]
Values = dict[str, object]


def without(name: str) -> Callable[[Arrays, Values], None]:
    def damage(arrays: Arrays, values: Values) -> None:
        (arrays if name in arrays else values).pop(name)

    return damage


def replaced(name: str, value: object) -> Callable[[Arrays, Values], None]:
    def damage(arrays: Arrays, values: Values) -> None:
        (arrays if isinstance(value, np.ndarray) else values)[name] = value

    return damage


DAMAGE = {
    "no iteration": (without("iteration"), "model.checkpoint"),
    "no mastered": (without("mastered"), "model.checkpoint"),
    "no place in the ring": (without("bad/next"), "model.checkpoint"),
    "no positions": (without("positions/0/offset"), "model.checkpoint"),
    "no bad memories": (without("bad/tasks/word"), "model.checkpoint"),
    "a number that is text": (replaced("level", "3"), "model.checkpoint"),
    "a number that is none": (replaced("streak", None), "model.checkpoint"),
    "a number with a fraction": (replaced("ticks", 1.5), "model.checkpoint"),
    "no block of weights": (without("parameters/interface/w"), "model.checkpoint"),
    "a block too much": (replaced("parameters/interface/more", np.zeros(3, np.float32)), "model.checkpoint"),
    "a block of another shape": (
        replaced("parameters/controller/b", np.zeros(17, np.float32)),
        "model.shape",
    ),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_state_with_a_part_missing_or_wrong_is_refused(name: str) -> None:
    state = states()[20][0]
    arrays, values = encoded(state)
    damage, code = DAMAGE[name]
    damage(arrays, values)
    with pytest.raises(ModelError) as caught:
        decoded(arrays, values, states()[0][0])
    assert caught.value.code == code

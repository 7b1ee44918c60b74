"""Any tree of arrays and plain values goes into names and comes back; all that does not fit is named."""

import json
from dataclasses import dataclass, replace
from typing import NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jaxtyping import Array, Float
from numpy.typing import NDArray

from nhc.errors import ModelError
from nhc.runs.codec import decoded, encoded


class Weights(eqx.Module):
    w: Float[Array, "rows _"]
    bits: tuple[int, ...] = eqx.field(static=True)


class Ring(NamedTuple):
    rows: NDArray[np.uint8]
    next: int


@dataclass(frozen=True)
class State:
    weights: Weights
    ring: Ring
    rates: tuple[float, ...]
    nested: tuple[Ring, ...]
    modules: dict[str, Ring]
    best: float
    mastered: bool
    name: str
    extra: Ring | None = None


def ring(rows: int, value: int) -> Ring:
    return Ring(np.full((rows, 2), value, np.uint8), value)


def state(value: int = 1, rows: int = 3) -> State:
    return State(
        weights=Weights(jnp.full((2, 2), value / 3, jnp.float32), (value, value + 1)),
        ring=ring(rows, value),
        rates=(0.1 * value, float("inf")),
        nested=(ring(1, value), ring(1, value + 1)),
        modules={"alu": ring(2, value)},
        best=-np.inf,
        mastered=value > 1,
        name="ä",
    )


def test_nothing_is_lost() -> None:
    first = state(7)
    arrays, values = encoded(first)
    again = decoded(arrays, json.loads(json.dumps(values, allow_nan=False)), state())
    assert jax.tree.structure(again.weights) == jax.tree.structure(first.weights)
    plain = lambda each: (each.rates, each.best, each.mastered, each.name, each.extra)  # noqa: E731
    assert plain(again) == plain(first) and type(again.mastered) is bool and type(again.ring.next) is int
    assert isinstance(again.weights.w, jax.Array) and isinstance(again.ring.rows, np.ndarray)
    assert encoded(again)[1] == values
    assert {name: (array.dtype, array.tobytes()) for name, array in encoded(again)[0].items()} == {
        name: (array.dtype, array.tobytes()) for name, array in arrays.items()
    }
    again.ring.rows[0] = 9  # may be written to, as before
    assert sorted(arrays) == ["modules/alu/rows", "nested/0/rows", "nested/1/rows", "ring/rows", "weights/w"]


def test_a_dict_may_have_fewer_keys_and_named_parts_another_length() -> None:
    example = replace(state(), modules={"view": ring(0, 0), "alu": ring(0, 0)})
    free = {"modules/*/rows": 0, "ring/rows": 0, "*/bits": 0}
    found = replace(state(3, rows=5), weights=Weights(jnp.zeros((2, 2)), (4,)))
    again = decoded(*encoded(found), example, free)
    assert list(again.modules) == ["alu"] and again.modules["alu"].rows.shape == (2, 2)
    assert again.ring.rows.shape == (5, 2) and again.weights.bits == (4,)
    with pytest.raises(ModelError) as caught:
        decoded(*encoded(found), example)
    assert caught.value.code == "model.shape"
    assert all(name in caught.value.message for name in ("modules/alu/rows", "ring/rows", "weights/bits"))


def test_every_fault_is_named() -> None:
    arrays, values = encoded(state())
    del arrays["ring/rows"], values["mastered"]
    arrays["weights/w"] = arrays["weights/w"].astype(np.float64)
    values |= {"ring/next": True, "rates": [1, 2.0], "more": 1, "modules": ["wheels"], "name": None}
    with pytest.raises(ModelError) as caught:
        decoded(arrays, values, state())
    assert caught.value.code == "model.checkpoint"
    for text in ("weights/w: expected elements of float32", "ring/rows: expected an array, found nothing"):
        assert text in caught.value.message
    for name in ("ring/next", "rates", "modules", "mastered", "name"):
        assert f"{name}: expected" in caught.value.message
    assert "2 more" in caught.value.message or "more: unknown" in caught.value.message


def test_what_is_optional_is_there_or_not() -> None:
    """Whether it is, the example tells."""
    with_extra = replace(state(), extra=ring(1, 1))
    for found, example in ((with_extra, state()), (state(), with_extra)):
        with pytest.raises(ModelError, match="extra"):
            decoded(*encoded(found), example)
    again = decoded(*encoded(with_extra), with_extra).extra
    assert again is not None and again.next == 1


def test_other_things_are_a_fault_of_the_caller() -> None:
    with pytest.raises(TypeError, match="ring: expected arrays"):
        encoded({"ring": object()})

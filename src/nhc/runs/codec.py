"""Any state of a run as named arrays and plain values, and back: nothing of it is lost.

A state is a tree of dataclasses (modules of Equinox among them), named tuples, tuples, lists and dicts with
text keys. Its leaves are arrays of NumPy or JAX, numbers, bools, texts and None. A leaf's name is the path to
it, for example `parameters/controller/w`, so a field that is added to a state needs no line here.
"""

import copy
import dataclasses
import math
from collections.abc import Mapping
from fnmatch import fnmatch
from typing import Protocol, TypeGuard, TypeVar, cast, runtime_checkable

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.errors import ModelError
from nhc.runs.arrays import Arrays

StateT = TypeVar("StateT")
Values = dict[str, object]
Plain = bool | int | float | str | None

_SHOWN = 8
"""Faults that a message names."""


@runtime_checkable
class _NamedTuple(Protocol):
    """What the two directions need of a named tuple."""

    _fields: tuple[str, ...]

    def _replace(self, **changes: object) -> object: ...


def encoded(state: object) -> tuple[Arrays, Values]:
    """The arrays and the plain JSON values of a state, by name.

    A sequence of plain values is one list. A dict also has the list of its keys, under its own name. Raises
    TypeError for a part that is none of the above.
    """
    arrays: Arrays = {}
    values: Values = {}

    def put(name: str, part: object) -> None:
        if isinstance(part, np.ndarray | jax.Array):
            arrays[name] = np.asarray(part)
        elif _is_plain(part):
            values[name] = _json(part)
        elif _is_plain_list(part):
            values[name] = list(map(_json, part))
        else:
            if isinstance(part, dict):
                values[name] = list(part)
            for key, child in _children(name, part).items():
                put(_join(name, key), child)

    put("", state)
    return arrays, values


def decoded(
    arrays: Mapping[str, NDArray[np.generic]],
    values: Mapping[str, object],
    example: StateT,
    free: Mapping[str, int] | None = None,
) -> StateT:
    """The state that `encoded` made these of; `example` is any state of the same structure.

    Of the example only structure, element types and shapes count. A part whose name matches a pattern in
    `free`, for example `*/pool`, may have another length along the axis that the pattern names (a list: 0).
    A dict may have fewer keys than the example's. Raises ModelError with all faults: `model.checkpoint` if
    parts are missing, unknown or of another type, `model.shape` if only shapes differ.
    """
    reader = _Reader(dict(arrays), dict(values), free or {})
    state = reader.part("", example)
    reader.require_whole()
    return cast(StateT, state)


@dataclasses.dataclass
class _Reader:
    """Builds a state from its parts, which are taken away, and collects what does not fit."""

    arrays: Arrays
    values: Values
    free: Mapping[str, int]
    wrong: list[str] = dataclasses.field(default_factory=list)
    misshapen: list[str] = dataclasses.field(default_factory=list)

    def require_whole(self) -> None:
        """Raises ModelError unless every part was found, used and fitting."""
        wrong = self.wrong + [f"{name}: unknown" for name in sorted(self.arrays.keys() | self.values.keys())]
        faults = wrong + self.misshapen
        if faults:
            more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
            message = f"expected a checkpoint of this version, found {'; '.join(faults[:_SHOWN])}{more}"
            raise ModelError("model.checkpoint" if wrong else "model.shape", message)

    def part(self, name: str, example: object) -> object:
        """The part of that name; the example itself where it does not fit."""
        if isinstance(example, np.ndarray | jax.Array | jax.ShapeDtypeStruct):
            return self._array(name, example)
        if _is_plain(example):
            return self._plain(name, example)
        if _is_plain_list(example):
            return self._plain_list(name, example)
        children = _children(name, example)
        if isinstance(example, dict):
            keys = self.values.pop(name, _MISSING)
            if not isinstance(keys, list) or not set(keys) <= children.keys():
                return self._fault(name, f"expected some of the keys {', '.join(children)}", keys, example)
            children = {key: children[key] for key in keys}
        found = {key: self.part(_join(name, key), child) for key, child in children.items()}
        if isinstance(example, dict):
            return found
        if isinstance(example, _NamedTuple):
            return example._replace(**found)
        if dataclasses.is_dataclass(example) and not isinstance(example, type):
            made = copy.copy(example)
            for key, part in found.items():
                # As JAX puts trees together: leaves with one more axis would not pass a constructor's checks.
                object.__setattr__(made, key, part)
            return made
        return type(example)(found.values()) if isinstance(example, tuple | list) else example

    def _array(self, name: str, example: np.ndarray | jax.Array | jax.ShapeDtypeStruct) -> object:
        found = self.arrays.pop(name, _MISSING)
        if not isinstance(found, np.ndarray):
            return self._fault(name, "expected an array", found, example)
        if found.dtype != example.dtype:
            return self._fault(name, f"expected elements of {example.dtype}", found.dtype, example)
        if not self._fits(name, found.shape, example.shape):
            self.misshapen.append(f"{name}: expected shape {example.shape}, found {found.shape}")
            return example
        return np.array(found) if isinstance(example, np.ndarray) else jnp.asarray(found)

    def _plain(self, name: str, example: object) -> object:
        found = self.values.pop(name, _MISSING)
        value = _of_json(found, example)
        if example is None and _is_plain(found):  # the example does not tell what else it may be
            return found
        if type(value) is not type(example):
            return self._fault(name, f"expected {_kind(example)}", found, example)
        return value

    def _plain_list(self, name: str, example: tuple[Plain, ...] | list[Plain]) -> object:
        found = self.values.pop(name, _MISSING)
        if not isinstance(found, list) or not all(map(_is_plain, found)):
            return self._fault(name, "expected a list of plain values", found, example)
        if not self._fits(name, (len(found),), (len(example),)):
            self.misshapen.append(f"{name}: expected {len(example)} values, found {len(found)}")
            return example
        kinds = [*example, *example[-1:] * len(found)]
        values = [_of_json(each, kind) for each, kind in zip(found, kinds, strict=False)]
        if any(type(value) is not type(kind) for value, kind in zip(values, kinds, strict=False)):
            return self._fault(name, f"expected a list like {example!r}", found, example)
        return type(example)(cast(list[Plain], values))

    def _fits(self, name: str, found: tuple[int, ...], expected: tuple[int, ...]) -> bool:
        axes = {axis for pattern, axis in self.free.items() if fnmatch(name, pattern)}
        pairs = enumerate(zip(found, expected, strict=False))
        return len(found) == len(expected) and all(a == b for axis, (a, b) in pairs if axis not in axes)

    def _fault(self, name: str, expected: str, found: object, example: object) -> object:
        text = "nothing" if found is _MISSING else f"{found!r}"[:80]
        self.wrong.append(f"{name}: {expected}, found {text}")
        return example


_MISSING = object()


def _children(name: str, node: object) -> dict[str, object]:
    """The parts of a node by the last piece of their names."""
    if dataclasses.is_dataclass(node) and not isinstance(node, type):
        fields = {field.name: (field, getattr(node, field.name)) for field in dataclasses.fields(node)}
        # What is compiled into a module of Equinox, a function for example, is no state.
        return {
            key: part
            for key, (field, part) in fields.items()
            if not field.metadata.get("static") or _is_plain(part) or _is_plain_list(part)
        }
    if isinstance(node, _NamedTuple):
        return {key: getattr(node, key) for key in node._fields}
    if isinstance(node, tuple | list):
        return {str(number): part for number, part in enumerate(node)}
    if isinstance(node, dict) and all(isinstance(key, str) for key in node):
        return node
    raise TypeError(f"{name or 'state'}: expected arrays, plain values or a tree of them, found {type(node)}")


def _is_plain(part: object) -> bool:
    return part is None or isinstance(part, bool | int | float | str | np.generic)


def _is_plain_list(part: object) -> TypeGuard[tuple[Plain, ...] | list[Plain]]:
    return isinstance(part, tuple | list) and not isinstance(part, _NamedTuple) and all(map(_is_plain, part))


def _json(part: object) -> object:
    """A plain value for JSON, which lacks NaN and infinity: they are texts."""
    value = part.item() if isinstance(part, np.generic) else part
    return repr(value) if isinstance(value, float) and not math.isfinite(value) else value


def _of_json(found: object, example: object) -> object:
    """The inverse of `_json` for a value of the example's type."""
    if isinstance(example, float) and isinstance(found, str) and found in ("inf", "-inf", "nan"):
        return float(found)
    return found


def _kind(example: object) -> str:
    kinds = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
    return next((text for kind, text in kinds.items() if isinstance(example, kind)), "nothing")


def _join(name: str, key: str) -> str:
    return f"{name}/{key}" if name else key

"""Gates of the write heads: open at a value above zero, or always."""

from collections.abc import Callable

import jax.numpy as jnp

from nhc.shapes import Flag, Scalar

GateRule = Callable[[Scalar], Flag]


def always(value: Scalar) -> Flag:
    """Open, whatever the interface says."""
    return jnp.ones_like(value, dtype=bool)


def learned(value: Scalar) -> Flag:
    """Open at > 0."""
    return value > 0


GATES: dict[str, GateRule] = {"always": always, "learned": learned}

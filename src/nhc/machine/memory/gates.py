"""Gates of the write heads: open at a value above zero, or always. Soft ones open by degrees."""

from collections.abc import Callable

import jax
import jax.numpy as jnp

from nhc.shapes import Flag, Scalar

GateRule = Callable[[Scalar], Flag]
GateDegree = Callable[[Scalar], Scalar]


def always(value: Scalar) -> Flag:
    """Open, whatever the interface says."""
    return jnp.ones_like(value, dtype=bool)


def learned(value: Scalar) -> Flag:
    """Open at > 0."""
    return value > 0


GATES: dict[str, GateRule] = {"always": always, "learned": learned}


SOFT_GATES: dict[str, GateDegree] = {"always": jnp.ones_like, "learned": jax.nn.sigmoid}
"""How far a gate is open, in 0..1; a learned one by more than a half where the hard gate is open."""

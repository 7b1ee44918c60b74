"""The control signals that Input makes of the equality bit.

The paper, section "Data-dependent Modules": c1 = (1 - I) - c2', c2 = I + c2', c3 = I c2', where I is the
equality bit and c2' is c2 of the tick before (0 at the first). They name the phases: searching (1, 0, 0),
goal just met (0, 1, 0), backtracking (0, 1, 0) and start met again (-1, 2, 1).
"""

import jax.numpy as jnp

from nhc.shapes import Flag, Scalar, Signals


def control_signals(previous_second: Scalar, equal: Flag, count: int) -> Signals:
    """c_i: the first `count` (2 to search, 3 to plan) of the three control signals."""
    bit = equal.astype(jnp.float32)
    return jnp.stack([(1.0 - bit) - previous_second, bit + previous_second, bit * previous_second])[:count]

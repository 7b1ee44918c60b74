"""Array aliases and axis letters, in one place.

Axes: `signals` control signals, `hidden` controller units, `word` bits of a control word, `ops` operations,
`inputs` and `rows` of a linear block, `cells` memory cells, `mechanisms` the five read mechanisms, `tasks`
tasks of a batch, `members` offspring of a generation, `nodes` nodes of a search tree.
"""

from jaxtyping import Array, Bool, Float, Int

Scalar = Float[Array, ""]
Flag = Bool[Array, ""]
Count = Int[Array, ""]

Address = Int[Array, ""]
"""Index of a memory cell, or `NONE`."""

NONE = -1
"""The address, node or operation that is not there."""

Signals = Float[Array, " signals"]
Hidden = Float[Array, " hidden"]
Word = Float[Array, " word"]
Strengths = Float[Array, " mechanisms"]
Addresses = Int[Array, " mechanisms"]

"""The learned weights: three linear maps, and their named blocks for files and noise."""

import zlib
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key
from numpy.typing import NDArray

from nhc.errors import ModelError
from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks, interface_blocks
from nhc.machine.normal import Pair, fold_in, normal, pair_of

INITIAL_SCALE = 0.1


class Linear(eqx.Module):
    """y = W x + b."""

    w: Float[Array, "rows inputs"]
    b: Float[Array, " rows"]

    def __call__(self, x: Float[Array, " inputs"]) -> Float[Array, " rows"]:
        # Accelerators must not round the factors: proofs are about float32.
        return jnp.matmul(self.w, x, precision=jax.lax.Precision.HIGHEST) + self.b


class Parameters(eqx.Module):
    """θ in the paper: what evolution learns."""

    controller: Linear
    interface: Linear
    transform_c: Linear

    def named_blocks(self, config: MachineConfig) -> dict[str, NDArray[np.float32]]:
        """One float32 array per block and role, for example `interface.read.key.w`."""
        arrays: dict[str, NDArray[np.float32]] = {}

        def put(name: str, w: NDArray[np.float32], b: NDArray[np.float32]) -> None:
            arrays[f"{name}.w"], arrays[f"{name}.b"] = w, b

        put("controller", np.asarray(self.controller.w), np.asarray(self.controller.b))
        w, b, row = np.asarray(self.interface.w), np.asarray(self.interface.b), 0
        for block in interface_blocks(config):
            put(block.name, w[row : row + block.rows], b[row : row + block.rows])
            row += block.rows
        put("transform_c", np.asarray(self.transform_c.w), np.asarray(self.transform_c.b))
        return arrays

    @classmethod
    def from_blocks(cls, arrays: dict[str, NDArray[np.float32]], config: MachineConfig) -> "Parameters":
        """The inverse of `named_blocks`; raises ModelError (`model.shape`) where they differ."""
        expected: dict[str, tuple[int, ...]] = {}
        for block in blocks(config):
            expected[f"{block.name}.w"] = (block.rows, block.inputs)
            expected[f"{block.name}.b"] = (block.rows,)
        shapes = {name: array.shape for name, array in arrays.items()}
        faults = [
            f"{name}: expected {expected.get(name, 'no such block')}, found {shapes.get(name, 'none')}"
            for name in sorted(expected.keys() | shapes.keys())
            if expected.get(name) != shapes.get(name)
        ]
        if faults:
            raise ModelError("model.shape", f"{len(faults)} blocks of weights differ: {'; '.join(faults)}")
        interface = [block.name for block in interface_blocks(config)]

        def linear(names: list[str]) -> Linear:
            w = np.concatenate([arrays[f"{name}.w"] for name in names]).astype(np.float32)
            b = np.concatenate([arrays[f"{name}.b"] for name in names]).astype(np.float32)
            return Linear(jnp.asarray(w), jnp.asarray(b))

        return cls(linear(["controller"]), linear(interface), linear(["transform_c"]))


def normal_weights(key: Pair, config: MachineConfig) -> Float[Array, " weights"]:
    """N(0, 1) for every weight, row by row, each with its bias last; consumes `key`.

    A row's values depend on the key, its block's name and its place in the block, on nothing else, so a
    block that a machine does not use changes no other, and any worker can draw a row again.
    """
    layout = blocks(config)
    counts = [block.rows for block in layout]
    tags = np.repeat([np.uint32(zlib.crc32(block.name.encode())) for block in layout], counts)
    places = np.concatenate([np.arange(count, dtype=np.uint32) for count in counts])
    rows = fold_in(fold_in(key, jnp.asarray(tags)), jnp.asarray(places))
    widths = np.repeat([block.inputs + 1 for block in layout], counts)
    row = np.repeat(np.arange(len(widths)), widths)
    column = np.concatenate([np.arange(width, dtype=np.uint32) for width in widths])
    return normal(Pair(rows.high[row], rows.low[row]), jnp.asarray(column))


def parted(weights: Float[Array, " weights"], config: MachineConfig) -> Parameters:
    """The three maps of weights that `normal_weights` drew."""
    sizes = [block.size for block in blocks(config)]
    parts = jnp.split(weights, [sizes[0], sum(sizes[:-1])])
    inputs = config.controller_inputs, config.interface_inputs, config.transform_inputs

    def linear(part: Float[Array, " weights"], count: int) -> Linear:
        rows = part.reshape(-1, count + 1)
        return Linear(rows[:, :-1], rows[:, -1])

    return Parameters(*map(linear, parts, inputs))


@partial(jax.jit, static_argnames=("config", "scale"))
def initial_parameters(
    config: MachineConfig, *, key: Key[Array, ""], scale: float = INITIAL_SCALE
) -> Parameters:
    """θ ~ scale · N(0, 1), the start of a lineage; consumes `key`."""
    return jax.tree.map(lambda leaf: scale * leaf, parted(normal_weights(pair_of(key), config), config))

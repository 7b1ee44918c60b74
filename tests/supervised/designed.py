"""Linear experts that are right by design, for any Sokoban board: where tests of their proof begin."""

import jax
import jax.numpy as jnp
import numpy as np

from nhc.data.networks import Dense, Experts, Network
from nhc.domains.sokoban.world import AGENT, Sokoban, slot_table


def designed(world: Sokoban, size: float = 2.0, noise: float = 0.0, seed: int = 0) -> dict[str, Network]:
    """The networks of Transform_D and Output; every decision has the margin `size`, and noise on top."""
    rng = np.random.default_rng(seed)
    form, inner = world.form, world.board.inner_cells()
    symbols, experts = len(form.symbols), form.word_bits
    view = np.zeros((experts, form.slots, form.view_symbols, form.cells, symbols))
    beyond = np.zeros((experts, form.slots, form.view_symbols))
    mask = np.zeros((experts, form.changes, form.cells + 1, form.change_bits + 1))
    strengths = np.zeros(experts)
    table = slot_table(world.board)
    for agent in inner:
        expert = agent * symbols + AGENT
        strengths[expert] = 1.0
        for slot, cell in enumerate(table[agent].tolist()):
            for symbol in range(symbols):
                if cell >= 0:
                    view[expert, slot, symbol, cell, symbol] = size
            if cell < 0:
                beyond[expert, slot, form.beyond] = size
        for op, slots in enumerate(form.reach):
            for number, slot in enumerate(slots):
                mask[expert, number, table[agent, slot], op] = size
    gate = np.zeros(form.word_bits + form.change_bits + 1)
    gate[-1] = 2 * size

    def noisy(array: np.ndarray) -> jnp.ndarray:
        return jnp.asarray(array + noise * rng.normal(size=array.shape), jnp.float32)

    bits = tuple(range(experts))
    return {
        "view": Experts(
            noisy(strengths),
            noisy(view.reshape(experts, form.slots * form.view_symbols, -1)),
            noisy(beyond.reshape(experts, -1)),
            bits,
        ),
        "mask": Experts(
            noisy(strengths),
            noisy(mask.reshape(experts, -1, form.change_bits + 1)),
            jnp.zeros((experts, form.changes * (form.cells + 1))),
            bits,
        ),
        "inserts": Dense((noisy(gate[None]),), (jnp.full(1, -size),)),
    }


def scaled(network: Network, size: float) -> Network:
    """All numbers of a network but its bits multiplied."""
    return jax.tree.map(lambda leaf: (leaf * size).astype(jnp.float32), network)

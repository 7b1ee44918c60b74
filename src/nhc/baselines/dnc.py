"""The differentiable neural computer (DNC): an LSTM that reads and writes a memory of soft cells.

Graves et al. 2016, section "Methods". One tick: the LSTM sees the input and what was read last; it emits an
interface vector; the write heads write, then the read heads read; the output depends on both.
"""

from dataclasses import dataclass
from itertools import accumulate

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.baselines import addressing
from nhc.baselines.addressing import Gates, Links, Memory, Weighting
from nhc.baselines.network import LstmState, initial_linear, initial_lstm, lstm_step, no_lstm_state
from nhc.machine.parameters import Linear


class DncParameters(eqx.Module):
    """What is learned."""

    controller: Linear
    interface: Linear
    """W_ξ: LSTM output to interface vector."""
    output: Linear
    """W_y and W_r side by side: LSTM output and words read to output."""


class Interface(eqx.Module):
    """The interface vector ξ, cut and squashed."""

    read_keys: Float[Array, "reads word"]
    read_strengths: Float[Array, " reads"]
    write_keys: Float[Array, "writes word"]
    write_strengths: Float[Array, " writes"]
    erase: Float[Array, "writes word"]
    values: Float[Array, "writes word"]
    """v: the words to write."""
    free_gates: Float[Array, " reads"]
    allocation_gates: Float[Array, " writes"]
    write_gates: Float[Array, " writes"]
    modes: Float[Array, "reads modes"]
    """π of each read head."""


class DncState(eqx.Module):
    """State between two ticks."""

    controller: LstmState
    memory: Memory
    usage: Weighting
    links: Links
    precedence: Float[Array, "writes cells"]
    written: Float[Array, "writes cells"]
    """w^w of the last tick."""
    read: Float[Array, "reads cells"]
    """w^r of the last tick."""
    words: Float[Array, "reads word"]
    """r: the words read at the last tick."""


@dataclass(frozen=True)
class Dnc:
    """The sizes of a network."""

    inputs: int
    outputs: int
    hidden: int = 256
    word: int = 152
    cells: int = 32
    """Memory cells; no weight depends on their number."""
    reads: int = 1
    writes: int = 2

    @property
    def modes(self) -> int:
        """Read modes: content, and two directions for each write head."""
        return 1 + 2 * self.writes

    @property
    def interface_rows(self) -> list[int]:
        """Rows of W_ξ for each field of `Interface`, in order."""
        read, write, word = self.reads, self.writes, self.word
        per_write = [write * word, write, write * word, write * word]
        return [read * word, read, *per_write, read, write, write, read * self.modes]

    def initial_parameters(self, rng: np.random.Generator) -> DncParameters:
        """Random weights; consumes `rng`."""
        read = self.reads * self.word
        return DncParameters(
            initial_lstm(self.inputs + read, self.hidden, rng),
            initial_linear(self.hidden, sum(self.interface_rows), rng),
            initial_linear(self.hidden + read, self.outputs, rng),
        )

    def begin(self) -> DncState:
        """An empty memory."""
        cells, writes = self.cells, self.writes
        return DncState(
            no_lstm_state(self.hidden),
            jnp.zeros((cells, self.word)),
            jnp.zeros(cells),
            jnp.zeros((writes, cells, cells)),
            jnp.zeros((writes, cells)),
            jnp.zeros((writes, cells)),
            jnp.zeros((self.reads, cells)),
            jnp.zeros((self.reads, self.word)),
        )

    def step(
        self, parameters: DncParameters, state: DncState, x: Float[Array, " inputs"]
    ) -> tuple[DncState, Float[Array, " outputs"]]:
        """y = W_y h + W_r [r^1; ...; r^R], with h = LSTM([x; r'^1; ...; r'^R])."""
        controller = lstm_step(parameters.controller, state.controller, jnp.concatenate([x, *state.words]))
        interface = self.interface_of(parameters.interface(controller.output))
        after = access(eqx.tree_at(lambda s: s.controller, state, controller), interface)
        return after, parameters.output(jnp.concatenate([controller.output, *after.words]))

    def interface_of(self, vector: Float[Array, " rows"]) -> Interface:
        """ξ cut into parts: strengths by `oneplus`, gates and erase vectors by σ, π by softmax."""
        parts = jnp.split(vector, list(accumulate(self.interface_rows[:-1])))
        read_keys, write_keys, erase, values = (parts[place].reshape(-1, self.word) for place in (0, 2, 4, 5))
        gate = jax.nn.sigmoid
        return Interface(
            read_keys=read_keys,
            read_strengths=oneplus(parts[1]),
            write_keys=write_keys,
            write_strengths=oneplus(parts[3]),
            erase=gate(erase),
            values=values,
            free_gates=gate(parts[6]),
            allocation_gates=gate(parts[7]),
            write_gates=gate(parts[8]),
            modes=jax.nn.softmax(parts[9].reshape(self.reads, self.modes), axis=1),
        )


def oneplus(x: Gates) -> Gates:
    """1 + log(1 + e^x): strengths are at least 1."""
    return 1 + jax.nn.softplus(x)


def access(state: DncState, interface: Interface) -> DncState:
    """The memory part of a tick: usage, writing, links, reading."""
    content = jax.vmap(addressing.content_weighting, in_axes=(None, 0, 0))
    retained = addressing.retention(interface.free_gates, state.read)
    usage = addressing.usage_after(state.usage, state.written, retained)
    written = addressing.write_weighting(
        addressing.allocations(usage, interface.allocation_gates * interface.write_gates),
        content(state.memory, interface.write_keys, interface.write_strengths),
        interface.allocation_gates,
        interface.write_gates,
    )
    memory = addressing.memory_after(state.memory, written, interface.erase, interface.values)
    links = addressing.links_after(state.links, state.precedence, written)

    def read_by(modes: Float[Array, " modes"], found: Weighting, before: Weighting) -> Weighting:
        back, ahead = addressing.backward(links, before), addressing.forward(links, before)
        return addressing.read_weighting(modes, back, found, ahead)

    found = content(memory, interface.read_keys, interface.read_strengths)
    read = jax.vmap(read_by)(interface.modes, found, state.read)
    return DncState(
        state.controller,
        memory,
        usage,
        links,
        addressing.precedence_after(state.precedence, written),
        written,
        read,
        read @ memory,
    )

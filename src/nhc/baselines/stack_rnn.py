"""The stack-augmented recurrent network: a controller that pushes to and pops from soft stacks.

Joulin and Mikolov 2015, "Inferring algorithmic patterns with stack-augmented recurrent nets", section 3.2,
with several stacks and the action NO_OP. The controller is an LSTM, as the paper compares it.
"""

from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.baselines.network import LstmState, initial_linear, initial_lstm, lstm_step, no_lstm_state
from nhc.machine.parameters import Linear

ACTIONS = ("PUSH", "POP", "NO_OP")
EMPTY = -1.0
"""What a cell below the last one holds."""

Stack = Float[Array, "depth word"]


class StackParameters(eqx.Module):
    """What is learned."""

    controller: Linear
    actions: Linear
    """A: LSTM output to three actions a stack."""
    pushed: Linear
    """D: LSTM output to the word that each stack would push."""
    output: Linear
    """V: LSTM output to output."""


class StackState(eqx.Module):
    """State between two ticks."""

    controller: LstmState
    stacks: Float[Array, "stacks depth word"]


@dataclass(frozen=True)
class StackRnn:
    """The sizes of a network."""

    inputs: int
    outputs: int
    hidden: int = 256
    word: int = 152
    stacks: int = 4
    depth: int = 32
    """Cells of a stack; what is pushed beyond the last is lost."""
    tops: int = 2
    """k: cells of each stack, from its top, that the controller sees."""

    def initial_parameters(self, rng: np.random.Generator) -> StackParameters:
        """Random weights; consumes `rng`."""
        seen = self.stacks * self.tops * self.word
        return StackParameters(
            initial_lstm(self.inputs + seen, self.hidden, rng),
            initial_linear(self.hidden, self.stacks * len(ACTIONS), rng),
            initial_linear(self.hidden, self.stacks * self.word, rng),
            initial_linear(self.hidden, self.outputs, rng),
        )

    def begin(self) -> StackState:
        """Empty stacks."""
        return StackState(no_lstm_state(self.hidden), jnp.full((self.stacks, self.depth, self.word), EMPTY))

    def step(
        self, parameters: StackParameters, state: StackState, x: Float[Array, " inputs"]
    ) -> tuple[StackState, Float[Array, " outputs"]]:
        """h = LSTM([x; top k cells of each stack]), a = softmax(A h), d = σ(D h), y = V h."""
        seen = state.stacks[:, : self.tops].reshape(-1)
        controller = lstm_step(parameters.controller, state.controller, jnp.concatenate([x, seen]))
        hidden = controller.output
        actions = jax.nn.softmax(parameters.actions(hidden).reshape(self.stacks, len(ACTIONS)), axis=1)
        pushed = jax.nn.sigmoid(parameters.pushed(hidden)).reshape(self.stacks, self.word)
        stacks = jax.vmap(stack_after)(state.stacks, actions, pushed)
        return StackState(controller, stacks), parameters.output(hidden)


def stack_after(stack: Stack, action: Float[Array, " actions"], pushed: Float[Array, " word"]) -> Stack:
    """One soft action on one stack.

    s[0] = a[PUSH] d + a[POP] s'[1] + a[NO_OP] s'[0] and
    s[i] = a[PUSH] s'[i-1] + a[POP] s'[i+1] + a[NO_OP] s'[i]; below the last cell s' is `EMPTY`.
    """
    bottom = jnp.full((1, stack.shape[1]), EMPTY)
    after_push = jnp.concatenate([pushed[None], stack[:-1]])
    after_pop = jnp.concatenate([stack[1:], bottom])
    return action[0] * after_push + action[1] * after_pop + action[2] * stack

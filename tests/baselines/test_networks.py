"""Whole networks against loops over numbers, tick by tick, with pairwise different sizes."""

from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from nhc.baselines.dnc import Dnc
from nhc.baselines.network import Network, ParametersT, StateT
from nhc.baselines.stack_rnn import EMPTY, StackRnn, stack_after
from tests.baselines import oracle
from tests.baselines.oracle import Floats

DNC = Dnc(inputs=3, outputs=6, hidden=7, word=4, cells=5, reads=2, writes=3)
STACK = StackRnn(inputs=3, outputs=6, hidden=7, word=4, stacks=2, depth=5, tops=1)
TICKS = 9


def inputs(seed: int) -> Floats:
    return np.random.default_rng(seed).normal(size=(TICKS, 3))


def grown(network: Network[ParametersT, StateT]) -> ParametersT:
    """Weights and biases large enough to open and close gates."""
    parameters = network.initial_parameters(np.random.default_rng(1))
    leaves, form = jax.tree.flatten(parameters)
    rng = np.random.default_rng(5)
    drawn = [jnp.asarray(1.5 * rng.normal(size=leaf.shape), jnp.float32) for leaf in leaves]
    return jax.tree.unflatten(form, drawn)


def outputs(network: Network[ParametersT, StateT], parameters: ParametersT, xs: Floats) -> Floats:
    def step(state: StateT, x: Float[Array, " inputs"]) -> tuple[StateT, Float[Array, " outputs"]]:
        return network.step(parameters, state, x)

    # Compiled: tick by tick, the checks of every function's types would take most of the time.
    run = jax.jit(lambda columns: jax.lax.scan(step, network.begin(), columns)[1])
    return np.asarray(run(jnp.asarray(xs, jnp.float32)), np.float64)


def test_dnc() -> None:
    parameters = grown(DNC)
    expected = np.array(oracle.run_dnc(DNC, parameters, inputs(2)))
    found = outputs(DNC, parameters, inputs(2))
    assert found.shape == (TICKS, 6)
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-3)
    assert np.abs(np.diff(expected, axis=0)).min() > 1e-3, "no output stands still"


def test_dnc_weights_do_not_depend_on_the_number_of_cells() -> None:
    other = Dnc(inputs=3, outputs=6, hidden=7, word=4, cells=8, reads=2, writes=3)
    first, second = (net.initial_parameters(np.random.default_rng(1)) for net in (DNC, other))
    assert [leaf.shape for leaf in jax.tree.leaves(first)] == [leaf.shape for leaf in jax.tree.leaves(second)]


def test_stack_rnn() -> None:
    parameters = grown(STACK)
    expected = np.array(oracle.run_stack_rnn(STACK, parameters, inputs(4)))
    found = outputs(STACK, parameters, inputs(4))
    assert np.allclose(found, expected, rtol=1e-3, atol=1e-3)


def test_a_stack_returns_the_last_word_first() -> None:
    stack = jnp.full((3, 2), EMPTY)
    push, pop, wait = jnp.eye(3)
    first, second = jnp.array([0.25, 0.75]), jnp.array([0.5, 1.0])
    for word in (first, second):
        stack = stack_after(stack, push, word)
    assert stack.tolist() == [[0.5, 1.0], [0.25, 0.75], [EMPTY, EMPTY]]
    assert (stack_after(stack, wait, first) == stack).all()
    stack = stack_after(stack, pop, first)
    assert stack.tolist() == [[0.25, 0.75], [EMPTY, EMPTY], [EMPTY, EMPTY]]


def test_a_full_stack_loses_its_lowest_word() -> None:
    stack = jnp.arange(6.0).reshape(3, 2)
    after = stack_after(stack, jnp.array([1.0, 0.0, 0.0]), jnp.array([7.0, 8.0]))
    assert after.tolist() == [[7, 8], [0, 1], [2, 3]]


def test_full_size_networks_have_the_documented_numbers_of_weights() -> None:
    page = (Path(__file__).parents[2] / "docs" / "baselines.md").read_text()
    for network in (Dnc(289, 145), StackRnn(289, 145)):
        parameters = network.initial_parameters(np.random.default_rng(0))
        assert f"| {sum(leaf.size for leaf in jax.tree.leaves(parameters)):,} |" in page

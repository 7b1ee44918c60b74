"""Each step of the DNC's addressing against loops over numbers, and what must hold of weightings."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.baselines import addressing
from tests.baselines import oracle

CELLS, WORD, READS, WRITES = 5, 4, 3, 2
RNG = np.random.default_rng(3)


def weightings(heads: int) -> NDArray[np.float64]:
    """Some weightings that sum to less than 1."""
    drawn = RNG.random((heads, CELLS))
    return drawn / drawn.sum(axis=1, keepdims=True) * RNG.random((heads, 1))


MEMORY, USAGE = RNG.normal(size=(CELLS, WORD)), RNG.random(CELLS)
LINKS, PRECEDENCE, WRITTEN = RNG.random((WRITES, CELLS, CELLS)), weightings(WRITES), weightings(WRITES)


def close(found: object, expected: object) -> bool:
    return bool(np.allclose(np.asarray(found), np.asarray(expected), rtol=1e-4, atol=1e-5))


def f32(values: object) -> jax.Array:
    return jnp.asarray(values, jnp.float32)


def test_content() -> None:
    key = RNG.normal(size=WORD)
    found = addressing.content_weighting(f32(MEMORY), f32(key), f32(2.5))
    assert close(found, oracle.content(MEMORY, key, 2.5))
    nearest = addressing.content_weighting(f32(MEMORY), f32(3 * MEMORY[2]), f32(80.0))
    assert nearest.argmax() == 2 and nearest[2] > 0.9, "a cell is found by its content, whatever its length"


def test_retention_and_usage() -> None:
    free, read = RNG.random(READS), weightings(READS)
    retained = addressing.retention(f32(free), f32(read))
    assert close(retained, oracle.retention(free.tolist(), read))
    found = addressing.usage_after(f32(USAGE), f32(WRITTEN), retained)
    assert close(found, oracle.usage_after(USAGE, WRITTEN, oracle.retention(free.tolist(), read)))


@pytest.mark.parametrize(
    "usage", [[0.7, 0.1, 0.9, 0.4, 0.2], [0.5, 0.2, 0.5, 0.2, 1.0], [0.0] * 5, [1.0] * 5]
)
def test_allocation(usage: list[float]) -> None:
    found = addressing.allocation(f32(usage))
    assert close(found, oracle.allocation(usage))
    assert found.sum() <= 1 + 1e-5


def test_allocation_of_heads_in_turn() -> None:
    usage, gates = [0.9, 0.0, 0.8, 0.0, 0.3], [1.0, 0.4]
    found = addressing.allocations(f32(usage), f32(gates))
    assert close(found, oracle.allocations(usage, gates))
    assert found.argmax(axis=1).tolist() == [1, 3], "the second head goes on to the next free cell"
    usage_everywhere = [0.5, 0.3, 0.6, 0.4, 0.7]
    found = addressing.allocations(f32(usage_everywhere), f32([0.9, 0.6]))
    assert close(found, oracle.allocations(usage_everywhere, [0.9, 0.6]))
    assert addressing.allocations(f32(usage), f32([0.0, 1.0])).argmax(axis=1).tolist() == [1, 1]


def test_allocation_has_finite_gradients_at_zero_usage() -> None:
    gradient = jax.grad(lambda usage: addressing.allocations(usage, f32([0.5, 0.5]))[1, 2])(jnp.zeros(CELLS))
    assert np.isfinite(gradient).all()


def test_write_weighting() -> None:
    gates, allocation_gates = RNG.random(WRITES), RNG.random(WRITES)
    allocated, content = weightings(WRITES), weightings(WRITES)
    found = addressing.write_weighting(f32(allocated), f32(content), f32(allocation_gates), f32(gates))
    for head in range(WRITES):
        for cell in range(CELLS):
            g = allocation_gates[head]
            expected = gates[head] * (g * allocated[head, cell] + (1 - g) * content[head, cell])
            assert found[head, cell] == pytest.approx(expected, rel=1e-5)


def test_memory() -> None:
    erase, values = RNG.random((WRITES, WORD)), RNG.normal(size=(WRITES, WORD))
    found = addressing.memory_after(f32(MEMORY), f32(WRITTEN), f32(erase), f32(values))
    assert close(found, oracle.memory_after(MEMORY, WRITTEN, erase, values))


def test_links_and_precedence() -> None:
    links, precedence, written = f32(LINKS), f32(PRECEDENCE), f32(WRITTEN)
    assert close(
        addressing.links_after(links, precedence, written), oracle.links_after(LINKS, PRECEDENCE, WRITTEN)
    )
    found = addressing.precedence_after(precedence, written)
    assert close(found, oracle.precedence_after(PRECEDENCE, WRITTEN))


def test_reading_follows_the_order_of_writing() -> None:
    """Cells 3, 0, 4 are written one after the other by the second head; the first writes nothing."""
    links, precedence = jnp.zeros((WRITES, CELLS, CELLS)), jnp.zeros((WRITES, CELLS))
    for cell in (3, 0, 4):
        written = jnp.zeros((WRITES, CELLS)).at[1, cell].set(1.0)
        links = addressing.links_after(links, precedence, written)
        precedence = addressing.precedence_after(precedence, written)
    at_zero = jnp.eye(CELLS)[0]
    assert addressing.forward(links, at_zero)[1].tolist() == [0, 0, 0, 0, 1]
    assert addressing.backward(links, at_zero)[1].tolist() == [0, 0, 0, 1, 0]
    assert not addressing.forward(links, at_zero)[0].any()


def test_read_modes() -> None:
    modes, before = RNG.random(1 + 2 * WRITES), weightings(1)[0]
    content = weightings(1)[0]
    links = f32(LINKS)
    found = addressing.read_weighting(
        f32(modes),
        addressing.backward(links, f32(before)),
        f32(content),
        addressing.forward(links, f32(before)),
    )
    assert close(found, oracle.read_weighting(modes.tolist(), LINKS, content.tolist(), before))

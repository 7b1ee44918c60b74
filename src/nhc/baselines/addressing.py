"""How the differentiable neural computer (DNC) finds memory cells: soft weightings over all of them.

Graves et al. 2016, "Hybrid computing using a neural network with dynamic external memory", section
"Methods". The paper has one write head; several take turns as in the public code of its authors (`dnc`):
each head allocates after the cells that the heads before it took, and has a link matrix of its own.
A weighting has a non-negative entry per cell, and a sum of at most 1.
"""

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from nhc.shapes import Scalar

EPSILON = 1e-6
"""Keeps norms and logarithms differentiable at zero, as in the public code."""

Memory = Float[Array, "cells word"]
Weighting = Float[Array, " cells"]
HeadWeightings = Float[Array, "heads cells"]
Words = Float[Array, "heads word"]
Gates = Float[Array, " heads"]
Links = Float[Array, "writes cells cells"]


def content_weighting(memory: Memory, key: Float[Array, " word"], strength: Scalar) -> Weighting:
    """C(M, k, β)[i] = exp(β D(k, M[i])) / Σ_j exp(β D(k, M[j])); D is the cosine."""
    norms = jnp.sqrt((memory**2).sum(axis=1) + EPSILON) * jnp.sqrt((key**2).sum() + EPSILON)
    return jax.nn.softmax(strength * (memory @ key) / norms)


def retention(free_gates: Gates, read: HeadWeightings) -> Weighting:
    """ψ = Π_i (1 - f^i w^{r,i}): the share of each cell that no read head of the last tick sets free."""
    return jnp.prod(1 - free_gates[:, None] * read, axis=0)


def usage_after(usage: Weighting, written: HeadWeightings, retained: Weighting) -> Weighting:
    """u = (u' + w^w - u' w^w) ψ; with several write heads w^w = 1 - Π_i (1 - w^{w,i})."""
    together = 1 - jnp.prod(1 - written, axis=0)
    return (usage + together - usage * together) * retained


def allocation(usage: Weighting) -> Weighting:
    """a[φ_j] = (1 - u[φ_j]) Π_{i<j} u[φ_i], where φ sorts the cells by usage; the lower cell first on ties.

    Cell by cell: the product over all cells that come earlier in φ, as the exponential of a sum.
    """
    bounded = EPSILON + (1 - EPSILON) * usage
    number = jnp.arange(len(usage))
    less = bounded[None, :] < bounded[:, None]
    tied_before = (bounded[None, :] == bounded[:, None]) & (number[None, :] < number[:, None])
    earlier = (less | tied_before).astype(bounded.dtype)
    return (1 - bounded) * jnp.exp(earlier @ jnp.log(bounded))


def allocations(usage: Weighting, gates: Gates) -> HeadWeightings:
    """The allocation of each write head in turn: u ← u + (1 - u) g a before the next head.

    `gates` is the product of write gate and allocation gate, g^w g^a.
    """
    found = []
    for gate in gates:
        weighting = allocation(usage)
        found.append(weighting)
        usage = usage + (1 - usage) * gate * weighting
    return jnp.stack(found)


def write_weighting(
    allocated: HeadWeightings, content: HeadWeightings, allocation_gates: Gates, write_gates: Gates
) -> HeadWeightings:
    """w^w = g^w (g^a a + (1 - g^a) c)."""
    share = allocation_gates[:, None]
    return write_gates[:, None] * (share * allocated + (1 - share) * content)


def memory_after(memory: Memory, weightings: HeadWeightings, erase: Words, values: Words) -> Memory:
    """M = M' Π_i (1 - w^i e^iᵀ) + Σ_i w^i v^iᵀ: what all heads erase, then what all of them add."""
    kept = jnp.prod(1 - weightings[:, :, None] * erase[:, None, :], axis=0)
    return memory * kept + weightings.T @ values


def precedence_after(precedence: HeadWeightings, written: HeadWeightings) -> HeadWeightings:
    """p = (1 - Σ_i w[i]) p' + w, for each write head: the cells that it wrote last."""
    return (1 - written.sum(axis=1, keepdims=True)) * precedence + written


def links_after(links: Links, precedence: HeadWeightings, written: HeadWeightings) -> Links:
    """L[i, j] = (1 - w[i] - w[j]) L'[i, j] + w[i] p'[j], L[i, i] = 0, for each write head.

    L[i, j] is the degree to which cell i was written right after cell j.
    """
    to, origin = written[:, :, None], written[:, None, :]
    after = (1 - to - origin) * links + to * precedence[:, None, :]
    return after * (1 - jnp.eye(links.shape[1]))[None]


def forward(links: Links, read: Weighting) -> HeadWeightings:
    """f = L w^r for each write head: the cells written after those that were read."""
    return links @ read


def backward(links: Links, read: Weighting) -> HeadWeightings:
    """b = Lᵀ w^r for each write head: the cells written before those that were read."""
    return read @ links


def read_weighting(
    modes: Float[Array, " modes"], back: HeadWeightings, content: Weighting, ahead: HeadWeightings
) -> Weighting:
    """w^r = π_1 b + π_2 c + π_3 f; with several write heads each has its own π_1 and π_3.

    `modes` has 1 + 2 writes entries that sum to 1: those of b for each write head, of c, of f for each head.
    """
    writes = len(back)
    return modes[:writes] @ back + modes[writes] * content + modes[writes + 1 :] @ ahead

"""Does a world keep its promises?  Cheap checks on sampled states, so that mistakes have names.

Learning takes its labels from the world itself: where `act` and `step` disagree, networks would learn both.
"""

from typing import cast

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.data.exact import ExactLocal
from nhc.domains.local import (
    FiniteWorld,
    LocalWorld,
    WordForm,
    held_in,
    inserted,
    one_hot,
    view_of,
    views_of,
)
from nhc.domains.protocol import BRANCHING, NOP, OPS, StateT
from nhc.domains.registry import AnyState
from nhc.domains.states import picked, plain
from nhc.errors import InputError
from nhc.streams import random_stream

SAMPLED = 512
SINGLE = 8
"""States that are also tried one by one, as plain integers."""
COUNTED = 200_000
"""Families of at most so many states are counted."""
MEMBERS = (
    *("name", "family", "word_bits", "sample", "step", "key", "encode", "decode"),
    *("form", "contents", "cells_in_view", "act", "family_size", "family_states", "views"),
)


def check_world(world: FiniteWorld[StateT], *, seed: int = 0) -> None:
    """Compare the parts of a world with each other, on 512 sampled states and every operation.

    Raises InputError, whose message names a state at fault where there is one: `world.members` (parts are
    missing), `world.form`, `world.symbols`, `world.encoding`, `world.key`, `world.view`, `world.views`,
    `world.step`, `world.act`, `world.size`, `world.states`, `world.jax` (JAX cannot trace the local view or
    the rule, or computes something else).
    """
    require_members(world)
    check_form(world.form, world.word_bits)
    states = world.sample(random_stream(seed, "world check"), SAMPLED)
    contents = checked_contents(world, states)
    check_encoding(world, states, contents)
    check_steps(world, states)
    check_keys(world, states)
    cells = checked_cells(world, contents)
    view = views_of(world, contents)
    known = {tuple(row) for row in world.views().tolist()}
    for row, slots in enumerate(view.tolist()):
        if tuple(slots) not in known:
            fail("world.views", world, states, row, f"its view {slots} is not among the world's views")
    for op in range(len(OPS)):
        check_act(world, states, contents, cells, op)
    check_family(world, states)
    check_traced(world, states)


def require_members(world: object) -> None:
    """Raises InputError (`world.members`) for what lacks parts of a world."""
    missing = [name for name in MEMBERS if not hasattr(world, name)]
    if missing:
        raise InputError("world.members", f"expected a FiniteWorld, found none of {', '.join(missing)}")


def fail(code: str, world: LocalWorld[StateT], states: StateT, row: int, message: str) -> None:
    """Raise the error, with the state it is about."""
    raise InputError(code, f"{world.name}: state {plain(picked(states, row))}: {message}")


def check_form(form: WordForm, word_bits: int) -> None:
    """Raises InputError (`world.form`) unless the parts of a form fit together."""
    expected = form.lacks
    if expected is None and word_bits != form.word_bits:
        expected = "`word_bits` = cells * symbols"
    if expected is not None:
        raise InputError("world.form", f"expected {expected}, found {form} and {word_bits} bits")


def checked_contents(world: LocalWorld[StateT], states: StateT) -> NDArray[np.uint8]:
    """The contents. Raises InputError (`world.symbols`) for another shape or numbers that are no symbols."""
    contents, form = np.asarray(world.contents(states)), world.form
    if contents.shape != (SAMPLED, form.cells) or contents.dtype != np.uint8:
        message = f"contents: expected uint8 ({SAMPLED}, {form.cells}), found {contents.dtype} "
        raise InputError("world.symbols", f"{world.name}: {message}{contents.shape}")
    wrong = np.argwhere(contents >= len(form.symbols))
    for row, cell in wrong[:1].tolist():
        message = f"cell {cell}: expected a symbol of 0..{len(form.symbols) - 1}, found {contents[row, cell]}"
        fail("world.symbols", world, states, row, message)
    return contents


def check_encoding(world: LocalWorld[StateT], states: StateT, contents: NDArray[np.uint8]) -> None:
    """Raises InputError (`world.encoding`) unless words are one-hot contents and decode to their states."""
    words = np.asarray(world.encode(states))
    wanted = one_hot(contents, len(world.form.symbols))
    if words.shape != wanted.shape:
        message = f"encode: expected shape {wanted.shape}, found {words.shape}"
        raise InputError("world.encoding", f"{world.name}: {message}")
    for row in np.flatnonzero((words != wanted).any(axis=1))[:1].tolist():
        fail("world.encoding", world, states, row, "its word is not its contents in one-hot groups")
    for row in range(SINGLE):
        state, back = plain(picked(states, row)), plain(world.decode(words[row]))
        if back != state:
            fail("world.encoding", world, states, row, f"its word decodes to {back}")


def check_keys(world: LocalWorld[StateT], states: StateT) -> None:
    """Raises InputError (`world.key`) unless keys are equal exactly if words are, among each state and what
    two operations make of it; keys of unrelated states may be equal."""
    made = [states]
    for parent in range(1 + BRANCHING):
        made += [world.step(made[parent], op) for op in range(BRANCHING)]
    keys = np.stack([np.asarray(world.key(part)) for part in made])
    contents = np.stack([world.contents(part) for part in made])
    for before in range(len(made)):
        same = (contents == contents[before]).all(axis=2)
        for _, row in np.argwhere((keys == keys[before]) != same)[:1].tolist():
            message = "two states near it have equal keys and different words, or the reverse"
            fail("world.key", world, states, row, message)


def check_steps(world: LocalWorld[StateT], states: StateT) -> None:
    """Raises InputError (`world.step`) unless a state alone goes where it goes in a batch."""
    for op in range(BRANCHING):
        after = world.step(states, op)
        for row in range(SINGLE):
            wanted = plain(picked(after, row))
            found = plain(world.step(plain(picked(states, row)), op))
            if found != wanted:
                message = f"operation {op} leads to {found} alone and to {wanted} in a batch"
                fail("world.step", world, states, row, message)


def checked_cells(world: LocalWorld[StateT], contents: NDArray[np.uint8]) -> NDArray[np.integer]:
    """The cells in view. Raises InputError (`world.view`) for another shape or numbers that are no cells."""
    cells, form = np.asarray(world.cells_in_view(contents)), world.form
    if cells.shape != (SAMPLED, form.slots):
        message = f"cells_in_view: expected shape {(SAMPLED, form.slots)}, found {cells.shape}"
        raise InputError("world.view", f"{world.name}: {message}")
    for row, slot in np.argwhere((cells < -1) | (cells >= form.cells))[:1].tolist():
        message = f"slot {slot}: expected a cell of 0..{form.cells - 1} or -1 for none, found "
        raise InputError("world.view", f"{world.name}: {message}{cells[row, slot]}")
    return cells


def check_act(
    world: LocalWorld[StateT],
    states: StateT,
    contents: NDArray[np.uint8],
    cells: NDArray[np.integer],
    op: int,
) -> None:
    """Raises InputError (`world.act`) unless the local rule, inserted, makes what `step` makes."""
    form, ops = world.form, np.full(SAMPLED, op)
    view = view_of(form, contents, cells)
    changed, after = (np.asarray(part) for part in world.act(view, ops))
    if changed.shape != (SAMPLED,) or after.shape != (SAMPLED, form.changes):
        expected = f"shapes {(SAMPLED,)} and {(SAMPLED, form.changes)}"
        message = f"act: expected {expected}, found {changed.shape} and {after.shape}"
        raise InputError("world.act", f"{world.name}: {message}")
    wanted = contents if op == NOP else world.contents(world.step(states, op))
    held = held_in(form, view, ops)
    made = inserted(form, contents, cells, ops, changed, after)
    name = f"operation {op}" if op < NOP else "nop"
    for faults, message in (
        ((made != wanted).any(axis=1), "`act` makes {made} where `step` makes {wanted}"),
        (changed != (wanted != contents).any(axis=1), "`act` is wrong about whether anything changes"),
        ((after != held).any(axis=1) & ~changed, "`act` reports {after} for slots that still hold {held}"),
    ):
        for row in np.flatnonzero(faults)[:1].tolist():
            values = {"made": made, "wanted": wanted, "after": after, "held": held}
            shown = {key: value[row].tolist() for key, value in values.items()}
            fail("world.act", world, states, row, f"{name}: {message.format(**shown)}")


def check_traced(world: LocalWorld[StateT], states: StateT) -> None:
    """Raises InputError (`world.jax`) unless JAX can trace view and rule, and they do the same there."""
    modules = ExactLocal(cast("LocalWorld[AnyState]", world))

    @jax.jit
    def composed(op: jax.Array, word: jax.Array) -> jax.Array:
        changed, change = modules.alu(op, modules.view(word))
        return modules.insert(changed, change, word)

    words = world.encode(states)
    for op in range(BRANCHING):
        try:
            made = np.asarray(composed(jnp.full(SAMPLED, op), jnp.asarray(words)))
        except Exception as error:
            lines = str(error).splitlines() or [type(error).__name__]
            message = f"cells_in_view or act cannot be traced by JAX: {lines[0]}"
            raise InputError("world.jax", f"{world.name}: {message}") from error
        for row in np.flatnonzero((made != world.encode(world.step(states, op))).any(axis=1))[:1].tolist():
            fail("world.jax", world, states, row, f"operation {op}: JAX computes another state than NumPy")


def check_family(world: FiniteWorld[StateT], states: StateT) -> None:
    """Raises InputError: `world.size` if there are not as many states as the formula says, `world.states` if
    one comes twice, or samples or successors are outside."""
    if world.family_size > COUNTED:
        return
    words = [word for part in world.family_states() for word in words_of(world, part)]
    if len(words) != world.family_size:
        message = f"expected {world.family_size:,} states by formula, found {len(words):,}"
        raise InputError("world.size", f"{world.name}: {message}")
    family = {*words}
    if len(family) != len(words):
        raise InputError("world.states", f"{world.name}: a state of the family comes twice")
    made = {"it was drawn, but is not of the family": states}
    made |= {f"operation {op} leads out of the family": world.step(states, op) for op in range(BRANCHING)}
    for message, after in made.items():
        for row, word in enumerate(words_of(world, after)):
            if word not in family:
                fail("world.states", world, states, row, message)


def words_of(world: LocalWorld[StateT], states: StateT) -> list[bytes]:
    """The contents of each state, to compare and to look up."""
    return [row.tobytes() for row in world.contents(states)]

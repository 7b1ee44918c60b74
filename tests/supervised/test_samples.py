"""Fresh rows: labels against other code, kinds of pairs, uniform draws."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.exact_local import ExactLocal
from nhc.domains.local import one_hot
from nhc.domains.sokoban import Board, Sokoban
from nhc.supervised.rows import KINDS, changed_cell, fresh_rows, pair_rows, split, swapped
from tests.supervised.corridor import CELLS, FORM, Corridor, move

BOARD = Board(6, 6)
SOKOBAN = Sokoban(BOARD)
COUNT = 2000


def rows_of(world: Corridor | Sokoban, module: str, seed: int = 0) -> dict[str, np.ndarray]:
    rows = fresh_rows(world, module, np.random.default_rng(seed), COUNT)
    return split(world.form, module, rows)


def test_labels_of_sokoban_are_those_of_the_exact_modules() -> None:
    exact, symbols = ExactLocal(SOKOBAN), 4
    view, alu, insert = (jax.jit(part) for part in (exact.view, exact.alu, exact.insert))
    views = rows_of(SOKOBAN, "transform_d")
    words = jnp.asarray(one_hot(views["contents"], symbols))
    assert (view(words) == one_hot(views["view"], symbols)).all()
    acts = rows_of(SOKOBAN, "alu")
    op = jnp.asarray(acts["op"][:, 0].astype(np.int32))
    changed, change = alu(op, jnp.asarray(one_hot(acts["view"], symbols)))
    assert (changed == (acts["changed"][:, 0] == 1)).all()
    assert (change[:, 4:] == one_hot(acts["after"], symbols)).all()
    rows = rows_of(SOKOBAN, "output")
    op = jnp.asarray(rows["op"][:, 0].astype(np.int32))
    words = jnp.asarray(one_hot(rows["contents"], symbols))
    changed, change = alu(op, view(words))
    assert (changed == (rows["changed"][:, 0] == 1)).all()
    assert (change[:, 4:] == one_hot(rows["after"], symbols)).all()
    assert (insert(changed, change, words) == one_hot(rows["wanted"], symbols)).all()
    assert 0.2 < float(changed.mean()) < 0.6


def test_labels_of_the_corridor_follow_its_rule() -> None:
    rows = rows_of(Corridor(), "output")
    for before, op, after in zip(rows["contents"], rows["op"][:, 0], rows["wanted"], strict=True):
        agent, boxes = before.tolist().index(0), sum(1 << cell for cell in np.flatnonzero(before == 1))
        agent, boxes = move(agent, boxes, int(op))
        expected = [0 if cell == agent else 2 - (boxes >> cell & 1) for cell in range(CELLS)]
        assert after.tolist() == expected


def test_operations_and_views_are_uniform() -> None:
    for module in ("alu", "output"):
        counts = np.bincount(rows_of(SOKOBAN, module)["op"][:, 0], minlength=5)
        assert (abs(counts - COUNT / 5) < 5 * np.sqrt(COUNT / 5)).all()
    views = rows_of(Corridor(), "alu")["view"]
    found, counts = np.unique(views, axis=0, return_counts=True)
    assert (found == Corridor().views()).all()
    expected = COUNT / len(found)
    assert (abs(counts - expected) < 6 * np.sqrt(expected)).all()


@pytest.mark.parametrize("world", [Corridor(), SOKOBAN])
def test_a_quarter_of_the_pairs_is_of_each_kind(world: Corridor | Sokoban) -> None:
    rows = split(world.form, "input", pair_rows(world, np.random.default_rng(1), COUNT))
    apart = (rows["left"] != rows["right"]).sum(axis=1)
    quarter, slack = COUNT / KINDS, 5 * np.sqrt(COUNT / KINDS)
    # Two random states of the corridor are sometimes equal, or differ in two cells.
    if world is SOKOBAN:
        for number in (0, 1, 2):
            assert abs((apart == number).sum() - quarter) < slack, number
    assert (apart == 1).sum() > quarter - slack
    words = rows["left"], rows["right"]
    assert all(word.max() < len(world.form.symbols) for word in words)
    single = apart == 1
    places = (rows["left"] != rows["right"])[single].argmax(axis=1)
    assert set(places.tolist()) == set(range(world.form.cells))
    cells = np.arange(len(places)), places
    kinds = {*zip(*(word[single][cells].tolist() for word in words), strict=True)}
    assert len(kinds) == len(world.form.symbols) * (len(world.form.symbols) - 1), "each ordered pair"


def test_swapped_and_changed_words() -> None:
    rng = np.random.default_rng(2)
    contents = Corridor().contents(Corridor().sample(rng, 500))
    other = swapped(contents, rng)
    assert (np.sort(other, axis=1) == np.sort(contents, axis=1)).all()
    assert ((other != contents).sum(axis=1) == 2).all()
    assert ((changed_cell(FORM, contents, rng) != contents).sum(axis=1) == 1).all()
    alike = np.full((3, CELLS), 2, np.uint8)
    assert (swapped(alike, rng) == alike).all(), "nothing to swap with"

"""The sampled world: its family, its distribution, the identity of its states."""

import numpy as np
import pytest

from nhc.domains.sokoban import Board, Sokoban, State
from nhc.errors import ConfigError
from tests.domains.sokoban.sokoban_twin import stack

SIZES = [(6, 6), (5, 5), (8, 8), (5, 7), (12, 5)]


def counts(bits):
    return np.bitwise_count(bits)


@pytest.mark.parametrize("size", SIZES)
def test_samples_belong_to_the_family(size):
    board = Board(*size)
    walls, boxes, agent = Sokoban(board).sample(np.random.default_rng(8), 2000)
    rim = np.uint64(board.rim)
    assert all(field.shape == (2000,) and field.dtype == np.uint64 for field in (walls, boxes, agent))
    assert ((walls & rim) == rim).all()
    assert (((boxes | agent) & walls) == 0).all()
    assert ((boxes & agent) == 0).all()
    assert set(counts(walls ^ rim)) == {0, 1, 2}
    assert set(counts(boxes)) == {1, 2, 3, 4, 5}
    assert set(counts(agent)) == {1}
    assert ((walls | boxes | agent) <= np.uint64(board.full)).all()


def frequencies(bits, cells):
    return np.array([((bits >> np.uint64(cell)) & np.uint64(1)).mean() for cell in cells])


def test_counts_and_places_are_uniform():
    board, count = Board(6, 5), 60_000
    walls, boxes, agent = Sokoban(board).sample(np.random.default_rng(9), count)
    walls = walls ^ np.uint64(board.rim)
    for values, expected in ((counts(walls), 3), (counts(boxes), 5)):
        shares = np.unique(values, return_counts=True)[1] / count
        assert np.abs(shares - 1 / expected).max() < 0.01
    inner = board.inner_cells()
    assert np.abs(frequencies(agent, inner) - 1 / 12).max() < 0.006
    assert np.abs(frequencies(walls, inner) - 1 / 12).max() < 0.006
    assert np.abs(frequencies(boxes, inner) - 3 / 12).max() < 0.008
    two = walls[counts(walls) == 2]
    pairs = np.unique(two, return_counts=True)[1] / len(two)
    assert len(pairs) == 66
    assert np.abs(pairs - 1 / 66).max() < 0.006


def test_wall_and_box_counts_are_independent():
    walls, boxes, _ = Sokoban(Board(6, 6)).sample(np.random.default_rng(10), 30_000)
    joint = np.zeros((3, 6))
    np.add.at(joint, (counts(walls) - 20, counts(boxes)), 1 / 30_000)
    assert np.abs(joint[:, 1:] - 1 / 15).max() < 0.008


def test_a_sample_depends_on_the_generator_only():
    first, second, other = (Sokoban(Board(6, 6)).sample(np.random.default_rng(s), 50) for s in (1, 1, 2))
    assert all((a == b).all() for a, b in zip(first, second, strict=True))
    assert not (first.boxes == other.boxes).all()


def test_five_by_five_packs_its_nine_cells():
    walls, boxes, agent = Sokoban(Board(5, 5)).sample(np.random.default_rng(11), 3000)
    assert counts(walls | boxes | agent).max() == 16 + 8


@pytest.mark.parametrize("size", [(4, 5), (9, 8), (3, 9)])
def test_sampling_refuses_sizes_it_cannot_draw(size):
    with pytest.raises(ConfigError) as caught:
        Sokoban(Board(*size)).sample(np.random.default_rng(0), 1)
    assert caught.value.code == "board.size"


@pytest.mark.parametrize("size", SIZES)
def test_keys_are_equal_exactly_if_boxes_and_agent_are(size):
    board = Board(*size)
    world, rng = Sokoban(board), np.random.default_rng(12)
    _, boxes, agent = world.sample(rng, 400)
    boxes, agent = np.tile(boxes[:200], 2), np.concatenate([agent[:200], agent[rng.permutation(200)]])
    keys = world.key(State(np.uint64(0), boxes, agent))
    assert keys.dtype == np.uint64
    by_pair = {}
    for pair, key in zip(zip(boxes.tolist(), agent.tolist(), strict=True), keys.tolist(), strict=True):
        assert by_pair.setdefault(pair, key) == key
    assert len(set(by_pair.values())) == len(by_pair)


@pytest.mark.parametrize("size", [(w, h) for w in range(3, 22) for h in range(3, 22) if w * h <= 64])
def test_a_key_holds_every_inner_bit(size):
    """Each inner cell's box shows in the key, and the agent's cell can be read back from it."""
    board = Board(*size)
    world, inner = Sokoban(board), board.inner_cells()
    everywhere = sum(2**cell for cell in inner)
    for cell in (inner[0], inner[-1]):
        state = stack([State(0, everywhere, 2**cell)])
        key = int(world.key(state)[0])
        assert key % 64 == cell
        assert (key // 64) << board.width == everywhere


def test_key_keeps_leading_shapes_and_broadcasts():
    world = Sokoban(Board(5, 7))
    state = world.sample(np.random.default_rng(13), 12)
    flat = world.key(state)
    shaped = world.key(State(*(field.reshape(3, 4) for field in state)))
    np.testing.assert_array_equal(shaped.ravel(), flat)


def test_key_refuses_large_boards():
    with pytest.raises(ConfigError) as caught:
        Sokoban(Board(13, 5)).key(State(0, 0, 2**14))
    assert caught.value.code == "board.size"


def test_the_world_passes_on_to_rules_and_encoding():
    world = Sokoban(Board(5, 7))
    assert world.name == "sokoban-5x7"
    assert world.word_bits == 140
    assert "0 to 2 inner walls, 1 to 5 boxes" in world.family
    state = world.sample(np.random.default_rng(14), 9)
    back = world.decode(world.encode(state))
    assert all((a == b).all() for a, b in zip(state, back, strict=True))
    single = State(*(int(field[0]) for field in state))
    for op in range(4):
        assert int(world.step(state, op).agent[0]) == world.step(single, op).agent

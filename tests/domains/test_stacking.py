"""Stacking against lists of boxes, on every arrangement."""

import re

import numpy as np
import pytest

from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import ReadableDomain
from nhc.domains.stacking import Stacking, Stacks
from nhc.domains.states import joined, picked, plain
from nhc.errors import ConfigError, InputError
from tests.domains.worlds import arrangements, bits, grip, stacks, views_of

WORLD = Stacking()
PLACES, HELD = [[2], [], [5, 1, 3], []], 4


def family(world: Stacking) -> Stacks:
    return joined(list(world.family_states()))


def test_it_is_a_finite_world_that_can_be_read() -> None:
    assert isinstance(WORLD, FiniteWorld) and isinstance(WORLD, ReadableDomain)
    assert (WORLD.name, WORLD.word_bits, WORLD.form.word_bits) == ("stacking", 78, 78)
    assert (Stacking(3).name, Stacking(3).word_bits) == ("stacking-3", 52)
    assert hash(WORLD) == hash(Stacking(5)) != hash(Stacking(4))


@pytest.mark.parametrize("boxes", [0, 10])
def test_the_number_of_boxes_has_limits(boxes: int) -> None:
    with pytest.raises(ConfigError) as caught:
        Stacking(boxes)
    assert caught.value.code == "stacking.boxes"


@pytest.mark.parametrize(("boxes", "size"), [(1, 5), (2, 28), (3, 180), (4, 31 * 24 + 20 * 24), (5, 8_520)])
def test_the_family_is_every_arrangement_once(boxes: int, size: int) -> None:
    world = Stacking(boxes)
    keys = world.key(family(world)).tolist()
    assert len(keys) == len(set(keys)) == world.family_size == size
    assert set(keys) == {stacks(places, held).code for places, held in arrangements(boxes)}


@pytest.mark.parametrize("boxes", [9, 8])
def test_formula_and_enumeration_agree_where_places_get_full(boxes: int) -> None:
    """By shapes: a full family has millions of states."""
    from math import factorial

    from nhc.domains.stacking import shapes

    assert len(shapes(boxes)) * factorial(boxes) == Stacking(boxes).family_size


def test_steps_are_those_of_a_slow_twin_on_every_arrangement() -> None:
    every = list(arrangements(5))
    batch = Stacks(np.array([stacks(*state).code for state in every], np.uint64))
    idle = 0
    for op in range(4):
        after = WORLD.step(batch, op).code
        assert after.dtype == np.uint64
        expected = [stacks(*grip(*state, op)).code for state in every]
        assert after.tolist() == expected
        idle += int((after == batch.code).sum())
    assert 0 < idle < 10_000
    for row in range(0, len(every), 97):
        state = plain(picked(batch, row))
        for op in range(4):
            alone = WORLD.step(state, op)
            assert type(alone.code) is int
            assert alone == stacks(*grip(*every[row], op))


def test_words_are_one_hot_cells_in_order() -> None:
    word = WORLD.encode(stacks(PLACES, HELD))
    assert word.dtype == np.uint8
    assert word.tolist() == bits([2, 0, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 4], 6)


def test_decode_is_the_inverse_of_encode() -> None:
    states = family(WORLD)
    words = WORLD.encode(states)
    assert WORLD.decode(words).code.tolist() == states.code.tolist()
    assert WORLD.decode(words.reshape(8, 1065, 78)).code.shape == (8, 1065)
    assert type(WORLD.decode(words[9]).code) is int


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ([2, 0, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0], "a word has 78 bits, these have shape (2, 72)"),
        (
            [2, 6, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 4],
            "cell 1 of word [0] must have exactly one",
        ),
        ([2, 0, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 0], "expected every box once in word [0]"),
        ([2, 0, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 5], "expected every box once in word [0]"),
        ([2, 4, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 4], "expected every box once in word [0]"),
        ([0, 2, 0, 0, 0, 0, 5, 1, 3, 0, 0, 0, 4], "expected no empty cell below a box in word [0]"),
        ([2, 0, 4, 0, 0, 0, 5, 1, 3, 0, 0, 0, 0], "expected no empty cell below a box in word [0]"),
    ],
)
def test_words_of_no_arrangement_are_refused(contents: list[int], message: str) -> None:
    words = np.array([bits(contents, 6)] * 2, np.uint8)
    with pytest.raises(InputError, match=re.escape(message)) as caught:
        WORLD.decode(words)
    assert caught.value.code == "word.invalid"
    with pytest.raises(InputError):
        WORLD.decode(words[0])


@pytest.mark.parametrize("boxes", [1, 2, 4, 5])
def test_views_are_those_that_occur(boxes: int) -> None:
    world = Stacking(boxes)
    views = world.views()
    assert len(views) == len(np.unique(views, axis=0))
    assert set(map(tuple, views.tolist())) == views_of(world, family(world))


def test_the_view_shows_gripper_tops_and_free_cells() -> None:
    contents = WORLD.contents(stacks(PLACES, HELD))
    assert WORLD.cells_in_view(contents).tolist() == [12, 0, 1, -1, 3, 8, -1, -1, 9]


def test_the_sampler_is_uniform_over_the_family() -> None:
    world = Stacking(3)
    keys, counts = np.unique(world.key(world.sample(np.random.default_rng(1), 36_000)), return_counts=True)
    assert len(keys) == 180
    assert abs(counts - 200).max() < 5 * 200**0.5


def test_arrangements_for_people() -> None:
    state = stacks(PLACES, HELD)
    assert WORLD.draw(state) == "  [4]  \n. . 3 .\n. . 1 .\n2 . 5 ."
    assert WORLD.draw(stacks([[2], [4], [5, 1, 3], []], None)).startswith("  [.]  \n")
    assert WORLD.state_to_json(state) == {"places": PLACES, "held": 4}
    assert WORLD.plan_text(state, [0, 3]) == "place-0 place-3"
    for places, held in list(arrangements(5))[::101]:
        assert WORLD.state_from_json({"held": held, "places": places}) == stacks(places, held)
        form = WORLD.state_to_json(stacks(places, held))
        assert form == {"places": places, "held": held}


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ([PLACES, HELD], "an object of places and held"),
        ({"places": PLACES}, "an object of places and held"),
        ({"places": PLACES[:3], "held": HELD}, "a list of 4 places"),
        ({"places": [[2], [], [5, 1, 3, 4], []], "held": None}, "a list of 0 to 3 boxes"),
        ({"places": PLACES, "held": 6}, "a whole number from 1 to 5, found 6"),
        ({"places": PLACES, "held": 3}, "box 3 occurs 2 times"),
        ({"places": PLACES, "held": None}, "box 4 occurs 0 times"),
    ],
)
def test_json_of_no_arrangement_is_refused(value: object, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        WORLD.state_from_json(value)
    assert caught.value.code == "task.json"

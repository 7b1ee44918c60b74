"""The permuted encoding against bits that are moved one by one."""

from itertools import islice

import numpy as np
import pytest

from nhc.domains.local import FiniteWorld
from nhc.domains.permuted import CELLS, SYMBOLS, PermutedSokoban
from nhc.domains.protocol import ReadableDomain
from nhc.domains.sokoban import Board, Sokoban
from nhc.domains.states import joined, picked, plain
from nhc.errors import InputError
from tests.domains.worlds import views_of

INNER, WORLD = Sokoban(Board(6, 6)), PermutedSokoban()


def sample(count: int) -> tuple:
    return INNER.sample(np.random.default_rng(count), count)


def test_the_stored_permutation_moves_every_symbol_and_is_one() -> None:
    assert sorted(SYMBOLS) == [0, 1, 2, 3]
    assert all(new != old for old, new in enumerate(SYMBOLS))
    assert sorted(CELLS) == list(range(36))
    assert sum(new != old for old, new in enumerate(CELLS)) > 30
    assert (*CELLS[:3], *SYMBOLS) == (11, 27, 4, 3, 2, 1, 0), "stored words depend on it"


def test_it_is_a_finite_world_that_can_be_read() -> None:
    assert isinstance(WORLD, FiniteWorld) and isinstance(WORLD, ReadableDomain)
    assert (WORLD.name, WORLD.word_bits, WORLD.form.word_bits) == ("sokoban-permuted", 144, 144)
    assert WORLD.form.symbols == ("empty", "wall", "box", "agent")
    assert WORLD.form.symbols[WORLD.form.beyond] == "wall"
    assert hash(WORLD) == hash(PermutedSokoban())
    assert WORLD.family_size == INNER.family_size


def test_every_bit_of_a_word_has_its_place() -> None:
    states = sample(40)
    before, after = INNER.encode(states), WORLD.encode(states)
    for bit in range(WORLD.word_bits):
        cell, symbol = divmod(bit, 4)
        moved = 4 * int(CELLS[cell]) + int(SYMBOLS[symbol])
        assert after[:, moved].tolist() == before[:, bit].tolist()
    for field, back in zip(states, WORLD.decode(after), strict=True):
        assert back.tolist() == field.tolist()
    assert WORLD.decode(after[3]) == plain(picked(states, 3))


def test_words_of_no_state_are_refused() -> None:
    word = WORLD.encode(plain(picked(sample(1), 0)))
    for wrong in (word[1:], 1 - word, np.where(np.arange(144) // 4 == 7, 0, word).astype(np.uint8)):
        with pytest.raises(InputError) as caught:
            WORLD.decode(wrong)
        assert caught.value.code == "word.invalid"
    agents = word.reshape(36, 4)
    agents[agents[:, 3] == 1] = (1, 0, 0, 0)
    with pytest.raises(InputError, match="expected exactly one agent"):
        WORLD.decode(agents.reshape(-1))


def test_views_and_rules_are_those_of_sokoban_in_other_symbols() -> None:
    states = sample(60)
    cells, mine = INNER.cells_in_view(INNER.contents(states)), WORLD.cells_in_view(WORLD.contents(states))
    assert mine.tolist() == [[-1 if c < 0 else CELLS[c] for c in row] for row in cells.tolist()]
    views = INNER.views()[::41]
    renamed = np.array([[SYMBOLS[s] for s in view] for view in views.tolist()], np.uint8)
    for op in range(5):
        changed, after = INNER.act(views, np.full(len(views), op))
        same, mine = WORLD.act(renamed, np.full(len(views), op))
        assert same.tolist() == changed.tolist()
        assert mine.tolist() == [[SYMBOLS[s] for s in slots] for slots in after.tolist()]
        assert mine.dtype == np.uint8
    assert set(map(tuple, renamed.tolist())) <= set(map(tuple, WORLD.views().tolist()))
    assert len(WORLD.views()) == len(np.unique(WORLD.views(), axis=0)) == len(INNER.views())


def test_views_cover_those_that_occur() -> None:
    assert views_of(WORLD, sample(3_000)) <= set(map(tuple, WORLD.views().tolist()))


def test_states_steps_keys_and_sampler_are_those_of_sokoban() -> None:
    states = WORLD.sample(np.random.default_rng(50), 50)
    assert [field.tolist() for field in states] == [field.tolist() for field in sample(50)]
    assert WORLD.key(states).tolist() == INNER.key(states).tolist()
    for op in range(4):
        assert WORLD.step(states, op).boxes.tolist() == INNER.step(states, op).boxes.tolist()
    mine, theirs = (joined(list(islice(world.family_states(), 7))) for world in (WORLD, INNER))
    assert mine.agent.tolist() == theirs.agent.tolist()


def test_boards_for_people_are_those_of_sokoban() -> None:
    state = plain(picked(sample(1), 0))
    text = WORLD.draw(state)
    assert text == INNER.draw(state) == WORLD.state_to_json(state)
    assert WORLD.state_from_json(text) == state
    with pytest.raises(InputError) as caught:
        WORLD.state_from_json("#####\n#@  #\n#####")
    assert caught.value.code == "task.json"
    with pytest.raises(InputError) as caught:
        WORLD.state_from_json([1])
    assert caught.value.code == "task.json"

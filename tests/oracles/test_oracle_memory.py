"""Hand-computed tests of the oracle's memory: content, order of the writes, links, gates and soft erase."""

import numpy as np
import pytest

from tests.oracles.scripted import NEAR_B, A, B, C, D, filled, modes, scripted, step


def test_content_reads_the_most_similar_word_and_the_lowest_address_on_ties() -> None:
    oracle = filled([A, B, C, B])
    assert step(oracle, write_word=D, constrained_word=A, read_key=B).read == 1
    assert step(oracle, write_word=D, constrained_word=B, read_key=D).read == 4
    assert step(oracle, write_word=A, constrained_word=D, read_key=0).read == 0


def test_content_is_a_cosine_for_real_words() -> None:
    oracle = filled([2 * A + 3 * B, B], words="real")  # the dot product with A prefers cell 0
    tick = step(oracle, write_word=0.5 * A, constrained_erase=-99, read_key=A)
    assert tick.read == 2


def test_the_write_key_is_looked_up_after_the_constrained_write() -> None:
    oracle = filled([A, NEAR_B], allocation="learned")
    assert oracle.read == 0
    tick = step(oracle, 30, constrained_word=B, write_key=B, write_word=C, read_key=C)
    assert (tick.written, tick.read, tick.data_read) == (0, 0, 30)  # before it, NEAR_B at 1 was the best
    assert oracle.words.tolist() == [C.tolist(), NEAR_B.tolist()]  # the free write came second


def test_the_constrained_write_changes_one_control_word_only() -> None:
    oracle = filled([A, B, C], write_gate="learned")
    data, links = oracle.data, oracle.links
    tick = step(oracle, 99, constrained_word=D, read_key=C)
    assert (tick.written, tick.read) == (None, 2)
    assert oracle.words.tolist() == [D.tolist(), B.tolist(), C.tolist()]
    assert (oracle.data, oracle.links) == (data, links) and data == (10, 11, 12)


def test_the_read_comes_after_the_writes() -> None:
    oracle = filled([A])
    tick = step(oracle, 77, write_word=C, constrained_word=A, read_key=C)
    assert (tick.written, tick.read, tick.data_read, tick.word_read) == (1, 1, 77, tuple(C))


def test_usage_and_temporal_forward_see_the_cell_of_this_tick() -> None:
    oracle = filled([A])
    assert step(oracle, write_word=B, constrained_word=A, read_key=A).addresses == (0, 1, None, 1, None)
    # r(t-1) = 0 again: temporal forward stays with the next cell written, usage forward is the latest.
    assert step(oracle, write_word=B, constrained_word=A, read_key=A).addresses == (0, 1, None, 2, None)


def test_links_of_new_cells() -> None:
    oracle = scripted()
    step(oracle, write_word=A, read_key=A)
    step(oracle, write_word=B, constrained_word=A, read_key=B)  # cell 1 from 0, read 1
    step(oracle, write_word=C, constrained_word=B, read_key=A)  # cell 2 from 1, read 0
    tick = step(oracle, write_word=D, constrained_word=A, read_key=B)  # cell 3 from 0, read 1
    assert oracle.links == ((1, None, 3, None), (2, 0, 2, 0), (3, 1, None, 1), (None, 2, None, 0))
    assert tick.addresses == (1, 1, None, 3, None)
    tick = step(oracle, write_word=D, constrained_word=B, read_modes=modes(usage_backward=1))
    assert (tick.addresses, tick.winner, tick.read) == ((0, 2, 0, 4, 0), 4, 0)


def test_writing_an_old_cell_unlinks_it_and_relinks_it_as_the_last() -> None:
    oracle = scripted(allocation="learned")
    step(oracle, write_word=A, read_key=A)
    step(oracle, write_word=B, constrained_word=A, read_key=A, write_allocation=1)  # cell 1 from 0
    step(oracle, write_word=C, constrained_word=A, read_key=C, write_allocation=1)  # cell 2 from 0, read 2
    step(oracle, write_word=D, constrained_word=C, read_key=C, write_allocation=1)  # cell 3 from 2, read 2
    assert oracle.links == ((1, None, 2, None), (2, 0, None, 0), (3, 1, 3, 0), (None, 2, None, 2))
    tick = step(oracle, 55, write_key=B, write_word=-A, constrained_word=C, read_key=A)
    assert (tick.written, tick.read, oracle.data[1]) == (1, 0, 55)
    # 0 and 2 are not joined; 1 follows 3; the parent of 1 is 2 now, whose usage forward moved from 3 to 1.
    assert oracle.links == ((None, None, 2, None), (None, 3, None, 2), (3, None, 1, 0), (1, 2, None, 2))
    # Cell 3 from 0: its neighbours 2 and 1 lose it, then it follows 1, the last.
    step(oracle, write_key=D, write_word=D, constrained_word=A, read_key=A)
    assert oracle.links == ((None, None, 3, None), (3, None, None, 2), (None, None, 1, 0), (None, 1, None, 0))


def test_the_forward_link_of_an_old_parent_stays() -> None:
    oracle = scripted(allocation="learned")
    step(oracle, write_word=A, read_key=A)
    step(oracle, write_word=B, constrained_word=A, read_key=B, write_allocation=1)  # cell 1 from 0, read 1
    step(oracle, write_word=C, constrained_word=B, read_key=C, write_allocation=1)  # cell 2 from 1, read 2
    step(oracle, write_key=B, write_word=B, constrained_word=C)  # cell 1 from 2
    assert [(cell.usage_forward, cell.usage_backward) for cell in oracle.cells] == [(1, None), (2, 2), (1, 1)]


def test_rewriting_the_last_cell_keeps_its_temporal_links() -> None:
    oracle = filled([A, B, C], allocation="learned")
    step(oracle, write_key=C, write_word=D, constrained_word=A)
    assert oracle.links == ((1, None, 2, None), (2, 0, None, 0), (None, 1, None, 0))


def test_a_cell_written_from_itself_is_its_own_parent() -> None:
    oracle = filled([A, B], allocation="learned")
    tick = step(oracle, write_key=A, write_word=A, constrained_word=A, read_key=A)
    assert oracle.links == ((None, 1, 0, 0), (0, None, None, 0))
    assert tick.addresses == (0, None, 1, 0, 0)


def test_without_the_usage_link_both_usage_mechanisms_have_no_address() -> None:
    strong = modes(usage_forward=5, usage_backward=5)
    with_link, without = filled([A, B]), filled([A, B], usage_link=False)
    for oracle in (with_link, without):
        step(oracle, write_word=C, constrained_word=A, read_key=B)
    assert step(with_link, constrained_word=B, read_modes=strong, read_key=B).addresses == (1, 2, 0, 3, 0)
    tick = step(without, constrained_word=B, read_modes=strong, read_key=B)
    assert (tick.addresses, tick.winner) == ((1, 2, 0, None, None), 0)


@pytest.mark.parametrize(("value", "is_open"), [(-1, False), (0, False), (1e-6, True)])
def test_learned_gates_open_above_zero(value: float, is_open: bool) -> None:
    oracle = filled([A, B], constrained_gate="learned")
    step(oracle, constrained_word=C, constrained_gate=value)
    assert (oracle.words[0] == C).all() == is_open
    oracle = filled([A, B], write_gate="learned")
    assert step(oracle, write_gate=value).written == (2 if is_open else None)
    oracle = filled([A, B], allocation="learned")
    tick = step(oracle, constrained_word=A, write_key=B, write_allocation=value)
    assert (tick.written, len(oracle.cells)) == ((2, 3) if is_open else (1, 2))


def test_gates_set_to_always_ignore_their_rows() -> None:
    oracle = filled([A, B])
    tick = step(oracle, constrained_gate=-1, write_gate=-1, write_allocation=-1, constrained_word=C)
    assert tick.written == 2 and (oracle.words[0] == C).all()


def test_a_write_into_an_empty_memory_allocates_whatever_the_gate_says() -> None:
    tick = step(scripted(allocation="learned"), 3, write_allocation=-1)
    assert (tick.written, tick.data_read) == (0, 3)


def test_the_episode_ends_when_nothing_is_in_memory() -> None:
    oracle = scripted(write_gate="learned")
    tick = step(oracle, 3, read_modes=modes(content=2))
    assert (tick.written, tick.read, tick.data_read, tick.winner) == (None,) * 4
    assert tick.addresses == (None,) * 5 and tick.word_read == (0,) * 8
    assert oracle.words.shape == (0, 8) and oracle.data == () and oracle.links == ()
    with pytest.raises(RuntimeError, match="ended"):
        step(oracle, 3, write_gate=1)


def test_without_the_constrained_head_words_stay() -> None:
    oracle = filled([A, B], constrained_head=False)
    step(oracle, constrained_word=C)
    assert oracle.words[:2].tolist() == [A.tolist(), B.tolist()]


def test_soft_erase_of_old_and_new_cells() -> None:
    oracle = scripted(words="real", allocation="learned")
    step(oracle, write_word=4 * A, write_erase=np.log(3))
    assert oracle.words.tolist() == [[4] * 8]  # a new cell was zero
    step(oracle, constrained_word=1, constrained_erase=np.log(3), write_word=-3, write_erase=0)
    # Constrained 4 * (1 - 3/4) + 1 = 2, then the free write at the only address 2 * (1 - 1/2) - 3 = -2.
    assert oracle.words == pytest.approx(np.full((1, 8), -2.0))

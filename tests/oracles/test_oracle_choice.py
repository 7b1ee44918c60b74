"""Hand-computed tests of the read address that the oracle chooses, and of the gap that it reports."""

import numpy as np
import pytest

from tests.oracles.machine import (
    Cell,
)
from tests.oracles.scripted import A, B, five_addresses, modes, quiet, step


@pytest.mark.parametrize("late", range(1, 5))
@pytest.mark.parametrize("early", range(4))
def test_the_earlier_mechanism_wins_ties(early: int, late: int) -> None:
    values = np.zeros(5)
    values[[early, late]] = 1
    tick = step(five_addresses("winner"), read_key=A, read_modes=values)
    assert tick.addresses == (4, 3, 2, 1, 0)
    assert (tick.winner, tick.read) == (min(early, late), 4 - min(early, late))


def test_the_strongest_mechanism_without_an_address_has_no_vote() -> None:
    oracle = five_addresses("winner")
    oracle.cells[5].usage_forward = None
    tick = step(oracle, read_key=A, read_modes=[-3, -2, -1, 9, -4])
    assert (tick.winner, tick.read, tick.strengths) == (2, 2, (-3, -2, -1, 9, -4))


def test_sum_adds_the_weights_of_the_mechanisms_that_name_an_address() -> None:
    oracle = five_addresses("sum")
    oracle.cells[5].usage_backward = 3  # as temporal forward
    tick = step(oracle, read_key=A, read_modes=np.log([4, 3, 1, 1, 3]))
    assert (tick.addresses, tick.winner, tick.read) == ((4, 3, 2, 1, 3), None, 3)
    assert tick.gap == pytest.approx(0)  # the ops tie
    oracle.read = 5
    assert step(oracle, read_key=A, read_modes=np.log([7, 3, 1, 1, 3])).read == 4


def test_sum_reads_the_lowest_address_on_ties() -> None:
    assert step(five_addresses("sum"), read_key=A, read_modes=modes(content=1, temporal_backward=1)).read == 2
    assert step(five_addresses("sum"), read_key=A).read == 0


def test_softmax_counts_the_mechanisms_without_an_address() -> None:
    oracle = five_addresses("sum")
    oracle.cells[5] = Cell(5, B, temporal_forward=3)
    oracle.weights["transform_c.b"][0] = 9
    tick = step(oracle, read_key=A, read_modes=np.log([4, 3, 1, 1, 1]), write_gate=-9)
    assert tick.read == 4
    assert tick.gap == pytest.approx(0.1)  # 4/10 - 3/10, not 4/7 - 3/7


CLEAR = {"read_modes": [99, 0, 0, 0, 0], "read_key": 99 * A}


def test_gap_of_signs_that_are_written() -> None:
    values = [-5, 5, 5, -0.25, 5, 5, 5, 5]
    oracle = quiet()
    assert step(oracle, write_word=values, constrained_word=0.125, **CLEAR).gap == 0.25
    assert step(oracle, write_word=values, constrained_word=0.125, **CLEAR).gap == 0.125
    closed = quiet(write_gate="learned", constrained_gate="learned")
    step(closed, write_word=A, write_gate=7)
    assert step(closed, write_word=0.5, write_gate=-6, constrained_word=0.5, constrained_gate=-3).gap == 3
    assert step(quiet(words="real"), write_word=0.25).gap == 100


def test_gap_of_gates_that_decide() -> None:
    oracle = quiet(write_gate="learned", constrained_gate="learned", allocation="learned")
    heads = CLEAR | {"write_word": 50, "constrained_word": 50}
    # Without a cell read last the constrained gate decides nothing, nor allocation in an empty memory.
    assert step(oracle, **heads, write_gate=4, constrained_gate=2, write_allocation=3).gap == 4
    assert step(oracle, **heads, write_gate=4, constrained_gate=-9, write_allocation=3).gap == 3
    assert step(oracle, **heads, write_gate=4, constrained_gate=2, write_allocation=3).gap == 2
    assert step(oracle, **heads, write_gate=-4, constrained_gate=9, write_allocation=1).gap == 4


def test_gap_of_content_looks_at_different_words() -> None:
    oracle = quiet()
    heads = CLEAR | {"write_word": 90 * B}
    assert step(oracle, **heads).gap == 90  # one word
    assert step(oracle, **heads | {"read_key": 2 * B}, constrained_word=90 * A).gap == 16
    tick = step(oracle, **heads | {"read_key": 2 * B + A}, constrained_word=90 * B)
    assert oracle.words.tolist() == [A.tolist(), B.tolist(), B.tolist()]
    assert (tick.read, tick.gap) == (1, 8)


def test_gap_of_the_write_key() -> None:
    oracle = quiet(allocation="learned")
    step(oracle, write_word=A)
    step(oracle, write_word=B, constrained_word=A, write_allocation=1)
    heads = CLEAR | {"write_word": 90 * B, "constrained_word": 90 * A, "write_allocation": -90}
    tick = step(oracle, **heads, write_key=B + 0.75 * A)
    assert (tick.written, tick.read, tick.gap) == (1, 0, 2)


def test_gap_of_modes_looks_at_other_addresses() -> None:
    oracle = five_addresses("winner")
    oracle.weights["transform_c.b"][2] = 100
    oracle.cells[5].temporal_backward = 1  # as usage forward
    oracle.cells[5].temporal_forward = None
    tick = step(oracle, read_key=9 * A, read_modes=[0.5, 3, 1.75, 2, 0.25], write_gate=-50)
    assert (tick.winner, tick.gap) == (3, 1.5)


def test_gap_of_sums_and_ops() -> None:
    oracle = five_addresses("sum")
    oracle.weights["transform_c.b"][:] = [0, 0.5, 3, 2.25, 0]
    oracle.cells[5].temporal_backward = 1
    tick = step(oracle, read_key=9 * A, read_modes=np.log([3, 1, 2, 3, 1]), write_gate=-50)
    assert tick.read == 1 and tick.gap == pytest.approx(0.2)
    oracle.weights["transform_c.b"][:] = [0, 0.5, 3, 2.9375, 0]
    oracle.read = 5
    assert step(oracle, read_key=9 * A, read_modes=np.log([3, 1, 2, 3, 1]), write_gate=-50).gap == 0.0625

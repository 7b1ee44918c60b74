"""Decisions count only with a margin: each kind's gap and bound, and the factor between them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.certify.certificate import margins_json
from nhc.certify.decisions import (
    FACTOR,
    Decisions,
    Margin,
    MarginError,
    Margins,
    choice,
    score_gap,
    sign_margins,
)
from nhc.certify.enclosure import UNIT, Enclosed, Network
from nhc.certify.prove import Proof, Undecided, prove
from nhc.program.table import ControlState, Phase, word_values
from tests.computer.machines import hand_made, model_of, zoo
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.machine import NOP

finite = st.floats(-4, 4, width=32)
moderate = settings(derandomize=True, deadline=None, max_examples=60)


def enclosed(low: list[float], high: list[float], error: list[float]) -> Enclosed:
    return Enclosed(*(np.array(column, np.float64) for column in (low, high, error)))


def test_a_decision_needs_more_than_twice_the_bound() -> None:
    assert FACTOR == 2.0
    margins = Margins()
    margins.take("op", Margin(2.5, 1.0, "here"))
    margins.take("op", Margin(np.nextafter(4.0, 5.0), 2.0, "close"))
    for gap in (4.0, 3.0, 0.0, float("nan")):
        with pytest.raises(MarginError) as caught:
            margins.take("sign", Margin(gap, 2.0, "there"))
        assert caught.value.kind == "sign"
        assert caught.value.margin.where == "there"
        assert "sign at there" in str(caught.value)
    with pytest.raises(MarginError):
        margins.take("content", Margin(1.0, float("nan"), "nowhere"))
    with pytest.raises(MarginError):
        margins.take("content", Margin(0.0, 0.0, "a tie without any error is a tie"))


def test_margins_that_are_not_strict_only_take_notes() -> None:
    margins = Margins(strict=False)
    for gap in (3.0, 1.0, 2.0):
        margins.take("mode", Margin(gap, 1.0, f"gap {gap}"))
    assert margins.smallest["mode"] == (1.0, 1.0, "gap 1.0")
    assert margins.counts == {"mode": 3}


def test_the_smallest_ratio_of_each_kind_is_kept() -> None:
    margins = Margins()
    margins.take("op", Margin(3.0, 1.0, "first"))
    margins.take("op", Margin(2.2, 0.1, "smaller gap, larger ratio"))
    margins.take("op", Margin(250.0, 100.0, "larger gap, smaller ratio"))
    margins.take("sign", Margin(np.inf, 0.0, "no other"))
    assert margins.smallest["op"].where == "larger gap, smaller ratio"
    assert margins.smallest["op"].ratio == 2.5
    assert margins.smallest["sign"].ratio == np.inf
    told = margins_json(margins)
    assert told["factor"] == FACTOR
    assert told["smallest"]["op"] == {
        "decisions": 3,
        "gap": 250.0,
        "bound": 100.0,
        "where": "larger gap, smaller ratio",
    }


def test_signs_and_their_gaps() -> None:
    values = enclosed([0.5, -2.0, -0.25, -1.0, 0.0], [0.75, -1.5, 0.5, 1.0, 0.0], [0.1, 0.2, 0.3, 0.4, 0.5])
    signs, gaps, bounds = sign_margins(values)
    assert signs.tolist() == [True, False, True, False, False]  # a value of 0 counts as not positive
    assert gaps.tolist() == [0.5, 1.5, 0.0, 0.0, 0.0]
    assert bounds.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5]


def test_the_choice_is_the_largest_and_the_gap_that_to_the_next() -> None:
    values = enclosed([1.0, 3.0, 2.0, 2.9], [1.5, 3.25, 2.5, 2.95], [0.1, 0.2, 0.9, 0.3])
    assert choice(values, [0, 1, 2, 3]) == (1, pytest.approx(0.05), 0.9)
    assert choice(values, [0, 2]) == (2, 0.5, 0.9)
    assert choice(values, [0, 1]) == (1, 1.5, 0.2)
    assert choice(values, [3]) == (3, np.inf, 0.0)
    overlapping = enclosed([1.0, 0.9], [2.0, 1.5], [0.0, 0.0])
    assert choice(overlapping, [0, 1]) == (0, -0.5, 0.0)
    tie = enclosed([1.0, 2.0, 2.0], [1.0, 2.0, 2.0], [0.0, 0.0, 0.0])
    assert choice(tie, [0, 1, 2])[:2] == (1, 0.0)


@moderate
@given(st.lists(st.tuples(finite, st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=6), st.data())
def test_a_choice_with_its_margin_holds_for_all_values_that_may_be(parts, data) -> None:
    """Whatever true values and float32 errors: with gap > factor * bound the same one is the largest."""
    low = [a for a, _, _ in parts]
    values = enclosed(low, [a + width for a, width, _ in parts], [error for _, _, error in parts])
    best, gap, bound = choice(values, range(len(parts)))
    if not gap > FACTOR * bound:
        return
    seen = [
        data.draw(st.floats(lo, hi)) + data.draw(st.floats(-error, error))
        for lo, hi, error in zip(*(column.tolist() for column in values), strict=True)
    ]
    assert max(range(len(seen)), key=lambda i: (seen[i], -i)) == best


words = st.integers(0, 255)


@moderate
@given(
    st.lists(st.tuples(finite, st.floats(0, 2**-20), st.floats(0, 2**-10)), min_size=8, max_size=8),
    words,
    words,
)
def test_the_gap_between_two_words_is_rounded_towards_zero(parts, word: int, other: int) -> None:
    key = enclosed([a for a, _, _ in parts], [a + w for a, w, _ in parts], [e for _, _, e in parts])
    gap, bound = score_gap(key, word, other)
    step = [Fraction(int(v)) for v in word_values(word, 8) - word_values(other, 8)]
    ends = [[Fraction(v) for v in column.tolist()] for column in (key.low, key.high)]
    least = sum(min(s * a, s * b) for s, a, b in zip(step, *ends, strict=True))
    most = sum(max(s * a, s * b) for s, a, b in zip(step, *ends, strict=True))
    if gap > 0:
        assert Fraction(gap) <= least
    elif gap < 0:
        assert Fraction(gap) >= most
    if least > 2**-17:
        assert gap > 0
    largest = sum(max(abs(a), abs(b)) for a, b in zip(*ends, strict=True))
    assert bound >= float(sum(e for _, _, e in parts) + 7 * UNIT * largest)
    assert bound <= float(sum(e for _, _, e in parts) * 1.001 + 8.01 * UNIT * largest) + 2**-40


def test_a_gap_of_zero_is_no_preference() -> None:
    key = enclosed([1.0, 1.0] + [0.0] * 6, [1.0, 1.0] + [0.0] * 6, [0.0] * 8)
    assert score_gap(key, 0b01, 0b10)[0] == 0
    assert score_gap(key, 0b00, 0b100)[0] == 0
    assert score_gap(key, 0b11, 0b00)[0] == pytest.approx(4.0)
    assert score_gap(key, 0b00, 0b11)[0] == pytest.approx(-4.0)


def narrow(gap: float) -> dict[str, np.ndarray]:
    """The machine made by hand, where `nop` wins by little when the goal is met."""
    weights = breadth_first_weights()
    weights["transform_c.w"][NOP] = 0
    weights["transform_c.w"][NOP, 16 + 8 + 1] = 1.5 + gap
    weights["transform_c.w"][:, :16] *= 0
    for op in range(4):
        weights["transform_c.w"][(op + 1) % 4, op] = 1.0
    weights["transform_c.b"][0] = 0.5
    return weights


def test_a_model_with_a_tiny_gap_is_undecided() -> None:
    """After left, up has 0.5 + tanh(4), `nop` 1.5 + g: certified only if g is far above float32 error."""
    assert isinstance(prove(model_of(narrow(0.01))), Proof)
    found = prove(model_of(narrow(np.tanh(4.0) - 1.0 + 3e-7)))
    assert isinstance(found, Undecided)
    assert found.reason.startswith("margin: op at back word 11111111 op left, read 00000000, op 4: gap ")


@pytest.mark.parametrize("kind", ["sign", "mode", "content", "op"])
def test_each_kind_of_decision_can_be_too_close(kind: str) -> None:
    weights = breadth_first_weights()
    if kind == "sign":
        weights["interface.write.word.b"][5] = -1e-9
        weights["interface.write.word.w"][5, 4] = 1e-3
        weights["interface.write.word.w"][5, 5] = -1e-3
    elif kind == "mode":
        weights["interface.read.modes.b"][4] = 0.5
        weights["interface.read.modes.w"][4, 0] = -1e-9
    elif kind == "content":
        # Finished words and the cursor's differ in four bits, of which the key hardly takes notice.
        weights["interface.read.key.b"][4:] = 1e-8
    else:
        weights["transform_c.b"][1] = 0.5 - 6e-8
    found = prove(model_of(weights))
    assert isinstance(found, Undecided), kind
    assert found.reason.startswith(f"margin: {kind} at ")


@pytest.mark.parametrize("name", ["plan", "search"])
def test_certified_margins_exceed_the_factor(name: str) -> None:
    found = prove(zoo(name))
    assert isinstance(found, Proof)
    assert found.margins.strict
    assert set(found.margins.smallest) == {"sign", "mode", "content", "op"}
    for margin in found.margins.smallest.values():
        assert margin.gap > FACTOR * margin.bound > 0
        assert margin.ratio > FACTOR


def test_decisions_note_every_comparison_once() -> None:
    margins = Margins()
    decisions = Decisions(Network(hand_made()), margins)
    state = ControlState(Phase.SEARCH, 0, 0)
    for _ in range(2):
        assert decisions.written(state) == (0b11111111, 0)
        assert decisions.best_word(state, [0, 0b1111, 0b11111111]) == 0b11111111
        assert decisions.winner(state, frozenset({0})) == 0
        assert decisions.winner(state, frozenset({0, 1, 4})) == 0
        assert decisions.op(state, 0b11111111) == 1
    assert margins.counts == {"sign": 16, "content": 2, "mode": 1, "op": 1}

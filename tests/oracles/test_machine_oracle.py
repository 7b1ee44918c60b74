"""Hand-computed tests of the oracle: layout, equations, what each layer sees, and whole runs."""

import numpy as np
import pytest

from tests.oracles.formulas import (
    Phases,
    control_signals,
    first_largest,
    rewritten,
    sigmoid,
    sign,
    similarity,
    softmax,
)
from tests.oracles.free_tree import breadth_first_weights, run_free_tree
from tests.oracles.machine import NOP, Oracle, OracleConfig, random_weights
from tests.oracles.scripted import A, B, modes, scripted, step


@pytest.mark.parametrize(("signals", "count"), [(2, 1512), (3, 1592)])
def test_the_machine_has_as_many_weights_as_designed(signals: int, count: int) -> None:
    weights = random_weights(np.random.default_rng(0), signals, 0.1)
    assert sum(array.size for array in weights.values()) == count
    rows = sum(a.size for name, a in weights.items() if name.startswith("interface") and name.endswith(".b"))
    assert rows == 59
    assert {array.dtype for array in weights.values()} == {np.dtype(np.float32)}
    assert 0.09 < np.concatenate([array.ravel() for array in weights.values()]).std() < 0.11


def test_weights_for_another_number_of_signals_are_refused() -> None:
    weights = random_weights(np.random.default_rng(0), 2, 0.1)
    with pytest.raises(ValueError, match="expected blocks"):
        Oracle(weights, OracleConfig(signals=3))
    with pytest.raises(ValueError, match="expected 2 signals"):
        Oracle(weights, OracleConfig(signals=2)).tick(0, (1, 0, 0))


@pytest.mark.parametrize(
    ("equal", "c2", "expected"), [(0, 0, (1, 0, 0)), (1, 0, (0, 1, 0)), (0, 1, (0, 1, 0)), (1, 1, (-1, 2, 1))]
)
def test_control_signals(equal: int, c2: int, expected: tuple[int, int, int]) -> None:
    assert control_signals(equal, c2) == expected


@pytest.mark.parametrize("signals", [2, 3])
def test_phases_remember_that_the_goal_was_met(signals: int) -> None:
    phases = Phases(signals)
    found = [phases.signals(equal) for equal in (False, True, False, True)]
    expected = [(1, 0, 0), (0, 1, 0), (0, 1, 0), (-1, 2, 1)]
    assert found == [row[:signals] for row in expected]


def test_elementary_functions() -> None:
    x = np.array([-np.log(3), 0, np.log(3)])
    assert sigmoid(x) == pytest.approx([0.25, 0.5, 0.75])
    assert sigmoid(np.float32([-500, 500])).tolist() == [0, 1]
    assert sign(np.float32([-2, -0.0, 0, 1e-30])).tolist() == [-1, -1, -1, 1]
    assert softmax(np.log([1.0, 2.0, 5.0])) == pytest.approx([0.125, 0.25, 0.625])
    assert first_largest(np.array([1, 3, 2, 3])) == 1


def test_rewritten_words() -> None:
    old, erase, word = np.array([4.0, 4.0]), np.array([0.0, np.log(3)]), np.array([0.0, 5.0])
    assert rewritten(old, erase, word, "bits").tolist() == [-1, 1]
    assert rewritten(old, erase, word, "real") == pytest.approx([4 * 0.5 + 0, 4 * 0.25 + 5])


def test_bit_similarity_adds_in_float32_in_index_order() -> None:
    key = np.float32([1, 1e8, -1e8, 0, 0, 0, 0, 0])  # 1 + 1e8 rounds to 1e8: the 1 is lost, but only first
    assert similarity(key, A, "bits") == 0
    assert similarity(key[::-1], A, "bits") == 1


def test_real_similarity_divides_by_the_norm_of_the_word_with_a_floor() -> None:
    key = np.array([3.0, 4, 0, 0, 0, 0, 0, 0])
    word = np.array([0.0, 2, 0, 0, 0, 0, 0, 0])
    assert similarity(key, word, "real") == pytest.approx(4)
    assert similarity(key, 0 * word, "real") == 0
    assert similarity(key, 1e-9 * word, "real") == pytest.approx(4 * 2e-9 / 1e-6)


@pytest.mark.parametrize("signals", [2, 3])
def test_order_of_the_inputs_of_every_layer(signals: int) -> None:
    w = random_weights(np.random.default_rng(signals), signals, 0.5)
    oracle = Oracle(w, OracleConfig(signals=signals))
    first, second = oracle.tick(0, (1, 0, 0)[:signals]), oracle.tick(1, (0, 1, 0)[:signals])
    k, word = signals, np.array(first.word_read)
    one = np.tanh(w["controller.w"][:, 0] + w["controller.b"])  # c1 = 1 alone
    two = np.tanh(
        w["controller.w"][:, 1]  # c2 = 1 alone
        + w["controller.w"][:, k : k + 8] @ word
        + w["controller.w"][:, k + 8 + first.op]
        + w["controller.b"]
    )
    for signal, controls, tick in ((0, one, first), (1, two, second)):
        read = w["interface.read.modes.w"]
        expected = read[:, signal] + read[:, k:] @ controls + w["interface.read.modes.b"]
        assert tick.strengths == pytest.approx(expected.tolist(), abs=1e-5)
        transform = w["transform_c.w"]
        logits = transform[:, :16] @ controls + transform[:, 16:24] @ tick.word_read
        assert tick.op == np.argmax(logits + transform[:, 24 + signal] + w["transform_c.b"])


def test_first_tick_sees_no_op_and_no_word_and_only_content_has_an_address() -> None:
    oracle = scripted()
    oracle.weights["controller.w"][0, 3 + 8 :] = 1  # unit 0: there was an op, nop or not
    oracle.weights["controller.w"][1, 3] = 1  # unit 1: the first bit of the word read last
    oracle.weights["transform_c.w"][2, 0] = 1
    oracle.weights["transform_c.w"][3, 1] = 2
    word, strong = -A, modes(usage_forward=9, usage_backward=9, temporal_forward=9, temporal_backward=9)
    first = step(oracle, 7, write_word=word, constrained_word=A, read_modes=strong)
    assert first.addresses == (0, None, None, None, None)
    assert (first.winner, first.written, first.read, first.data_read, first.op) == (0, 0, 0, 7, 0)
    assert oracle.links == ((None, None, None, None),)
    assert first.word_read == tuple(word)  # no constrained write
    assert step(oracle, 8, constrained_word=A, read_key=A).op == 2  # saw the op, and -1 as the first bit
    assert step(oracle, 9, constrained_word=A, read_key=A).op == 3  # saw +1 as the first bit


def test_op_is_chosen_with_the_word_read_in_this_tick() -> None:
    oracle = scripted()
    oracle.weights["transform_c.w"][1, 16 + 7] = 1
    assert step(oracle, write_word=A).op == 1
    assert step(oracle, write_word=B, read_key=B, constrained_word=A).op == 0


def test_lowest_op_wins_ties_and_nop_is_the_last() -> None:
    oracle = scripted()
    assert step(oracle).op == 0
    oracle.weights["transform_c.b"][:] = [0, 2, 1, 2, 2]
    assert step(oracle).op == 1
    oracle.weights["transform_c.b"][:] = [0, 2, 1, 2, 3]
    assert step(oracle).op == NOP


@pytest.mark.parametrize("goal", [1, 4, 5, 17, 22, 60])
def test_a_machine_made_by_hand_searches_breadth_first_and_backtracks(goal: int) -> None:
    ancestors = [goal]
    while ancestors[-1] != 0:
        ancestors.append((ancestors[-1] - 1) // 4)
    trace = run_free_tree(Oracle(breadth_first_weights(), OracleConfig()), goal, goal + len(ancestors))
    assert [(t.data_read, t.op) for t in trace[:goal]] == [divmod(n, 4) for n in range(goal)]
    assert [(t.data_read, t.op) for t in trace[goal:]] == [(n, NOP) for n in ancestors]
    assert all(t.winner == (1 if n % 4 == 0 and n else 0) for n, t in enumerate(trace[:goal]))
    assert [t.winner for t in trace[goal:]] == [3] + [4] * (len(ancestors) - 1)
    assert min(t.gap for t in trace) > 0.4


@pytest.mark.parametrize("seed", range(6))
def test_precision_changes_nothing_while_the_gap_is_wide(seed: int) -> None:
    config = OracleConfig(allocation="learned", mix="sum" if seed % 2 else "winner")
    weights = random_weights(np.random.default_rng(seed), 3, 0.3)
    double = {name: array.astype(np.float64) for name, array in weights.items()}
    pair = Oracle(weights, config), Oracle(double, config)
    for one, two in zip(*(run_free_tree(oracle, 9, 30) for oracle in pair), strict=True):
        if one.gap < 1e-4:
            break
        assert (one.op, one.read, one.written, one.addresses, one.word_read) == (
            two.op,
            two.read,
            two.written,
            two.addresses,
            two.word_read,
        )
        assert one.strengths == pytest.approx(two.strengths, abs=1e-5)
        assert one.gap == pytest.approx(two.gap, abs=1e-4)

"""The checker's proof and arithmetic: every step is taken, nothing is overlooked, errors are covered."""

import json
from fractions import Fraction
from functools import cache
from itertools import pairwise
from unittest.mock import patch

import mpmath
import numpy as np
import pytest

from nhc.certify import checker
from nhc.certify.checker import BACK, NOP, SEARCH, Control, Proof, check, hash_of
from tests.computer.machines import Weights, hand_made
from tests.oracles.machine import random_weights
from tests.oracles.teacher import damaged

EVERY = CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = tuple(range(5))
FRESH, FINISHED, CURRENT = 0, 15, 255
"""The words of the machine made by hand."""


@cache
def hand_made_blocks(task: str) -> Weights:
    machine = hand_made(task)
    return machine.parameters.named_blocks(machine.config)


def control_of(task: str) -> Control:
    return Control(hand_made_blocks(task), 3 if task == "plan" else 2, 8, usage_link=True)


def overruled(task: str, decision: str, given: tuple[object, ...], answer: object) -> Control:
    """The machine made by hand, but for one decision."""
    control = control_of(task)
    right = getattr(control, decision)
    setattr(control, decision, lambda *asked: answer if asked == given else right(*asked))
    return control


STEPS = [
    ("search.op", "op", ((SEARCH, FRESH, 0), CURRENT), 2),
    ("search.op", "op", ((SEARCH, CURRENT, 3), FRESH), 1),
    ("search.stay", "winner", ((SEARCH, CURRENT, 1), EVERY), FORWARD),
    ("search.stay", "prefers", ((SEARCH, CURRENT, 2), CURRENT, FINISHED), False),
    ("search.stay", "prefers", ((SEARCH, FRESH, 0), CURRENT, FRESH), False),
    ("search.stay", "written", ((SEARCH, CURRENT, 3),), (CURRENT, FRESH)),
    ("search.advance", "winner", ((SEARCH, CURRENT, 3), EVERY), USAGE_BACKWARD),
    ("search.advance", "winner", ((SEARCH, CURRENT, 3), EVERY), CONTENT),
    ("goal.read", "winner", ((BACK, CURRENT, 3), EVERY), FORWARD),
    ("goal.read", "winner", ((BACK, FRESH, 0), EVERY), CONTENT),
    ("goal.nop", "op", ((BACK, CURRENT, 2), FRESH), 0),
    ("back.parent", "winner", ((BACK, FRESH, NOP), EVERY), USAGE_FORWARD),
    ("back.parent", "op", ((BACK, FRESH, NOP), CURRENT), 1),
    ("back.grandparent", "winner", ((BACK, CURRENT, NOP), EVERY), CONTENT),
    ("back.grandparent", "op", ((BACK, CURRENT, NOP), FINISHED), 2),
    ("back.up", "winner", ((BACK, FINISHED, NOP), EVERY), BACKWARD),
    ("back.up", "op", ((BACK, FINISHED, NOP), FINISHED), 3),
]


@pytest.mark.parametrize(("step", "decision", "given", "answer"), STEPS)
def test_every_step_is_taken(
    monkeypatch: pytest.MonkeyPatch, step: str, decision: str, given: tuple[object, ...], answer: object
) -> None:
    """Without the nodes that are followed one by one, which do the same and would fail first."""
    monkeypatch.setattr(Proof, "follow", lambda proof: [FRESH] * 5)
    assert Proof(control_of("plan"), 1, backtracks=True).failing == []
    found = Proof(overruled("plan", decision, given, answer), 1, backtracks=True).failing
    assert step in {line.split(":")[0] for line in found}


def test_nodes_are_followed_one_by_one() -> None:
    for step, given in {
        "prefix.search: tick 6": ((SEARCH, FRESH, 0), CURRENT),
        "prefix.end: goal 5, node 1": ((BACK, FRESH, NOP), CURRENT),
    }.items():
        with pytest.raises(checker.Rejected) as rejected:
            Proof(overruled("plan", "op", given, 3), 2, backtracks=True)
        assert step in rejected.value.args


@pytest.mark.parametrize(
    ("mechanism", "word"),
    [(CONTENT, CURRENT), (FORWARD, FRESH), (BACKWARD, FINISHED), (USAGE_FORWARD, FRESH), (4, FINISHED)],
)
def test_search_stops_whatever_it_reads(monkeypatch: pytest.MonkeyPatch, mechanism: int, word: int) -> None:
    monkeypatch.setattr(Proof, "follow", lambda proof: [FRESH] * 5)
    state = (BACK, CURRENT, 1)
    control = overruled("search", "winner", (state, EVERY), mechanism)
    proof = Proof(control, 1, backtracks=False)
    assert (proof.failing, proof.reads[state]) == ([], {word})
    right = control.op
    control.op = lambda *asked: 0 if asked == (state, word) else right(*asked)
    assert [line.split(":")[0] for line in Proof(control, 1, backtracks=False).failing] == ["end.nop"]


class Tables(Control):
    """A machine whose decisions are drawn at random; few words, so that all that can follow soon does.

    Only cell 0 is written with word 0.
    """

    def __init__(self, seed: int, mechanism: int) -> None:
        rng = np.random.default_rng(seed)
        self.table = rng.integers((0, 1), 6, size=(2, 6, 5, 2))
        self.score = rng.permuted(np.tile(np.arange(6), (2, 6, 5, 1)), axis=3)
        self.mechanism, self.every = mechanism, EVERY

    def written(self, state: checker.State) -> tuple[int, ...]:
        return tuple(self.table[state].tolist())

    def winner(self, state: checker.State, present: tuple[int, ...]) -> int:
        return self.mechanism

    def op(self, state: checker.State, word: int) -> int:
        return NOP

    def prefers(self, state: checker.State, word: int, other: int) -> bool:
        return bool(self.score[state][word] > self.score[state][other])

    def node(self, word: int) -> tuple[list[int], list[int]]:
        """Words of a node's cell, the last for good, and of its children's."""
        words, children = [word], []
        for op in range(4):
            rewritten, child = self.written((SEARCH, words[-1], op))
            words.append(rewritten)
            children.append(child)
        return words, children


@pytest.mark.parametrize("mechanism", EVERY)
@pytest.mark.parametrize("seed", range(4))
def test_all_that_nodes_can_be_and_all_that_search_can_read_is_found(
    monkeypatch: pytest.MonkeyPatch, seed: int, mechanism: int
) -> None:
    control, fresh = Tables(seed, mechanism), [0]
    for m in range(1000):
        fresh += control.node(fresh[m])[1]
    final = [control.node(word)[0][4] for word in fresh]
    monkeypatch.setattr(Proof, "follow", lambda proof: fresh[:5])
    proof = Proof(control, 1, backtracks=False)
    assert proof.pairs == {*pairwise(fresh)}
    assert (proof.fresh, proof.final) == ({*fresh[1:]}, {*final})
    reads: dict[checker.State, set[int]] = {}
    for m in range(1, 1000):
        for op, word in enumerate(control.node(fresh[m])[0][:4]):
            state, n = (BACK, word, op), 4 * m + op + 1
            rewritten, new = control.written(state)
            memory = {*final[:m], rewritten, *fresh[m + 1 : n], new}
            best = int(max(memory, key=lambda word, state=state: control.score[state][word]))
            named = (best, fresh[m + 1], final[m - 1], new, final[(m - 1) // 4])
            reads.setdefault(state, set()).add(named[mechanism])
    found = {state: words for state, words in proof.reads.items() if state[0] == BACK}
    if mechanism == CONTENT:  # a bound, as it looks a few cells ahead only
        assert found.keys() == reads.keys()
        assert all(found[state] >= words for state, words in reads.items())
    else:
        assert found == reads


def test_the_goal_is_looked_up_only_if_no_other_cell_can_have_its_word() -> None:
    """Its word is not one of those before, of those after, or its parent's, whatever the tick prefers."""
    state = (BACK, CURRENT, 1)
    for fresh, parent, right in ((FRESH, 9, False), (FINISHED, 9, False), (9, 9, False), (8, 9, True)):
        control = overruled("plan", "winner", (state, EVERY), CONTENT)
        written, prefers = control.written, control.prefers
        control.written = lambda s, w=written, told=(parent, fresh): told if s == state else w(s)
        control.prefers = lambda s, *words, p=prefers: s == state or p(s, *words)
        with patch.object(Proof, "follow", lambda proof: [FRESH] * 5):
            lines = Proof(control, 1, backtracks=True).failing
        assert any(line.startswith("goal.read") for line in lines) is not right


# Arithmetic.


@pytest.mark.parametrize("seed", range(3))
def test_tanh_is_as_near_as_it_says(seed: int) -> None:
    rng = np.random.default_rng(seed)
    special = [0.0, -0.0, 5e-324, 1e-200, 20.0, np.nextafter(20.0, 0), -19.5, 710.0, 1e38, -1e308]
    values = [*special, *rng.normal(scale=3, size=200), *(10.0 ** rng.uniform(-20, 2, 200))]
    with mpmath.workprec(300):
        for x in map(float, values):
            assert abs(mpmath.mpf(checker.tanh(x)) - mpmath.tanh(mpmath.mpf(x))) <= checker.TANH_DOUBLE


def test_errors_cover_float64_and_float32_in_any_order() -> None:
    rng = np.random.default_rng(1)
    weights = random_weights(rng, 3, 1.0)
    control = Control(weights, 3, 8, usage_link=True)
    for word in range(0, 256, 7):
        values, off = control.layer("controller", np.eye(3)[0], control.bits(word), np.eye(5)[2])
        inputs = np.concatenate([np.eye(3)[0], control.bits(word), np.eye(5)[2]])
        for row, (value, error) in enumerate(zip(values, off, strict=True)):
            terms = [
                *(weights["controller.w"][row] * inputs.astype(np.float32)),
                weights["controller.b"][row],
            ]
            true = sum(Fraction(float(term)) for term in terms)
            assert abs(Fraction(float(value)) - true) < Fraction(float(error)) / 2**20
            for _ in range(3):
                total = np.float32(0)
                for term in rng.permutation(terms):
                    total = np.float32(total + term)
                assert abs(Fraction(float(total)) - true) < Fraction(float(error))
        assert off.max() < 30 * 2.0**-24 * (abs(weights["controller.w"]).sum(1) + 3).max()


def self_made(weights: Weights, task: str) -> dict[str, object]:
    """All that the checker expects of a certificate, even where steps fail: the best that a forger can do."""
    start = {
        **{"task": task, "tool": "forger", "invariant": {"prefix": 1}, "margins": {"smallest": {}}},
        "machine": hand_made(task).config.recorded(),
    }
    found: dict[str, object] = {}
    with patch.object(checker, "differences", lambda path, expected, given: found.update(expected) or ()):
        check(start, weights)
    return json.loads(json.dumps(found))


def changed(task: str, changes: dict[str, tuple[object, float]]) -> Weights:
    """The machine made by hand with a few other weights."""
    weights = {name: array.copy() for name, array in hand_made_blocks(task).items()}
    for name, (place, value) in changes.items():
        weights[name][place] = value
    return weights


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        ("margin.mode: search word 11111111 op left", {"interface.read.modes.b": (0, np.tanh(4) - 1e-7)}),
        ("margin.op: search word none op none", {"transform_c.b": (1, np.nextafter(np.float32(0.5), 0))}),
        ("margin.sign: search word none", {"interface.write.word.b": (2, -1e-40)}),
        ("margin.content: search word 11111111", {"interface.read.key.b": (slice(None), 1e-40)}),
    ],
)
def test_what_rounding_or_underflow_could_change_is_rejected(
    step: str, changes: dict[str, tuple[object, float]]
) -> None:
    weights = changed("plan", changes)
    assert check(self_made(hand_made_blocks("plan"), "plan"), hand_made_blocks("plan")) == []
    lines = check(self_made(weights, "plan"), weights)
    assert {line[: len(step)] for line in lines} >= {step}
    assert {line.partition(":")[0] for line in lines} == {step.partition(":")[0]}


@pytest.mark.parametrize(("ratio", "accepted"), [(1.8, False), (2.2, True)])
def test_a_gap_must_be_twice_as_large_as_the_error(ratio: float, accepted: bool) -> None:
    known = control_of("plan").at((SEARCH, CURRENT, 3))["read.modes"]
    closer = known[0, FORWARD] - ratio * known[1, FORWARD]
    weights = changed("plan", {"interface.read.modes.b": (CONTENT, closer)})
    assert (check(self_made(weights, "plan"), weights) == []) is accepted


def test_overflow_and_what_is_no_number_are_rejected() -> None:
    right = self_made(hand_made_blocks("plan"), "plan")
    for step, name, value in (
        ("range: sums of interface.read.modes may overflow", "interface.read.modes.b", 3e38),
        ("weights: expected finite float32 numbers", "interface.read.strength.b", np.nan),
    ):
        weights = changed("plan", {name: (slice(None), value)})
        assert check({**right, "weights": hash_of(weights)}, weights)[0].startswith(step)


def test_a_certificate_that_only_lacks_the_truth_is_rejected() -> None:
    """Nothing in it contradicts the weights, but the machine goes wrong after the nodes that are followed."""
    weights = damaged("stops at 4")
    lines = check(self_made(weights, "plan"), weights)
    assert {line.partition(":")[0] for line in lines} == {"search.op"}

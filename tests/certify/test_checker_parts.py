"""The checker's parts: that each step of the proof is taken, its arithmetic, its files and its imports."""

import ast
import json
import struct
import subprocess
import sys
from fractions import Fraction
from functools import cache
from pathlib import Path

import mpmath
import numpy as np
import pytest

from nhc.certify import checker
from nhc.certify.certificate import certificate_json
from nhc.certify.checker import BACK, NOP, SEARCH, Control, Proof, check, check_files, hash_of
from nhc.certify.prove import Proof as Proved
from nhc.certify.prove import prove
from nhc.model import save_model
from nhc.runs.arrays import weight_hash
from tests.computer.machines import Weights, hand_made, model_of
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.machine import random_weights

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


def with_changes(task: str, **changes: tuple[object, float]) -> tuple[dict[str, object], Weights]:
    """The certificate of the machine made by hand, its hash made to fit, and the machine with other weights."""
    machine = hand_made(task)
    proof = prove(machine)
    assert isinstance(proof, Proved)
    weights = {name: array.copy() for name, array in hand_made_blocks(task).items()}
    for name, (place, value) in changes.items():
        weights[name.replace("__", ".")][place] = value
    text = json.dumps(certificate_json(machine, proof))
    return {**json.loads(text), "weights": hash_of(weights)}, weights


@pytest.mark.parametrize(
    ("step", "changes"),
    [
        ("margin.mode: search word 11111111 op left", {"interface__read__modes__b": (0, np.tanh(4) - 1e-7)}),
        ("margin.op: search word none op none", {"transform_c__b": (1, np.nextafter(np.float32(0.5), 0))}),
        ("margin.sign: search word none", {"interface__write__word__b": (2, -1e-40)}),
        ("margin.content: ", {"interface__read__key__b": (slice(None), 1e-40)}),
        ("range: sums of interface.read.modes", {"interface__read__modes__b": (slice(0, 2), 3e38)}),
        ("weights: expected finite", {"interface__read__strength__b": (0, np.nan)}),
    ],
)
def test_what_rounding_underflow_or_overflow_could_change_is_rejected(
    step: str, changes: dict[str, tuple[object, float]]
) -> None:
    assert check(*with_changes("plan")) == []
    assert any(line.startswith(step) for line in check(*with_changes("plan", **changes)))


# Files.


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate and its model."""
    certificate, model = tmp_path / "plan.certificate.json", tmp_path / "plan.safetensors"
    certificate.write_text(json.dumps(with_changes("plan")[0]))
    save_model(model, hand_made("plan"))
    return certificate, model


def test_files_are_checked_without_the_package(files: tuple[Path, Path]) -> None:
    script = Path(str(checker.__file__))

    def told(*arguments: object) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", RUNNER, str(script), *map(str, arguments)],
            **{"capture_output": True, "text": True, "check": False, "timeout": 60},
        )
        return done.returncode, done.stdout

    assert told(*files) == (0, "accepted\n")

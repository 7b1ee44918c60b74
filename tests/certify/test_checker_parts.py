"""The checker's parts: that each step of the proof is taken, its arithmetic, its files and its imports."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
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
from tests.computer.machines import Weights, hand_made
from tests.oracles.machine import random_weights

Header = dict[str, dict[str, object]]
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
    """The certificate of the machine made by hand with another hash, and the weights that have it."""
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


def repacked(data: bytes, change: Callable[[Header], object]) -> bytes:
    """The model file with another header."""
    body = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:body])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[body:]


def retold(header: Header, **changes: object) -> None:
    """Change what the model says of itself."""
    envelope = json.loads(header["__metadata__"]["nhc"])
    envelope["metadata"].update(changes)
    header["__metadata__"]["nhc"] = json.dumps(envelope)


def test_the_script_alone_accepts_rejects_and_refuses(files: tuple[Path, Path], tmp_path: Path) -> None:
    script = tmp_path / "checker.py"
    shutil.copy(str(checker.__file__), script)

    def told(*arguments: Path) -> tuple[int, str, str]:
        command = [sys.executable, "-I", str(script), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    assert told(*files) == (0, "accepted\n", "")
    assert told(*reversed(files))[:2] == (2, "")
    assert told(files[0])[0] == 2
    files[0].write_text(files[0].read_text().replace("breadth-first", "depth-first"))
    code, steps, _ = told(*files)
    assert (code, len(steps.splitlines())) == (1, 1)
    assert steps.startswith("claims[0].text: expected ")


def test_a_model_that_says_otherwise_is_rejected(files: tuple[Path, Path]) -> None:
    data, machine = files[1].read_bytes(), hand_made("plan").config.model_dump()
    for changes, step in (
        ({"task": "search"}, "model.task: expected 'search', found 'plan'"),
        ({"machine": {**machine, "mix": "sum"}}, "model.machine.mix: expected 'sum', found 'winner'"),
    ):
        files[1].write_bytes(repacked(data, lambda header, changes=changes: retold(header, **changes)))
        assert check_files(*files) == [step]


DAMAGE: dict[str, Callable[[Header], object]] = {
    "another type": lambda header: header["controller.b"].update(dtype="I32"),
    "a block twice": lambda header: header.update(more=header["controller.b"]),
    "a hole": lambda header: header.pop("interface.read.key.b"),
    "another size": lambda header: header["controller.b"].update(shape=[17]),
    "a negative size": lambda header: header["controller.w"].update(shape=[-16, -16]),
    "no metadata": lambda header: header.pop("__metadata__"),
    "no object": lambda header: header.update(more=3),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damaged_models_are_refused(files: tuple[Path, Path], damage: Callable[[Header], object]) -> None:
    files[1].write_bytes(repacked(files[1].read_bytes(), damage))
    with pytest.raises(ValueError, match=r"expected|block|does not begin"):
        check_files(*files)


def test_files_that_are_cut_or_are_no_json_object_are_refused(files: tuple[Path, Path]) -> None:
    data, text = files[1].read_bytes(), files[0].read_text()
    for part in (data[:-1], data + b"\0", data[:5], b""):
        files[1].write_bytes(part)
        with pytest.raises(ValueError):
            check_files(*files)
    files[1].write_bytes(data)
    for wrong in ("[]", text[:-1], text[:-1] + ', "kind": "certificate"}', "[" * 100_000):
        files[0].write_text(wrong)
        with pytest.raises(ValueError):
            check_files(*files)
    files[0].write_text(text)
    assert check_files(*files) == []


def test_the_hash_is_that_of_model_files() -> None:
    blocks = hand_made_blocks("plan")
    assert hash_of(blocks) == weight_hash(blocks)


def test_it_imports_nothing_but_the_standard_library_and_numpy() -> None:
    tree = ast.parse(Path(str(checker.__file__)).read_text())
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    assert all(node.level == 0 for node in froms)
    found = {name.split(".")[0] for name in names | {str(node.module) for node in froms}}
    assert found - sys.stdlib_module_names == {"numpy"}
    called = {
        node.func.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not called & {"eval", "exec", "__import__", "compile"}

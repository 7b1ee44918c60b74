"""The checker's files: the script on its own, models and certificates that are damaged, and its imports."""

import ast
import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from nhc.certify import checker
from nhc.certify.certificate import certificate_json
from nhc.certify.checker import OPS, check_files, hash_of, unchecked
from nhc.certify.prove import Proof, prove
from nhc.model import save_model
from nhc.runs.arrays import load_arrays, save_arrays, weight_hash
from tests.computer.machines import hand_made

Header = dict[str, dict[str, object]]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    """A certificate and its model."""
    certificate, model = tmp_path / "plan.certificate.json", tmp_path / "plan.safetensors"
    machine = hand_made("plan")
    proof = prove(machine)
    assert isinstance(proof, Proof)
    certificate.write_text(json.dumps(certificate_json(machine, proof)))
    save_model(model, machine)
    return certificate, model


def repacked(data: bytes, change: Callable[[Header], object]) -> bytes:
    """The model file with another header."""
    body = 8 + int.from_bytes(data[:8], "little")
    header = json.loads(data[8:body])
    change(header)
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data[body:]


def test_the_script_alone_accepts_rejects_and_refuses(files: tuple[Path, Path], tmp_path: Path) -> None:
    script = tmp_path / "checker.py"
    shutil.copy(str(checker.__file__), script)

    def said(*arguments: Path) -> tuple[int, str, str]:
        command = [sys.executable, "-I", str(script), *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        return done.returncode, done.stdout, done.stderr

    assert said(*files) == (0, "accepted\n", "")
    assert said(*reversed(files))[:2] == (2, "")
    assert said(files[0])[0] == 2
    files[0].write_text(files[0].read_text().replace("breadth-first", "depth-first"))
    code, steps, _ = said(*files)
    assert (code, len(steps.splitlines())) == (1, 1)
    assert steps.startswith("claims[0].text: expected ")


def test_a_model_that_says_otherwise_is_rejected(files: tuple[Path, Path]) -> None:
    machine, (arrays, metadata) = hand_made("plan").config.recorded(), load_arrays(files[1])
    for changes, step in (
        ({"kind": "checkpoint"}, "model.kind: expected 'model', found 'checkpoint'"),
        ({"task": "search"}, "model.task: expected 'plan', found 'search'"),
        ({"signals": 2}, "model.signals: expected 3, found 2"),
        ({"ops": ["nop", *OPS[1:4], "up"]}, "model.ops[0]: expected 'up', found 'nop'"),
        ({"machine": {**machine, "mix": "sum"}}, "model.machine.mix: expected 'winner', found 'sum'"),
    ):
        save_arrays(files[1], arrays, metadata | changes)
        assert check_files(*files)[0] == step
        assert len(check_files(*files)) == (2 if "ops" in changes else 1)


def test_a_model_that_was_changed_afterwards_is_refused(files: tuple[Path, Path]) -> None:
    def reversed_ops(header: Header) -> None:
        envelope = json.loads(header["__metadata__"]["nhc"])
        envelope["metadata"]["record"] = {"seed": 7}
        header["__metadata__"]["nhc"] = json.dumps(envelope)

    files[1].write_bytes(repacked(files[1].read_bytes(), reversed_ops))
    with pytest.raises(ValueError, match="checksum"):
        check_files(*files)


RECORD = {"domain": "sokoban-4x4", "states": 30, "expected_states": 30, "cases": 150, "errors": 0}


def test_a_record_of_data_modules_is_accepted_as_recorded(files: tuple[Path, Path]) -> None:
    plain = json.loads(files[0].read_text())
    assert unchecked(plain) == []
    right = plain | {"data": RECORD | {"label": "exhaustive"}}
    files[0].write_text(json.dumps(right))
    assert check_files(*files) == []
    (note,) = unchecked(right)
    assert note.startswith("not checked, data as recorded: domain sokoban-4x4; states 30")
    wrong = [{**RECORD, "errors": 1}, {**RECORD, "states": 29}, {**RECORD, "cases": 149}, {}, [], None, 7]
    wrong += [{**RECORD, "errors": True}, {**RECORD, "errors": False}, {**RECORD, "states": 30.0}]
    for record in wrong:
        files[0].write_text(json.dumps(plain | {"data": record}))
        (step,) = check_files(*files)
        assert step.startswith("data: ")


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-32"])
def test_certificates_are_utf_8(files: tuple[Path, Path], encoding: str) -> None:
    files[0].write_bytes(files[0].read_text().encode(encoding))
    with pytest.raises(ValueError):
        check_files(*files)


DAMAGE: dict[str, Callable[[Header], object]] = {
    "another type": lambda header: header["controller.b"].update(dtype="I32"),
    "a block twice": lambda header: header.update(more=header["controller.b"]),
    "a hole": lambda header: header.pop("interface.read.key.b"),
    "another size": lambda header: header["controller.b"].update(shape=[17]),
    "a negative size": lambda header: header["controller.w"].update(shape=[-16, -16]),
    "true for one": lambda header: header["interface.read.free_gate.w"].update(shape=[True, 19]),
    "no sizes": lambda header: header["interface.read.free_gate.b"].update(shape=[]),
    "offsets that are no numbers": lambda header: header["controller.b"].update(data_offsets=[False, "1"]),
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
    machine = hand_made("plan")
    blocks = machine.parameters.named_blocks(machine.config)
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

"""Models as files and in the zoo: nothing is lost, equal models are equal bytes, weights have one name."""

import hashlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS as SHIPPED
from nhc.errors import ModelError, StorageError
from nhc.machine.config import MachineConfig
from nhc.machine.layout import weight_count
from nhc.machine.parameters import Parameters
from nhc.model import Model, load_model, save_model
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.zoo import zoo_names, zoo_path
from tests.computer.machines import ALGORITHMS, model_of
from tests.oracles.machine import random_weights
from tests.runs.test_storage import largest_file

RECORD: dict[str, object] = {"seed": 3, "mastered": True, "config": {"es": {"sigma": 0.1}}, "note": "ä"}


def some_model(task: str = "plan", seed: int = 0, **options: object) -> Model:
    weights = random_weights(np.random.default_rng(seed), len(ALGORITHMS[task].signals), 1.0)
    return replace(model_of(weights, task, **options), record=RECORD)


def blocks(model: Model) -> dict[str, np.ndarray]:
    return model.parameters.named_blocks(model.config)


@pytest.mark.parametrize("task", ALGORITHMS)
@pytest.mark.parametrize("options", [{}, {"words": "real", "mix": "sum"}, {"write_gate": "learned"}])
def test_a_saved_model_is_the_same_model(tmp_path: Path, task: str, options: dict[str, object]) -> None:
    model = some_model(task, **options)
    save_model(tmp_path / "m", model)
    back = load_model(str(tmp_path / "m"))
    assert (back.config, back.algorithm, back.record) == (model.config, model.algorithm, RECORD)
    assert blocks(back).keys() == blocks(model).keys()
    for name, block in blocks(model).items():
        assert blocks(back)[name].dtype == np.float32
        assert blocks(back)[name].tobytes() == block.tobytes()
    assert back.hash == model.hash


def test_a_file_says_what_it_is(tmp_path: Path) -> None:
    save_model(tmp_path / "m", some_model("search"))
    arrays, metadata = load_arrays(tmp_path / "m")
    assert {array.dtype for array in arrays.values()} == {np.dtype("float32")}
    assert metadata == {
        "kind": "model",
        "task": "search",
        "signals": 2,
        "ops": ["up", "right", "down", "left", "nop"],
        "machine": MachineConfig(signals=2).recorded(),
        "record": RECORD,
    }


def test_equal_models_are_equal_bytes(tmp_path: Path) -> None:
    save_model(tmp_path / "a", some_model())
    save_model(tmp_path / "b", some_model())
    save_model(tmp_path / "c", load_model(str(tmp_path / "a")))
    save_model(tmp_path / "d", some_model(seed=1))
    contents = [(tmp_path / name).read_bytes() for name in "abcd"]
    assert contents[0] == contents[1] == contents[2] != contents[3]


def plain_hash(model: Model) -> str:
    """The weight hash as the documentation describes it."""
    digest = hashlib.sha256()
    for name, block in sorted(blocks(model).items()):
        shape = ",".join(str(length) for length in block.shape)
        digest.update(f'["{name}",[{shape}]]\n'.encode())
        digest.update(b"".join(value.astype("<f4").tobytes() for value in block.reshape(-1)))
    return digest.hexdigest()


def test_the_hash_is_of_the_weights_alone() -> None:
    model = some_model()
    assert model.hash == plain_hash(model)
    assert replace(model, record={}).hash == model.hash
    assert some_model(words="real").hash == model.hash
    assert some_model("search").hash != model.hash


def test_every_single_weight_enters_the_hash() -> None:
    model = some_model()
    seen = {model.hash}
    for name, block in blocks(model).items():
        changed = {key: value.copy() for key, value in blocks(model).items()}
        flat = changed[name].reshape(-1)
        flat[block.size // 2] = np.nextafter(flat[block.size // 2], np.float32(9))
        seen.add(replace(model, parameters=Parameters.from_blocks(changed, model.config)).hash)
    assert len(seen) == 1 + len(blocks(model))


def test_saving_replaces_at_once_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "m"
    save_model(path, some_model())
    before = path.read_bytes()
    with largest_file(500), pytest.raises(StorageError) as caught:
        save_model(path, some_model(seed=1))
    assert caught.value.code == "storage.write"
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["m"]


def test_any_flipped_bit_is_noticed(tmp_path: Path) -> None:
    save_model(tmp_path / "m", some_model("search"))
    content = (tmp_path / "m").read_bytes()
    rng = np.random.default_rng(0)
    for place in [*rng.integers(len(content), size=40).tolist(), 0, 8, len(content) - 1]:
        damaged = bytearray(content)
        damaged[place] ^= 1 << int(rng.integers(8))
        (tmp_path / "d").write_bytes(damaged)
        with pytest.raises(ModelError):
            load_model(str(tmp_path / "d"))


def test_every_model_of_the_zoo_has_learned_its_algorithm() -> None:
    assert {*zoo_names()} <= {*SHIPPED} and {"plan", "search"} <= {*zoo_names()}
    for name in zoo_names():
        model, learned = load_model(f"zoo:{name}"), SHIPPED[name]
        assert model.algorithm is learned
        sizes = {"signals": len(learned.signals), "ops": len(learned.ops)}
        own = dict(learned.defaults).get("machine", {})
        assert model.config == MachineConfig.model_validate({**sizes, **own})
        assert model.record["mastered"] is True or model.record["certified"] is True
        assert sum(block.size for block in blocks(model).values()) == weight_count(model.config)
        assert all(np.isfinite(block).all() for block in blocks(model).values())
        assert zoo_path(name).stat().st_size < 20_000
        assert json.loads(json.dumps(model.record)) == model.record


def test_a_name_is_a_path_unless_it_begins_with_zoo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ModelError) as caught:
        load_model("plan")
    assert caught.value.code == "model.missing"
    save_model(Path("plan"), some_model())
    assert load_model("plan").record == RECORD
    assert load_model("./plan").hash != load_model("zoo:plan").hash


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_weights_that_are_no_numbers_are_refused(tmp_path: Path, value: float) -> None:
    changed = {name: block.copy() for name, block in blocks(some_model()).items()}
    for name in ("controller.b", "transform_c.w"):
        changed[name].flat[1] = value
    model = some_model()
    save_model(tmp_path / "m", replace(model, parameters=Parameters.from_blocks(changed, model.config)))
    with pytest.raises(ModelError, match=r"controller\.b, transform_c\.w") as caught:
        load_model(tmp_path / "m")
    assert caught.value.code == "model.nonfinite" and caught.value.place is not None


def test_all_faults_of_a_damaged_model_are_named(tmp_path: Path) -> None:
    save_model(tmp_path / "m", some_model())
    arrays, metadata = load_arrays(tmp_path / "m")
    del arrays["controller.w"]
    arrays |= {"more.b": np.zeros(2, np.float32), "transform_c.b": np.zeros(3, np.float32)}
    save_arrays(tmp_path / "m", arrays, metadata)
    with pytest.raises(ModelError, match="3 blocks of weights differ") as caught:
        load_model(tmp_path / "m")
    assert caught.value.code == "model.shape"
    for text in ("controller.w: expected (", "more.b: expected no such block, found (2,)", "transform_c.b: "):
        assert text in caught.value.message


def test_a_path_may_be_a_text_or_a_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    save_model("x.safetensors", some_model())
    names = ("x.safetensors", Path("x.safetensors"), str(tmp_path / "x.safetensors"))
    assert len({load_model(name).hash for name in names}) == 1

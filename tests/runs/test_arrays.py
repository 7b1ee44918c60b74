"""Model files: exact, reproducible, and any damage is noticed."""

import hashlib
import json
import struct
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from nhc.errors import ModelError, StorageError
from nhc.runs.arrays import Arrays, load_arrays, save_arrays, weight_hash

NAN = np.frombuffer(b"\x01\x00\xc0\x7f", dtype="<f4")  # a NaN with a payload, which must survive

METADATA: dict[str, object] = {"task": "plan", "nested": {"b": [1, 2.5, None], "a": "ä\udc80"}}


def example() -> Arrays:
    return {
        "controller.w": np.arange(6, dtype=np.float32).reshape(2, 3),
        "controller.b": np.array([-0.0, 1e-40], dtype=np.float32),
        "key": np.array([7, 2**32 - 1, 5], dtype=np.uint32),
        "scalar": np.array(2.5, dtype=np.float64),
        "empty": np.zeros((0, 4), dtype=np.int64),
        "flags": np.array([True, False, True, True, False]),
        "nan": NAN,
    }


def slow_hash(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """Independent twin: element by element, with struct."""
    text = b""
    for name, array in sorted(arrays.items()):
        shape = ",".join(str(n) for n in array.shape)
        text += f'["{name}",[{shape}]]\n'.encode()
        for index in np.ndindex(array.shape):
            text += struct.pack("<f", float(array[index].item()))
    return hashlib.sha256(text).hexdigest()


def same(left: Arrays, right: Arrays) -> bool:
    return left.keys() == right.keys() and all(
        left[k].dtype == right[k].dtype
        and left[k].shape == right[k].shape
        and left[k].tobytes() == right[k].tobytes()
        for k in left
    )


def failure(path: Path) -> ModelError:
    with pytest.raises(ModelError) as caught:
        load_arrays(path)
    assert caught.value.exit_code == 2
    assert caught.value.place is not None and caught.value.place.file == str(path)
    return caught.value


def test_content_comes_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    save_arrays(path, example(), METADATA)
    arrays, metadata = load_arrays(path)
    assert same(arrays, example())
    assert metadata == METADATA
    assert list(tmp_path.iterdir()) == [path]


DTYPES = ["<f4", ">f4", "<f8", ">i2", "<u4", "i1", "?", "<f2"]


@given(st.data())
@settings(max_examples=40, deadline=None, derandomize=True)
def test_any_arrays_come_back(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    shapes = hnp.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=4)
    one = st.sampled_from(DTYPES).flatmap(lambda d: hnp.arrays(np.dtype(d), shapes))
    arrays: dict[str, NDArray[np.generic]] = data.draw(
        st.dictionaries(
            st.text(st.characters(codec="utf-8"), min_size=1, max_size=5), one, max_size=3
        ).filter(lambda found: "__metadata__" not in found)
    )
    path = tmp_path_factory.getbasetemp() / "any.safetensors"
    save_arrays(path, arrays, {"n": len(arrays)})
    loaded, metadata = load_arrays(path)
    assert metadata == {"n": len(arrays)}
    assert loaded.keys() == arrays.keys()
    for name, array in arrays.items():
        assert loaded[name].shape == array.shape
        assert loaded[name].dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(loaded[name], array)
    assert weight_hash(loaded) == weight_hash(arrays)


def test_memory_order_does_not_matter(tmp_path: Path) -> None:
    wide = np.arange(24, dtype=np.float32).reshape(4, 6)
    views = {"slice": wide[1:3, ::2], "transposed": wide.T, "reversed": wide[::-1]}
    copies = {name: np.array(view.tolist(), dtype=np.float32) for name, view in views.items()}
    save_arrays(tmp_path / "views", views, {})
    save_arrays(tmp_path / "copies", copies, {})
    assert (tmp_path / "views").read_bytes() == (tmp_path / "copies").read_bytes()
    assert weight_hash(views) == weight_hash(copies) == slow_hash(copies)


def test_equal_content_gives_equal_bytes(tmp_path: Path) -> None:
    forwards, backwards = example(), dict(reversed(example().items()))
    save_arrays(tmp_path / "a", forwards, METADATA)
    save_arrays(tmp_path / "b", backwards, dict(reversed(METADATA.items())))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_other_programs_can_read_the_file(tmp_path: Path) -> None:
    save_arrays(tmp_path / "a", example(), METADATA)
    assert same(dict(safetensors.numpy.load_file(tmp_path / "a")), example())
    with safetensors.safe_open(tmp_path / "a", framework="np") as file:
        assert list(file.metadata()) == ["nhc"]
        assert json.loads(file.metadata()["nhc"])["metadata"] == METADATA


def test_weight_hash_is_pinned() -> None:
    weights = {"b": np.array([1.5], dtype=np.float32), "a": np.zeros((2, 3), dtype=np.float32)}
    text = b'["a",[2,3]]\n' + bytes(24) + b'["b",[1]]\n' + b"\x00\x00\xc0\x3f"
    assert weight_hash(weights) == hashlib.sha256(text).hexdigest() == slow_hash(weights)


def test_weight_hash_sees_names_shapes_and_elements() -> None:
    one = np.arange(6, dtype=np.float32)
    variants: list[Arrays] = [
        {"a": one},
        {"b": one},
        {"a": one.reshape(2, 3)},
        {"a": one.reshape(3, 2)},
        {"a": one + 1},
        {"a": one, "b": one},
        {"a": -one},
        {},
    ]
    assert len({weight_hash(arrays) for arrays in variants}) == len(variants)


def test_weight_hash_leaves_metadata_out(tmp_path: Path) -> None:
    save_arrays(tmp_path / "a", example(), {"seed": 1})
    save_arrays(tmp_path / "b", example(), {"seed": 2})
    first, second = load_arrays(tmp_path / "a"), load_arrays(tmp_path / "b")
    assert first[1] != second[1]
    assert weight_hash(first[0]) == weight_hash(second[0]) == weight_hash(example())


def test_missing_and_unreadable(tmp_path: Path) -> None:
    assert failure(tmp_path / "none").code == "model.missing"
    assert failure(tmp_path).code == "model.unreadable"


def test_every_truncation_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_arrays(path, example(), METADATA)
    data = path.read_bytes()
    for size in range(len(data)):
        path.write_bytes(data[:size])
        error = failure(path)
        assert error.code == "model.truncated"
        assert f"found {size}" in error.message
    path.write_bytes(data + b"\x00")
    assert failure(path).code == "model.damaged"


@pytest.mark.parametrize("mask", [0x01, 0x80, 0xFF])
def test_every_changed_byte_is_noticed(tmp_path: Path, mask: int) -> None:
    path = tmp_path / "model"
    save_arrays(path, example(), METADATA)
    data = path.read_bytes()
    for place in range(len(data)):
        path.write_bytes(data[:place] + bytes([data[place] ^ mask]) + data[place + 1 :])
        assert failure(path).code in ("model.damaged", "model.truncated", "model.schema"), place


def test_a_changed_element_type_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "model"
    save_arrays(path, example(), METADATA)
    assert path.read_bytes().count(b'"U32"') == 1
    path.write_bytes(path.read_bytes().replace(b'"U32"', b'"I32"'))
    assert failure(path).code == "model.damaged"


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "model.truncated"),
        (b"not a model at all, just text", "model.damaged"),
        (b"\x80\x04\x95" + bytes(40), "model.damaged"),
        (struct.pack("<Q", 2) + b"[]", "model.damaged"),
        (struct.pack("<Q", 2) + b"{}", "model.schema"),
        (struct.pack("<Q", 7) + b'{"a":1}', "model.damaged"),
        (struct.pack("<Q", 4) + b"\xff\xfe{}", "model.damaged"),
    ],
)
def test_other_files(tmp_path: Path, data: bytes, code: str) -> None:
    (tmp_path / "model").write_bytes(data)
    assert failure(tmp_path / "model").code == code


@pytest.mark.parametrize(
    ("entry", "code", "found"),
    [
        ('{"schema":2,"metadata":{}}', "model.schema", "found 2"),
        ('{"metadata":{}}', "model.schema", "found None"),
        ("[]", "model.schema", "found None"),
        ('{"schema":NaN}', "model.damaged", "NaN"),
        ('{"schema":1,"metadata":[]}', "model.damaged", "found []"),
        ('{"schema":1,"metadata":{}}', "model.damaged", "checksum None"),
    ],
)
def test_other_metadata(tmp_path: Path, entry: str, code: str, found: str) -> None:
    safetensors.numpy.save_file({"a": NAN}, tmp_path / "model", {"nhc": entry})
    error = failure(tmp_path / "model")
    assert error.code == code
    assert found in error.message


def test_a_foreign_model_is_no_model(tmp_path: Path) -> None:
    safetensors.numpy.save_file({"a": NAN}, tmp_path / "model", {"format": "pt"})
    assert failure(tmp_path / "model").code == "model.schema"


def test_a_failed_write_keeps_the_old_model(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        save_arrays(tmp_path / "missing" / "model", example(), {})
    path = tmp_path / "model"
    save_arrays(path, example(), {})
    with pytest.raises(ValueError):
        save_arrays(path, {}, {"fitness": float("nan")})
    with pytest.raises(ValueError, match="text: expected"):
        save_arrays(path, {"text": np.array(["a"])}, {})
    assert same(load_arrays(path)[0], example())

"""Files of data modules: what goes in comes out, and nothing else is taken for modules of a world."""

from collections.abc import Callable
from pathlib import Path

import jax
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from nhc.data.networks import Dense
from nhc.domains.local import WordForm
from nhc.errors import ModelError, StorageError
from nhc.runs.arrays import load_arrays, save_arrays
from nhc.supervised.config import MODULES, NETWORKS, ends, layers
from nhc.supervised.files import (
    DataModel,
    blocks,
    encoding_hash,
    from_blocks,
    learned_modules,
    load_modules,
    save_modules,
)
from nhc.supervised.learner import initial_raw
from tests.supervised.corridor import FORM, Corridor, State
from tests.supervised.small import SIZES, config

WORLD = Corridor()


class Renamed(Corridor):
    """The same words under another name."""

    name = "another"


class Turned(Corridor):
    """The same world and form, but cells are numbered from the other end."""

    def encode(self, state: State) -> NDArray[np.uint8]:
        words = super().encode(state)
        return words.reshape(*words.shape[:-1], 5, 3)[..., ::-1, :].reshape(words.shape)


class Crowded(Corridor):
    """The same words, another family."""

    family = "an agent and up to three boxes in five cells"


def model(modules: tuple[str, ...] = MODULES) -> DataModel:
    """Random networks."""
    networks = {
        name: network for module in modules for name, network in initial_raw(FORM, config(), module).items()
    }
    return DataModel(networks, FORM, WORLD.name, encoding_hash(WORLD), {"seed": 7, "seconds": 1.5})


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file of a whole model."""
    save_modules(tmp_path / "modules.safetensors", model())
    return tmp_path / "modules.safetensors"


def test_a_model_comes_back_whole(path: Path) -> None:
    read, saved = load_modules(path, WORLD), model()
    assert (read.form, read.world, read.encoding, read.record) == (
        FORM,
        "corridor",
        saved.encoding,
        saved.record,
    )
    assert read.hash == saved.hash and read.modules == MODULES
    before, after = blocks(saved.networks), blocks(read.networks)
    assert before.keys() == after.keys() and all((before[name] == after[name]).all() for name in before)
    assert {"equality.w0", "equality.b0", "mask.w2"} <= before.keys()
    learned = learned_modules(read)
    assert learned.name == "learned corridor" and learned.word_bits == 15
    first = path.read_bytes()
    save_modules(path, read)
    assert path.read_bytes() == first, "equal content, equal bytes"


def test_some_modules_make_a_file_but_no_machine(tmp_path: Path) -> None:
    path = tmp_path / "alu"
    save_modules(path, model(("alu",)))
    read = load_modules(path, WORLD)
    assert read.modules == ("alu",) and read.networks.keys() == {"acts", "change"}
    with pytest.raises(ModelError, match="input, transform_d, output") as caught:
        learned_modules(read)
    assert caught.value.code == "model.incomplete"


@pytest.mark.parametrize("world", [Renamed(), Turned(), Crowded()])
def test_modules_of_other_words_are_refused(path: Path, world: Corridor) -> None:
    assert load_modules(path).world == "corridor"
    with pytest.raises(ModelError) as caught:
        load_modules(path, world)
    assert caught.value.code == "model.encoding" and str(path) in str(caught.value)


def test_another_form_is_refused(path: Path) -> None:
    class Doors(Corridor):
        form = WordForm((*FORM.symbols, "door"), 5, 5, 4, FORM.reach)

    with pytest.raises(ModelError) as caught:
        load_modules(path, Doors())
    assert caught.value.code == "model.encoding"


Change = Callable[[dict[str, NDArray[np.generic]], dict[str, object]], object]


def nan(arrays: dict[str, NDArray[np.generic]], _: object) -> None:
    weights = arrays["view.w1"].copy()
    weights[3, 2] = np.nan
    arrays["view.w1"] = weights


CHANGES: dict[str, tuple[str, Change]] = {
    "another kind": ("model.kind", lambda arrays, values: values.update(kind="model")),
    "no world": ("model.config", lambda arrays, values: values.pop("world")),
    "no record": ("model.config", lambda arrays, values: values.update(record=3)),
    "no form": ("model.config", lambda arrays, values: values.pop("form")),
    "no cells": ("model.config", lambda arrays, values: values.update(form={**form(values), "cells": 0})),
    "a slot too far": (
        "model.config",
        lambda arrays, values: values.update(form={**form(values), "slots": 4}),
    ),
    "fewer cells": ("model.shape", lambda arrays, values: values.update(form={**form(values), "cells": 4})),
    "not finite": ("model.nonfinite", nan),
    "a layer short": ("model.shape", lambda arrays, values: arrays.pop("mask.b1")),
    "no first layer": (
        "model.shape",
        lambda arrays, values: [arrays.pop(name) for name in ("acts.w0", "acts.b0")],
    ),
    "a stranger": ("model.shape", lambda arrays, values: arrays.update(oracle=np.zeros(3, np.float32))),
    "a strange network": (
        "model.shape",
        lambda arrays, values: arrays.update(
            {"oracle.w0": np.zeros((1, 2), np.float32), "oracle.b0": np.zeros(1, np.float32)}
        ),
    ),
    "half precision": (
        "model.shape",
        lambda arrays, values: arrays.update({"view.w0": arrays["view.w0"].astype(np.float16)}),
    ),
    "a layer that does not fit": (
        "model.shape",
        lambda arrays, values: arrays.update({"view.w1": arrays["view.w1"][:, 1:]}),
    ),
    "a bias too long": (
        "model.shape",
        lambda arrays, values: arrays.update({"view.b0": np.zeros(25, np.float32)}),
    ),
    "a vector for a matrix": (
        "model.shape",
        lambda arrays, values: arrays.update({"view.w0": np.zeros(24, np.float32)}),
    ),
}


def form(values: dict[str, object]) -> dict[str, object]:
    found = values["form"]
    assert isinstance(found, dict)
    return found


@pytest.mark.parametrize("name", CHANGES)
def test_what_is_no_model_is_refused(path: Path, name: str) -> None:
    code, change = CHANGES[name]
    arrays, values = load_arrays(path)
    change(arrays, values)
    save_arrays(path, arrays, values)
    with pytest.raises(ModelError) as caught:
        load_modules(path)
    assert caught.value.code == code and str(path) in str(caught.value)


@given(data=st.data())
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_damaged_files_are_refused(path: Path, data: st.DataObject) -> None:
    """Whatever byte is flipped or missing, the file is refused with a code."""
    good = path.read_bytes()
    place = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    if data.draw(st.booleans()):
        bad[place] ^= data.draw(st.integers(1, 255))
    else:
        del bad[place:]
    damaged = path.with_name("damaged")
    damaged.write_bytes(bad)
    with pytest.raises(ModelError) as caught:
        load_modules(damaged, WORLD)
    assert caught.value.code.startswith("model.")


SHAPES = st.lists(st.integers(0, 3), max_size=3).map(tuple)
NAMES = st.sampled_from(["view.w0", "view.b0", "view.w1", "view.b1", "acts.w0", "x", "view.w", "view.w0.w0"])


@given(shapes=st.dictionaries(NAMES, SHAPES, max_size=5))
@settings(max_examples=100, deadline=None)
def test_blocks_make_networks_or_are_refused(shapes: dict[str, tuple[int, ...]]) -> None:
    arrays: dict[str, NDArray[np.generic]] = {
        name: np.ones(shape, np.float32) for name, shape in shapes.items()
    }
    try:
        networks = from_blocks(arrays)
    except ModelError as error:
        assert error.code == "model.shape"
        return
    assert blocks(networks).keys() == arrays.keys()
    for network in networks.values():
        assert (
            jax.eval_shape(network, np.zeros((2, network.sizes[0]), np.float32)).shape[1] == network.sizes[-1]
        )


def test_sizes_of_the_networks() -> None:
    found = {network: layers(FORM, SIZES, network) for networks in NETWORKS.values() for network in networks}
    assert found == {
        "equality": (15, 4, 1),
        "view": (15, 24, 20),
        "acts": (25, 12, 8, 1),
        "change": (25, 16, 12, 16),
        "inserts": (32, 20, 10, 1),
        "mask": (32, 24, 20, 18),
    }
    assert ends(FORM).keys() == found.keys()


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(StorageError):
        save_modules(tmp_path / "no folder" / "file", model(("input",)))
    assert isinstance(model().networks["view"], Dense)

"""Models: a trained machine with its record, as a file and by its name in the zoo."""

from dataclasses import dataclass
from importlib import resources
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from nhc.domains.protocol import OPS
from nhc.errors import ModelError, Place
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.runs.arrays import load_arrays, save_arrays, weight_hash
from nhc.tasks.algorithm import ALGORITHMS, Algorithm

SUFFIX = ".safetensors"
ZOO_PREFIX = "zoo:"
OP_ORDER = list(OPS)


@dataclass(frozen=True)
class Model:
    """A machine with weights, and how it came to them."""

    parameters: Parameters
    config: MachineConfig
    algorithm: Algorithm
    record: dict[str, object]
    """The training record: seed, iterations, configuration and so on; plain JSON values."""

    @property
    def hash(self) -> str:
        """The weight hash by which certificates name a model: metadata does not enter."""
        return weight_hash(dict(self.parameters.named_blocks(self.config)))


def save_model(path: str | Path, model: Model) -> None:
    """Write a model file atomically. Raises StorageError (`storage.write`)."""
    metadata: dict[str, object] = {
        "kind": "model",
        "task": model.algorithm.name,
        "signals": model.config.signals,
        "ops": OP_ORDER,
        "machine": model.config.recorded(),
        "record": model.record,
    }
    save_arrays(Path(path), dict(model.parameters.named_blocks(model.config)), metadata)


def load_model(name: str | Path) -> Model:
    """Read a model from a path or a zoo name such as `zoo:plan`.

    Raises ModelError: `model.missing`, `model.truncated`, `model.damaged`, `model.schema`, `model.kind`,
    `model.config`, `model.shape`, `model.nonfinite` or `model.zoo`.
    """
    is_zoo = isinstance(name, str) and name.startswith(ZOO_PREFIX)
    path = zoo_path(str(name).removeprefix(ZOO_PREFIX)) if is_zoo else Path(name)
    arrays, metadata = load_arrays(path)
    place = Place(str(path))
    if metadata.get("kind") != "model":
        raise ModelError("model.kind", f"expected a model, found kind {metadata.get('kind')!r}", place)
    algorithm = ALGORITHMS.get(str(metadata.get("task")))
    record = metadata.get("record")
    if algorithm is None or not isinstance(record, dict) or metadata.get("ops") != OP_ORDER:
        raise ModelError("model.config", "expected task, operations and record of this version", place)
    try:
        config = MachineConfig.model_validate(metadata.get("machine"))
    except ValidationError as error:
        raise ModelError("model.config", f"machine options do not validate: {error}", place) from error
    if config.signals != algorithm.signals:
        found = f"task {algorithm.name} needs {algorithm.signals} signals, found {config.signals}"
        raise ModelError("model.config", found, place)
    try:
        blocks = {block: np.asarray(array, np.float32) for block, array in arrays.items()}
        parameters = Parameters.from_blocks(blocks, config)
        wrong = sorted(block for block, array in blocks.items() if not np.isfinite(array).all())
        if wrong:
            raise ModelError(
                "model.nonfinite", f"expected finite weights, found others in {', '.join(wrong)}"
            )
    except ModelError as error:
        raise ModelError(error.code, error.message, place) from error
    return Model(parameters, config, algorithm, record)


def zoo_names() -> list[str]:
    """Names of the models that ship with the package."""
    folder = resources.files("nhc.zoo")
    files = (entry.name for entry in folder.iterdir())
    return sorted(name.removesuffix(SUFFIX) for name in files if name.endswith(SUFFIX))


def zoo_path(name: str) -> Path:
    """The file of a zoo model. Raises ModelError (`model.zoo`) for a name that does not ship."""
    if name not in zoo_names():
        raise ModelError("model.zoo", f"expected one of {', '.join(zoo_names())}, found {name!r}")
    return Path(str(resources.files("nhc.zoo").joinpath(name + SUFFIX)))

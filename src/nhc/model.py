"""Models: a trained machine with its record, as a file and by its name in the zoo."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from nhc.domains.protocol import OPS
from nhc.errors import ConfigError, ModelError, Place
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.runs.arrays import load_arrays, save_arrays, weight_hash
from nhc.tasks.algorithm import ALGORITHMS, Algorithm
from nhc.zoo import model_path

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
    `model.config`, `model.shape` or `model.zoo`.
    """
    path = model_path(name)
    arrays, metadata = load_arrays(path)
    place = Place(str(path))
    if metadata.get("kind") != "model":
        raise ModelError("model.kind", f"expected a model, found kind {metadata.get('kind')!r}", place)
    algorithm = ALGORITHMS.get(str(metadata.get("task")))
    record, machine = metadata.get("record"), metadata.get("machine")
    known = algorithm is not None and metadata.get("ops") == OP_ORDER
    if algorithm is None or not (known and isinstance(record, dict) and isinstance(machine, dict)):
        raise ModelError(
            "model.config", "expected task, operations, machine and record of this version", place
        )
    try:
        config = MachineConfig.model_validate(machine)
    except ConfigError as error:
        raise ModelError("model.config", f"machine options: {error.message}", place) from error
    if config.signals != algorithm.signals:
        found = f"task {algorithm.name} needs {algorithm.signals} signals, found {config.signals}"
        raise ModelError("model.config", found, place)
    try:
        blocks = {name: np.asarray(array, np.float32) for name, array in arrays.items()}
        parameters = Parameters.from_blocks(blocks, config)
    except ModelError as error:
        raise ModelError(error.code, error.message, place) from error
    return Model(parameters, config, algorithm, record)

"""Models: a trained machine with its record, as a file and by its name in the zoo."""

from dataclasses import dataclass
from pathlib import Path
from typing import cast

import numpy as np

from nhc.algorithms.protocol import Algorithm, InstanceT
from nhc.algorithms.registry import ALGORITHMS, AnyAlgorithm
from nhc.errors import ConfigError, ModelError, Place
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.runs.arrays import load_arrays, save_arrays, weight_hash
from nhc.zoo import model_path


@dataclass(frozen=True, eq=False)
class Model:
    """A machine with weights, and how it came to them."""

    parameters: Parameters
    config: MachineConfig
    algorithm: AnyAlgorithm
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
        "ops": list(model.algorithm.ops),
        "machine": model.config.recorded(),
        "record": model.record,
    }
    save_arrays(Path(path), dict(model.parameters.named_blocks(model.config)), metadata)


def load_model(name: str | Path, algorithm: Algorithm[InstanceT] | None = None) -> Model:
    """Read a model from a path or a zoo name such as `zoo:plan`.

    `algorithm` is needed for one that does not ship.

    Raises ModelError: `model.missing`, `model.truncated`, `model.damaged`, `model.schema`, `model.kind`,
    `model.config`, `model.shape`, `model.nonfinite` or `model.zoo`.
    """
    path = model_path(name)
    arrays, metadata = load_arrays(path)
    place = Place(str(path))
    if metadata.get("kind") != "model":
        raise ModelError("model.kind", f"expected a model, found kind {metadata.get('kind')!r}", place)
    learned = _learned(metadata, algorithm, place)
    record, machine = metadata.get("record"), metadata.get("machine")
    known = isinstance(machine, dict) and metadata.get("ops") == list(learned.ops)
    if not (known and isinstance(record, dict)):
        wanted = "task, operations, machine and record of this version"
        raise ModelError("model.config", f"expected {wanted}", place)
    try:
        config = MachineConfig.model_validate(machine)
    except ConfigError as error:
        raise ModelError("model.config", f"machine options: {error.message}", place) from error
    if config.signals != len(learned.signals):
        found = f"task {learned.name} needs {len(learned.signals)} signals, found {config.signals}"
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
    return Model(parameters, config, learned, record)


def _learned(metadata: dict[str, object], given: Algorithm[InstanceT] | None, place: Place) -> AnyAlgorithm:
    """The algorithm that a file names: the one given, or else one that ships."""
    name = str(metadata.get("task"))
    if given is not None and given.name != name:
        raise ModelError("model.config", f"expected a model of {given.name}, found one of {name}", place)
    learned = ALGORITHMS.get(name) if given is None else cast(AnyAlgorithm, given)
    if learned is None:
        found = f"{name} is none of the algorithms that ship: nhc.load_model(path, algorithm) takes your own"
        raise ModelError("model.config", found, place)
    return learned

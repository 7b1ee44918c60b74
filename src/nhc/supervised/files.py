"""Files of learned data modules: one tensor a block, and metadata that say for which words they are right.

A word is only bits: modules trained for another encoding would run on it and give nonsense. So a file names
its world and holds a hash of the world's encoding, and a file is never used where either differs.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path

import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter, ValidationError

from nhc.data.learned import LearnedModules
from nhc.data.networks import Dense, Experts, Network, Networks
from nhc.domains.local import FiniteWorld, LocalWorld, WordForm
from nhc.domains.protocol import BRANCHING, StateT
from nhc.domains.registry import AnyState, finite_world
from nhc.domains.states import picked
from nhc.errors import ModelError, Place
from nhc.runs.arrays import Arrays, load_arrays, save_arrays, weight_hash
from nhc.runs.canonical import canonical_json
from nhc.runs.storage import sha256
from nhc.streams import random_stream
from nhc.supervised.config import MODULES, NETWORKS, PROVABLE, ends, layers

KIND = "data-modules"
EXPERT_PARTS = ("bits", "strengths", "weights", "biases")
HASHED = 64
"""States whose words enter the encoding hash, each with its four successors."""


@dataclass(frozen=True, eq=False)
class DataModel:
    """Learned networks of some or all modules, and how they came to be."""

    networks: dict[str, Network]
    form: WordForm
    world: str
    encoding: str
    """`encoding_hash` of the world that they were trained for."""
    record: dict[str, object]
    """The training record: plain JSON values."""

    @property
    def hash(self) -> str:
        """The weight hash: metadata do not enter."""
        return weight_hash(blocks(self.networks))

    @property
    def modules(self) -> tuple[str, ...]:
        """The modules whose networks are all there."""
        return tuple(name for name in MODULES if {*NETWORKS[name]} <= self.networks.keys())


def learned_modules(model: DataModel) -> LearnedModules:
    """The four modules, ready to use. Raises ModelError (`model.incomplete`) if some are not there."""
    missing = [name for name in MODULES if name not in model.modules]
    if missing:
        raise ModelError("model.incomplete", f"expected all modules, found none of {', '.join(missing)}")
    return LearnedModules(model.networks, model.form, model.world)


def blocks(networks: Networks) -> Arrays:
    """`NETWORK.wI` and `NETWORK.bI` for each layer I, `NETWORK.bits`, `.strengths`, `.weights`, `.biases` for
    experts; float32."""
    named: Arrays = {}
    for name, network in networks.items():
        if isinstance(network, Experts):
            named |= {
                f"{name}.{part}": np.asarray(getattr(network, part), np.float32) for part in EXPERT_PARTS
            }
            continue
        for number, (weight, bias) in enumerate(zip(network.weights, network.biases, strict=True)):
            named[f"{name}.w{number}"] = np.asarray(weight, np.float32)
            named[f"{name}.b{number}"] = np.asarray(bias, np.float32)
    return named


def from_blocks(arrays: Mapping[str, NDArray[np.generic]]) -> dict[str, Network]:
    """The networks of named blocks; blocks of other names are refused.

    Raises ModelError: `model.shape` if layers are missing or do not fit to each other, `model.nonfinite`
    for weights that are not finite numbers.
    """
    networks: dict[str, Network] = {}
    for name in sorted({block.split(".")[0] for block in arrays}):
        if f"{name}.bits" in arrays:
            networks[name] = _experts(name, arrays)
            continue
        count = sum(block.startswith(f"{name}.w") for block in arrays)
        names = [(f"{name}.w{number}", f"{name}.b{number}") for number in range(count)]
        if not count or not {part for pair in names for part in pair} <= arrays.keys():
            raise ModelError("model.shape", f"{name}: expected layers numbered from 0, each with w and b")
        layers = [(_checked(weight, arrays), _checked(bias, arrays)) for weight, bias in names]
        _require_chain(name, layers)
        weights, biases = zip(*layers, strict=True)
        networks[name] = Dense(tuple(map(jnp.asarray, weights)), tuple(map(jnp.asarray, biases)))
    if len(arrays) != len(blocks(networks)):
        unknown = sorted(arrays.keys() - blocks(networks).keys())
        raise ModelError("model.shape", f"expected weights and biases only, found {', '.join(unknown)}")
    return networks


def _experts(name: str, arrays: Mapping[str, NDArray[np.generic]]) -> Experts:
    named = [f"{name}.{part}" for part in EXPERT_PARTS]
    if not {*named} <= arrays.keys():
        raise ModelError("model.shape", f"{name}: expected {', '.join(EXPERT_PARTS)} of experts")
    bits, strengths, weights, biases = (_checked(block, arrays) for block in named)
    whole = bits.ndim == 1 and len(bits) > 0 and (bits == np.round(bits)).all() and (bits >= 0).all()
    fits = weights.ndim == 3 and weights.shape[:2] == biases.shape and weights.shape[2] > 0
    if not (
        whole and fits and strengths.shape == bits.shape == biases.shape[:1] and (np.diff(bits) > 0).all()
    ):
        raise ModelError("model.shape", f"{name}: expected experts for ascending bits, all of one shape")
    numbers = tuple(int(bit) for bit in bits)
    return Experts(jnp.asarray(strengths), jnp.asarray(weights), jnp.asarray(biases), numbers)


def _checked(name: str, arrays: Mapping[str, NDArray[np.generic]]) -> NDArray[np.float32]:
    array = arrays[name]
    if array.dtype != np.float32:
        raise ModelError("model.shape", f"{name}: expected float32, found {array.dtype}")
    if not np.isfinite(array).all():
        raise ModelError("model.nonfinite", f"{name}: expected finite weights, found others")
    return np.asarray(array, np.float32)


def _require_chain(name: str, layers: list[tuple[NDArray[np.float32], NDArray[np.float32]]]) -> None:
    units = None
    for number, (weight, bias) in enumerate(layers):
        fits = weight.ndim == 2 and bias.shape == weight.shape[:1] and units in (None, weight.shape[1])
        if not fits:
            found = f"weights {weight.shape} and biases {bias.shape} after {units} units"
            raise ModelError(
                "model.shape", f"{name}: layer {number}: expected a matching layer, found {found}"
            )
        units = weight.shape[0]


def encoding_hash(world: LocalWorld[StateT]) -> str:
    """SHA-256 over name, form and family of a world, and over the words of some fixed states.

    The words tell apart worlds that differ in the order of symbols or cells only.
    """
    if isinstance(world, FiniteWorld):
        batch = next(iter(world.family_states()))
        count = len(np.asarray(batch[0]))
        states = picked(batch, np.unique(np.linspace(0, count - 1, HASHED).astype(np.int64)))
    else:
        states = world.sample(random_stream(0, "modules encoding"), HASHED)
    words = [world.encode(each) for each in (states, *(world.step(states, op) for op in range(BRANCHING)))]
    bits = sha256(np.concatenate(words).astype(np.uint8).tobytes())
    return sha256(canonical_json([world.name, _form_values(world.form), world.family, bits]).encode())


def save_modules(path: Path, model: DataModel) -> None:
    """Write a file of data modules atomically. Raises StorageError (`storage.write`)."""
    metadata: dict[str, object] = {
        "kind": KIND,
        "world": model.world,
        "form": _form_values(model.form),
        "encoding": model.encoding,
        "record": model.record,
    }
    save_arrays(path, blocks(model.networks), metadata)


def load_modules(path: Path, world: LocalWorld[StateT] | None = None) -> DataModel:
    """Read a file of data modules; with `world`, only if it was trained for that world and its encoding.

    Raises ModelError: those of `load_arrays`, `model.kind` (not data modules), `model.config` (metadata of
    another version), `model.shape`, `model.nonfinite`, `model.encoding` (another world or encoding).
    """
    arrays, metadata = load_arrays(path)
    with _told_of(path):
        model = _model(arrays, metadata)
        if world is not None:
            require_world(model, world)
    return model


def load_with_world(path: Path) -> tuple[DataModel, FiniteWorld[AnyState]]:
    """A file of data modules and the world that it names.

    Raises what `load_modules` raises with a world, and what `finite_world` raises.
    """
    model = load_modules(path)
    world = finite_world(model.world)
    with _told_of(path):
        require_world(model, world)
    return model, world


@contextmanager
def _told_of(path: Path) -> Iterator[None]:
    """Errors of what was read name the file."""
    try:
        yield
    except ModelError as error:
        raise ModelError(error.code, error.message, Place(str(path))) from error


def require_world(model: DataModel, world: LocalWorld[StateT]) -> None:
    """Raises ModelError (`model.encoding`) unless the model was trained for this world's words."""
    if model.world != world.name:
        raise ModelError("model.encoding", f"expected modules for {world.name}, found some for {model.world}")
    if model.form != world.form or model.encoding != encoding_hash(world):
        message = f"expected the words and the family that {world.name} has now, found another encoding"
        raise ModelError("model.encoding", message)


def _model(arrays: Arrays, metadata: Mapping[str, object]) -> DataModel:
    if metadata.get("kind") != KIND:
        raise ModelError("model.kind", f"expected data modules, found kind {metadata.get('kind')!r}")
    world, encoding, record = (metadata.get(name) for name in ("world", "encoding", "record"))
    form = _form(metadata.get("form"))
    if not (isinstance(world, str) and isinstance(encoding, str) and isinstance(record, dict)):
        raise ModelError("model.config", "expected world, encoding and record of this version")
    networks = from_blocks(arrays)
    for name, network in networks.items():
        _require_ends(name, network, form)
    return DataModel(networks, form, world, encoding, record)


def _require_ends(name: str, network: Network, form: WordForm) -> None:
    """Raises ModelError (`model.shape`) for a network that cannot read or write what its name says."""
    expected, found = ends(form).get(name), (network.sizes[0], network.sizes[-1])
    if expected is None:
        raise ModelError("model.shape", f"expected networks of data modules, found {name!r}")
    if isinstance(network, Experts):
        reads, *_, outputs = layers(form, PROVABLE, name)
        if name not in PROVABLE.experts or found != (reads, outputs) or network.bits[-1] >= form.word_bits:
            raise ModelError(
                "model.shape", f"{name}: expected other inputs and outputs, found experts {found}"
            )
    elif found != expected:
        message = f"{name}: expected {expected[0]} inputs and {expected[1]} outputs, found {found}"
        raise ModelError("model.shape", message)


def _form_values(form: WordForm) -> dict[str, object]:
    return {**asdict(form), "symbols": list(form.symbols), "reach": [list(slots) for slots in form.reach]}


def _form(value: object) -> WordForm:
    """The form of a word from metadata. Raises ModelError (`model.config`)."""
    with suppress(ValidationError):
        form = TypeAdapter(WordForm).validate_json(canonical_json(value), strict=True)
        if _form_values(form) == value and form.lacks is None:
            return form
    raise ModelError("model.config", f"expected how words are made of cells, found {value!r}")

"""Named arrays with metadata in one safetensors file: models and checkpoints.

The file holds a single metadata entry, `nhc`: canonical JSON with the schema version, the caller's metadata
and a checksum. Nothing in it can be executed, and equal content gives equal bytes.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import safetensors
import safetensors.numpy
from numpy.typing import NDArray

from nhc.errors import ModelError, Place
from nhc.runs.canonical import canonical_json, parse_json
from nhc.runs.storage import sha256, write_atomically

SCHEMA = 1
"""Version of the layout; raised whenever an older `nhc` could misread a new file."""

ENTRY = "nhc"

Arrays = dict[str, NDArray[np.generic]]

# The format's own limit on its header; a larger number means that the first bytes are something else.
_MAX_HEADER_BYTES = 100_000_000


def save_arrays(
    path: Path, arrays: Mapping[str, NDArray[np.generic]], metadata: Mapping[str, object]
) -> None:
    """Write the arrays (bool, integer or float, any shape) and the metadata (plain JSON values) atomically.

    Raises StorageError (code `storage.write`); ValueError or TypeError for content that is none of the above.
    """
    plain = {name: _little_endian(name, arrays[name]) for name in sorted(arrays)}
    envelope = {"checksum": _checksum(plain, metadata), "metadata": dict(metadata), "schema": SCHEMA}
    write_atomically(path, safetensors.numpy.save(plain, {ENTRY: canonical_json(envelope)}))


def load_arrays(path: Path) -> tuple[Arrays, dict[str, object]]:
    """The arrays and the metadata of a file that `save_arrays` wrote.

    Raises ModelError: `model.missing` (no such file), `model.unreadable` (the system refuses),
    `model.truncated` (too short), `model.damaged` (not what was written) or `model.schema` (another
    program's or a newer version's file).
    """
    place = Place(file=str(path))
    data = _read(path, place)
    header = _header(data, place)
    envelope = _envelope(header, place)
    try:
        arrays: Arrays = dict(safetensors.numpy.load(data))
    # KeyError is the library's answer to an element type that NumPy lacks.
    except (safetensors.SafetensorError, KeyError, ValueError, TypeError) as error:
        raise ModelError("model.damaged", f"expected a safetensors file, found: {error}", place) from error
    metadata = envelope.get("metadata")
    if not isinstance(metadata, dict):
        raise ModelError("model.damaged", f"expected metadata as an object, found {metadata!r}", place)
    expected, found = envelope.get("checksum"), _checksum(arrays, metadata)
    if found != expected:
        raise ModelError("model.damaged", f"expected content with checksum {expected}, found {found}", place)
    return arrays, metadata


def weight_hash(arrays: Mapping[str, NDArray[np.generic]]) -> str:
    """SHA-256 of the arrays alone, 64 hexadecimal digits; certificates name models by it.

    For each array in the order of its name: the JSON text `["name",[rows,columns]]` (no spaces), a line
    feed, and the elements row by row as little-endian bytes.
    """
    digest = hashlib.sha256()
    for name in sorted(arrays):
        array = _little_endian(name, arrays[name])
        digest.update(canonical_json([name, list(array.shape)]).encode() + b"\n")
        digest.update(array.tobytes())
    return digest.hexdigest()


def _little_endian(name: str, array: NDArray[np.generic]) -> NDArray[np.generic]:
    """The array in row order and little-endian: the writer takes memory as it lies."""
    if array.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected bool, integer or float elements, found {array.dtype}")
    return np.asarray(array, dtype=array.dtype.newbyteorder("<"), order="C")


def _checksum(arrays: Arrays, metadata: Mapping[str, object]) -> str:
    """Covers names, element types, shapes, elements and metadata, so that any flipped bit is noticed."""
    types = {name: array.dtype.name for name, array in arrays.items()}
    return sha256(canonical_json([SCHEMA, dict(metadata), types, weight_hash(arrays)]).encode())


def _read(path: Path, place: Place) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError as error:
        raise ModelError("model.missing", "expected a model file, found no such file", place) from error
    except OSError as error:
        message = f"expected a readable model file, found: {error.strerror or error}"
        raise ModelError("model.unreadable", message, place) from error


def _header(data: bytes, place: Place) -> dict[str, object]:
    """The JSON header, after checking that the file is as long as it says; safetensors checks the rest."""
    if len(data) < 8:
        raise ModelError("model.truncated", f"expected at least 8 bytes, found {len(data)}", place)
    start = 8 + int.from_bytes(data[:8], "little")
    if start > _MAX_HEADER_BYTES or data[8:9] not in (b"", b"{"):
        raise ModelError("model.damaged", "expected a safetensors file, found another format", place)
    if len(data) < start:
        raise ModelError("model.truncated", f"expected at least {start} bytes, found {len(data)}", place)
    try:
        header = parse_json(data[8:start])
        if not isinstance(header, dict):
            raise ValueError("no JSON object")
        size = start + max((_end(name, entry) for name, entry in header.items()), default=0)
    except (ValueError, UnicodeDecodeError) as error:
        raise ModelError("model.damaged", f"expected a safetensors header, found: {error}", place) from error
    if len(data) < size:
        raise ModelError("model.truncated", f"expected {size} bytes, found {len(data)}", place)
    return header


def _end(name: str, entry: object) -> int:
    """Where an array's bytes end, counted from the end of the header."""
    if name == "__metadata__":
        return 0
    match entry:
        case {"data_offsets": [int(), int(end)]}:
            return end
    raise ValueError(f"no offsets for {name}")


def _envelope(header: Mapping[str, object], place: Place) -> dict[str, object]:
    """Our metadata entry, after checking its schema version."""
    entries = header.get("__metadata__")
    text = entries.get(ENTRY) if isinstance(entries, dict) else None
    if not isinstance(text, str):
        raise ModelError("model.schema", "expected metadata of nhc, found a file without it", place)
    try:
        envelope = parse_json(text)
    except ValueError as error:
        raise ModelError("model.damaged", f"expected JSON metadata, found: {error}", place) from error
    version = envelope.get("schema") if isinstance(envelope, dict) else None
    if not isinstance(envelope, dict) or version != SCHEMA:
        message = f"expected schema version {SCHEMA}, found {version!r}; a newer nhc may have written it"
        raise ModelError("model.schema", message, place)
    return envelope

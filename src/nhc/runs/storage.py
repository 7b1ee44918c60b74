"""Files that are written completely or not at all, and their hashes.

A temporary file in the same folder is filled, flushed to the disk and renamed, and the folder is flushed too:
a reader, a full disk or a killed machine sees the old content or the new one, never a part of it.
"""

import contextlib
import hashlib
import os
import secrets
from pathlib import Path

from nhc.errors import InputError, Place, StorageError

TEMPORARY_PREFIX = ".nhc-"
TEMPORARY_SUFFIX = ".tmp"


def write_atomically(path: Path, data: bytes) -> None:
    """Put `data` at `path`, replacing what stood there in one step; the folder must exist.

    A device or a pipe is not replaced but written to. Raises StorageError (code `storage.write`) when that
    fails, for example on a full disk; then the old file is untouched and no temporary file is left.
    """
    # A short name of its own: a suffix on a long name could exceed what the file system allows.
    temporary = path.parent / f"{TEMPORARY_PREFIX}{secrets.token_hex(8)}{TEMPORARY_SUFFIX}"
    try:
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
        with temporary.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        _flush_folder(path.parent)
    except OSError as error:
        raise storage_error(path, error) from error
    finally:  # also after an interrupt; the replaced file has left this name
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)


def _flush_folder(folder: Path) -> None:
    """Let the new name reach the disk; where folders cannot be flushed, the file is in place all the same."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def write_text_atomically(path: Path, text: str) -> None:
    """`write_atomically` for text, in UTF-8 and with line feeds as they are."""
    write_atomically(path, text.encode())


def sha256(data: bytes) -> str:
    """SHA-256 of the bytes, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes; raises InputError (code `storage.read`) if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        message = f"expected a readable file, found: {error.strerror or error}"
        raise InputError("storage.read", message, Place(file=str(path))) from error


def storage_error(path: Path, error: OSError) -> StorageError:
    """The error for a file or folder that the system refused to write."""
    message = f"could not be written: {error.strerror or error}; what stood there before is unchanged"
    return StorageError("storage.write", message, Place(file=str(path)))

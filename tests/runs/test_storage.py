"""Files are replaced in one step or not at all."""

import errno
import hashlib
import os
import resource
import signal
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from nhc.errors import InputError, StorageError
from nhc.runs.storage import sha256, sha256_file, write_atomically, write_text_atomically


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """The system itself refuses to let any file of this process grow beyond `size` bytes."""
    old_limit = resource.getrlimit(resource.RLIMIT_FSIZE)
    old_action = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, old_limit[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, old_limit)
        signal.signal(signal.SIGXFSZ, old_action)


def test_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_atomically(path, b"old")
    write_atomically(path, b"\x00new\r\n")
    assert path.read_bytes() == b"\x00new\r\n"
    assert os.listdir(tmp_path) == ["file"]


def test_text_is_utf8_with_its_own_line_ends(tmp_path: Path) -> None:
    write_text_atomically(tmp_path / "file", "ä\r\nb\n")
    assert (tmp_path / "file").read_bytes() == b"\xc3\xa4\r\nb\n"


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    write_atomically(tmp_path / "file", b"")
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((tmp_path / "file").stat().st_mode) == 0o666 & ~umask


def test_a_full_disk_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    with largest_file(1000), pytest.raises(StorageError) as caught:
        write_atomically(path, b"x" * 1001)
    assert caught.value.code == "storage.write"
    assert caught.value.exit_code == 1
    assert caught.value.place is not None and caught.value.place.file == str(path)
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_failure_of_any_step_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, step, fail)
    with pytest.raises(StorageError, match="No space left"):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


def test_data_reach_the_disk_before_the_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    steps: list[str] = []
    fsync, replace = os.fsync, os.replace

    def note_fsync(descriptor: int) -> None:
        status = os.fstat(descriptor)
        steps.append("fsync folder" if stat.S_ISDIR(status.st_mode) else f"fsync {status.st_size}")
        fsync(descriptor)

    def note_replace(old: Path, new: Path) -> None:
        steps.append("replace")
        replace(old, new)

    monkeypatch.setattr(os, "fsync", note_fsync)
    monkeypatch.setattr(os, "replace", note_replace)
    write_atomically(tmp_path / "file", b"12345")
    assert steps == ["fsync 5", "replace", "fsync folder"]


def test_a_device_is_written_to_and_stays(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    write_atomically(pipe, b"12345")
    assert os.read(reader, 9) == b"12345" and stat.S_ISFIFO(pipe.stat().st_mode)
    os.close(reader)
    with pytest.raises(StorageError, match="No space left"):
        write_atomically(Path("/dev/full"), b"x")


def test_an_interrupt_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "file"
    path.write_bytes(b"old")
    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write_atomically(path, b"new")
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["file"]


@pytest.mark.parametrize("name", ["missing/file", "file/inside"])
def test_a_folder_that_is_none(tmp_path: Path, name: str) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(StorageError) as caught:
        write_atomically(tmp_path / name, b"")
    assert caught.value.code == "storage.write"


def test_the_longest_name_works(tmp_path: Path) -> None:
    write_atomically(tmp_path / ("n" * 255), b"x")
    assert (tmp_path / ("n" * 255)).read_bytes() == b"x"


def test_hashes(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"abc")
    known = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert sha256(b"abc") == sha256_file(tmp_path / "file") == known == hashlib.sha256(b"abc").hexdigest()


def test_hash_of_a_missing_file(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        sha256_file(tmp_path / "none")
    assert caught.value.code == "storage.read"

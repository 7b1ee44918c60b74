"""The folder of a training run: what was asked, what happened, and where to go on."""

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from nhc.errors import ConfigError, Place
from nhc.runs.canonical import parse_json, readable_json
from nhc.runs.checkpoints import checkpoint_files, delete_files, temporary_files
from nhc.runs.jsonlines import JsonLines
from nhc.runs.storage import storage_error, write_text_atomically
from nhc.runs.toml import dump_toml, load_toml

SCHEMA = 1
"""Version of the folder's layout, kept in meta.json as `run_schema`."""

LOCK = "lock"

EVENTS = ".nhc"
"""Ending of event files, whose names would otherwise end with that of the computer."""
_WRITTEN_KINDS = {
    "figures": (".png", ".svg"),
    "traces": (".json", ".jsonl", ".html"),
    "tensorboard": (EVENTS,),
}


class RunDirectory:
    """A run's folder; make one with `create` or `open`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lock_file = path / LOCK
        """Held by the process that writes into the folder; see `nhc.runs.lock`."""
        self.config_file = path / "config.toml"
        """Every setting, enough to repeat the run."""
        self.meta_file = path / "meta.json"
        """Versions, device, times and status."""
        self.metrics = JsonLines(path / "metrics.jsonl")
        """A line an iteration, deterministic: equal seeds give equal bytes on one kind of device."""
        self.timing = JsonLines(path / "timing.jsonl")
        """The log of times and rates: fields that differ from run to run."""
        self.checkpoints = path / "checkpoints"
        """Folder of the newest two states, see `nhc.runs.checkpoints`."""
        self.learning_file = path / "learning.safetensors"
        """A few of the weights along the way, see `nhc.training.learning`."""
        self.figures = path / "figures"
        """Folder of pictures."""
        self.traces = path / "traces"
        """Folder of recorded episodes."""
        self.tensorboard = path / "tensorboard"
        """Folder of event files, where they were asked for."""

    @classmethod
    def create(
        cls, path: Path, config: Mapping[str, object], meta: Mapping[str, object], overwrite: bool = False
    ) -> "RunDirectory":
        """Make the folder and write its configuration and metadata.

        A folder that holds anything is refused with ConfigError (code `run.exists`). With `overwrite` an
        earlier run in it is deleted, file by file and nothing else; a folder that holds no run is refused
        all the same. Raises StorageError (code `storage.write`), and ConfigError (`config.value`) for a
        configuration that TOML cannot express.
        """
        run = cls.claim(path, overwrite)
        delete_files(run._written_files())
        # Metadata first: by it an interrupted creation is known as a run and may be overwritten.
        run._write_meta({**meta, "run_schema": SCHEMA})
        write_text_atomically(run.config_file, dump_toml(config))
        return run

    @classmethod
    def claim(cls, path: Path, overwrite: bool = False) -> "RunDirectory":
        """Make the folders of a run that may be created at `path`; nothing is written or deleted.

        Raises ConfigError (`run.exists`) and StorageError (`storage.write`).
        """
        run = cls(path)
        try:
            _refuse_occupied(path, overwrite)
        except OSError as error:  # a name that is too long, a folder that cannot be looked into
            raise storage_error(path, error) from error
        run.make_folders()
        return run

    @classmethod
    def open(cls, path: Path) -> "RunDirectory":
        """An existing run; only reads.

        Raises ConfigError: `run.missing` if the folder holds no run, `run.damaged` if its metadata are not
        JSON, `run.schema` if another version wrote it.
        """
        run = cls(path)
        place = Place(file=str(path))
        if not run.is_begun:
            raise ConfigError("run.missing", "expected a run with config.toml and meta.json", place)
        version = run.read_meta().get("run_schema")
        if version != SCHEMA:
            message = f"expected a run of schema version {SCHEMA}, found {version!r}"
            raise ConfigError("run.schema", message, place)
        return run

    def make_folders(self) -> None:
        """Make the folders of a run that are not there: copies by git lose empty ones.

        Raises StorageError (code `storage.write`).
        """
        try:
            for folder in (self.checkpoints, self.figures, self.traces):
                folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise storage_error(self.path, error) from error

    @property
    def is_begun(self) -> bool:
        """Is there a run that can go on? A kill may have come before its first two files were written."""
        return self.meta_file.is_file() and self.config_file.is_file()

    def read_config(self) -> dict[str, object]:
        """The configuration as written; raises ConfigError (`config.missing`, `config.toml`)."""
        return load_toml(self.config_file)

    def read_meta(self) -> dict[str, object]:
        """The metadata; raises ConfigError (code `run.damaged`) if they cannot be read."""
        try:
            meta = parse_json(self.meta_file.read_bytes())
            if not isinstance(meta, dict):
                raise ValueError(f"{type(meta).__name__} instead of an object")
        except (OSError, ValueError) as error:
            message = f"expected metadata of a run, found: {error}"
            raise ConfigError("run.damaged", message, Place(file=str(self.meta_file))) from error
        return meta

    def update_meta(self, changes: Mapping[str, object]) -> None:
        """Set some metadata, such as status and end, and keep the others; atomic.

        Raises ConfigError (code `run.damaged`) and StorageError (code `storage.write`).
        """
        self._write_meta({**self.read_meta(), **changes})

    def truncate_after(self, iteration: int) -> None:
        """Cut both logs back to the checkpoint from which the run goes on; see `JsonLines.truncate_after`."""
        self.metrics.truncate_after(iteration)
        self.timing.truncate_after(iteration)

    def _write_meta(self, meta: Mapping[str, object]) -> None:
        write_text_atomically(self.meta_file, readable_json(dict(meta)))

    def _written_files(self) -> list[Path]:
        """Everything in the folder that a run writes, and nothing that somebody put beside it."""
        logs = (self.metrics.path, self.timing.path)
        files = [self.config_file, self.meta_file, *logs, self.learning_file]
        files += checkpoint_files(self.checkpoints).values()
        for name, kinds in _WRITTEN_KINDS.items():
            files += [file for file in sorted((self.path / name).glob("*")) if file.suffix in kinds]
        for folder in (self.path, self.checkpoints, self.figures, self.traces):
            files += temporary_files(folder)
        return files


def _refuse_occupied(path: Path, overwrite: bool) -> None:
    """Let pass a free path, an empty folder and, with `overwrite`, a folder that holds a run."""
    place = Place(file=str(path))
    if not path.exists():
        return
    if not path.is_dir():
        raise ConfigError("run.exists", "expected a folder or a free path, found a file", place)
    if not any(entry.is_file() and entry.name not in (LOCK, f"{LOCK}-journal") for entry in path.rglob("*")):
        return
    if not overwrite:
        raise ConfigError("run.exists", "expected an empty folder; --overwrite replaces a run", place)
    with suppress(ConfigError):
        if "run_schema" in RunDirectory(path).read_meta():
            return
    message = "expected an earlier run, found other files; nothing was deleted"
    raise ConfigError("run.exists", message, place)

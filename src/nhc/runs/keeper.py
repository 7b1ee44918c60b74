"""One keeper for every kind of training: its folder, its logs and checkpoints, and resuming from any kill.

Logs are written just before each checkpoint, so a log never lacks an iteration that a checkpoint has; what it
has beyond the checkpoint is cut off at a resume and written again, equal byte for byte.
"""

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Generic, NamedTuple, TypeVar

from nhc.errors import ConfigError, ModelError, NhcError, Place
from nhc.runs.canonical import canonical_json
from nhc.runs.checkpoints import Checkpoint, checkpoint_files, intact_checkpoints, save_checkpoint
from nhc.runs.codec import decoded, encoded
from nhc.runs.directory import RunDirectory
from nhc.runs.environment import RANDOM_NUMBERS, VERSIONS, changes, environment
from nhc.runs.lock import held
from nhc.runs.progress import Progress, warning
from nhc.runs.storage import sha256

StateT = TypeVar("StateT")
Record = Mapping[str, object]

FINISHED = "finished"
BUSY = "another process writes to this run; wait for it, or use another folder"


@dataclass(frozen=True)
class RunKind(Generic[StateT]):
    """What the keeper must know of a kind of training."""

    name: str
    """Of its checkpoints, for example `checkpoint` or `modules-checkpoint`."""
    config: Mapping[str, object]
    """Every setting, as config.toml shows it; `seed` among them."""
    start: StateT
    """The state before the first iteration."""
    iteration: Callable[[StateT], int]
    """Number of the last iteration that led to a state; 0 at the start."""
    free: Mapping[str, int] = field(default_factory=dict)
    """Arrays whose length may change, see `nhc.runs.codec.decoded`."""
    example: StateT | None = None
    """Any state with all that a checkpoint may hold, by which it is read; the start if that has it all."""
    seconds: float = 2.0
    """At least so long between two checkpoints."""


@contextmanager
def new_run(
    kind: RunKind[StateT], path: Path, progress: Progress, *, overwrite: bool = False
) -> Iterator["Keeper[StateT]"]:
    """Start a run in a new folder.

    Raises ConfigError (`run.exists`; `run.busy` if another process writes there), StorageError. What ends the
    block ends the run, see `Keeper`.
    """
    meta = {
        **environment(),
        "seed": kind.config["seed"],
        "config_hash": _hash(kind.config),
        "status": "running",
        "start": _now(),
    }
    directory = RunDirectory.claim(path, overwrite)
    with held(directory.lock_file, "run.busy", BUSY):
        # Asked again by `create`: another process may have begun a run here meanwhile.
        RunDirectory.create(path, kind.config, meta, overwrite)
        keeper = Keeper(directory, kind, kind.start, lines=0)
        keeper.save()
        with _ended(keeper, progress):
            yield keeper


@contextmanager
def resumed_run(kind: RunKind[StateT], path: Path, progress: Progress) -> Iterator["Keeper[StateT]"]:
    """Go on with the run in a folder from its newest checkpoint.

    Raises ConfigError: `run.missing`, `run.busy`, `run.config` (another configuration, or an edited one),
    `run.environment` (other random numbers), `run.damaged` (no checkpoint fits to the log); ModelError for
    damaged checkpoints; StorageError.
    """
    directory = RunDirectory.open(path)
    with held(directory.lock_file, "run.busy", BUSY):
        require_config(directory, kind.config)
        _require_environment(directory, progress)
        directory.make_folders()
        found = _checkpoint(directory, progress)
        state, lines = kind.start, 0
        if found is not None:
            state, lines = restored(found, kind)
        directory.truncate_after(kind.iteration(state))
        directory.update_meta({"status": "running", "resumed": _now()})
        keeper = Keeper(directory, kind, state, lines)
        with _ended(keeper, progress):
            yield keeper


class _Waiting(NamedTuple):
    """Records that no checkpoint covers yet; replaced as a whole, so that no interrupt finds a half of it."""

    since: int
    """Iteration of the last checkpoint."""
    lines: int
    """Of the log, up to there."""
    records: list[Record]


class Keeper(Generic[StateT]):
    """Collects what a run reports and writes it every few seconds.

    KeyboardInterrupt leaves a checkpoint and the status `interrupted`, an error the status `failed`. An
    interrupt between any two lines of this class does no harm: what it cut short is taken back by the next
    write and written again.
    """

    def __init__(self, directory: RunDirectory, kind: RunKind[StateT], state: StateT, lines: int) -> None:
        self.directory, self.state = directory, state
        """Where it is kept; and the state of the last iteration that was noted."""
        self._kind = kind
        self._waiting = _Waiting(kind.iteration(state), lines, [])
        self._writing = False
        self._timing: Record = {}
        self._began = self._kept_at = time.monotonic()

    @property
    def seconds(self) -> float:
        """Since this process began or resumed the run."""
        return time.monotonic() - self._began

    def note(
        self, state: StateT, records: Sequence[Record], timing: Record | None = None, *, now: bool = False
    ) -> None:
        """Take note of iterations and of the state that they led to; write if it is time, or `now`.

        `timing` goes into timing.jsonl: what differs from run to run. Raises ConfigError (`run.nonfinite`)
        for a record with NaN or infinity, which ends the run at the state before it.
        """
        self._require_finite(records)
        # Records first: a log may be ahead of its checkpoint, never behind.
        self._waiting.records.extend(records)
        self.state = state
        self._timing = timing or {}
        if now or time.monotonic() - self._kept_at >= self._kind.seconds:
            self.keep()

    def keep(self) -> None:
        """Write the logs, then a checkpoint, of everything noted so far; nothing if no record waits."""
        waiting = self._waiting
        if self._writing:
            self.directory.truncate_after(waiting.since)
        self._writing = True
        if waiting.records:
            iteration = self._kind.iteration(self.state)
            lines = waiting.lines + sum(_number(record) <= iteration for record in waiting.records)
            self.directory.metrics.append(waiting.records)
            timing = {"iteration": iteration, "elapsed_s": round(self.seconds, 3), **self._timing}
            self.directory.timing.append([timing])
            self.save(lines)
            self._waiting = _Waiting(iteration, lines, [])
        self._writing = False
        self._kept_at = time.monotonic()

    def save(self, lines: int = 0) -> None:
        """Write a checkpoint of the state; `lines` are those of the log up to it."""
        arrays, values = encoded(self.state)
        metadata = {"kind": self._kind.name, "lines": lines, "state": values}
        save_checkpoint(self.directory.checkpoints, self._kind.iteration(self.state), arrays, metadata)

    def finish(self, status: str = FINISHED, **meta: object) -> None:
        """Set the status of a run that has ended, after its last files are written."""
        self.directory.update_meta({"status": status, "end": _now(), **meta})

    def _require_finite(self, records: Sequence[Record]) -> None:
        for record in records:
            numbers = [(name, value) for name, value in record.items() if isinstance(value, float)]
            wrong = [name for name, value in numbers if not math.isfinite(value)]
            if wrong:
                self.keep()
                good = self._kind.iteration(self.state)
                message = (
                    f"iteration {_number(record)}: expected finite numbers, found {wrong[0]} "
                    f"{record[wrong[0]]}; the last good checkpoint is that of iteration {good}"
                )
                raise ConfigError("run.nonfinite", message, Place(str(self.directory.path)))


@contextmanager
def _ended(keeper: Keeper[StateT], progress: Progress) -> Iterator[None]:
    """Whatever ends the run, the folder says so."""
    try:
        yield
    except KeyboardInterrupt:
        keeper.keep()
        keeper.finish("interrupted")
        raise
    except Exception:
        with suppress(NhcError):
            keeper.finish("failed")
        raise
    finally:
        progress.close()


def restored(found: Checkpoint, kind: RunKind[StateT]) -> tuple[StateT, int]:
    """State and lines of the log of a checkpoint. Raises ModelError."""
    values, name = found.metadata.get("state"), found.metadata.get("kind")
    example = kind.start if kind.example is None else kind.example
    try:
        if name != kind.name or not isinstance(values, dict):
            raise ModelError("model.checkpoint", f"expected a {kind.name} of this version, found {name!r}")
        return decoded(found.arrays, values, example, kind.free), _lines(found)
    except ModelError as error:
        raise ModelError(error.code, error.message, Place(str(found.path))) from error


def _checkpoint(directory: RunDirectory, progress: Progress) -> Checkpoint | None:
    """The newest checkpoint whose log is whole; None if there is none and the log is empty."""
    logged = [_number(record) for record in directory.metrics.read()]
    files = checkpoint_files(directory.checkpoints)
    for found in intact_checkpoints(directory.checkpoints):
        if sum(number <= found.iteration for number in logged) == _lines(found):
            newer = [path.name for number, path in reversed(files.items()) if number > found.iteration]
            if newer:
                text = f"{', '.join(newer)} damaged, or ahead of the log"
                text += f"; going on from iteration {found.iteration}"
                progress.say(warning("run.checkpoint", f"{directory.path}: {text}"))
            return found
    if files or logged:
        message = "expected the log of every iteration up to a checkpoint, found a part of it"
        raise ConfigError("run.damaged", message, Place(str(directory.metrics.path)))
    return None


def require_config(directory: RunDirectory, config: Mapping[str, object]) -> None:
    """Raises ConfigError (`run.config`) if config.toml was edited, or is not `config`."""
    place, kept = Place(str(directory.config_file)), directory.read_config()
    known = directory.read_meta().get("config_hash")
    if known is not None and known != _hash(kept):
        raise ConfigError(
            "run.config", "expected the configuration that the run began with, found it edited", place
        )
    if changes := changed_settings(kept, config):
        raise ConfigError(
            "run.config", f"expected the run's own settings; other: {'; '.join(changes)}", place
        )


def changed_settings(kept: Mapping[str, object], wanted: Mapping[str, object], table: str = "") -> list[str]:
    """`es.sigma: 0.1 is kept, 0.2 is wanted` for each setting that differs; new settings do not count."""
    found = []
    for name, value in kept.items():
        other = wanted.get(name, value)
        if isinstance(value, Mapping) and isinstance(other, Mapping):
            found += changed_settings(value, other, f"{table}{name}.")
        elif canonical_json(value) != canonical_json(other):
            found.append(f"{table}{name}: {value} is kept, {other} is wanted")
    return found


def _require_environment(directory: RunDirectory, progress: Progress) -> None:
    """Raises ConfigError (`run.environment`) for other random numbers; warns of other versions."""
    before, now = directory.read_meta(), environment()
    if other := changes(before, now, RANDOM_NUMBERS):
        message = f"expected the random numbers that the run began with, found others: {other}"
        raise ConfigError("run.environment", message, Place(str(directory.meta_file)))
    if other := changes(before, now, VERSIONS):
        text = f"results may differ from those of an unbroken run: {other}"
        progress.say(warning("run.environment", f"{directory.path}: {text}"))


def _hash(config: Mapping[str, object]) -> str:
    return sha256(canonical_json(dict(config)).encode())


def _number(record: Record) -> int:
    number = record.get("iteration")
    return number if isinstance(number, int) else 0


def _lines(found: Checkpoint) -> int:
    lines = found.metadata.get("lines")
    return lines if isinstance(lines, int) else 0


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")

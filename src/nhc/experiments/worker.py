"""What a worker does with a task, whatever engine it belongs to.

A task's folder holds attempt-1.json and so on (who worked on it), run/ (what the kind of run keeps there, its
checkpoints among it) and at the end record.json. A task that has its record is done.
"""

import os
import platform
import time
from pathlib import Path

from nhc.errors import ConfigError, Place
from nhc.experiments.job import Record, Task
from nhc.experiments.kinds import kind_of
from nhc.runs.canonical import parse_json, readable_json
from nhc.runs.environment import environment
from nhc.runs.lock import held
from nhc.runs.storage import write_text_atomically

RECORD, RUN, LOCK, FAILURE = "record.json", "run", "lock", "failure.txt"
ATTEMPT = "attempt-{}.json"
PATIENCE = 60.0
"""Seconds to wait for another worker, which may be writing its last checkpoint."""


def perform(task: Task) -> Record:
    """Do a task, from its last checkpoint if it was begun, and keep its record.

    One worker at a time: a second one waits, for the first may be one that was told to stop. Raises
    ConfigError (`reproduce.code`) if this worker has another version of the kind than the process that asked,
    `reproduce.busy` if another worker does not let go of the task, and whatever the run raises;
    KeyboardInterrupt leaves a checkpoint.
    """
    done = finished_record(task.path)
    if done is not None:
        return done
    version = kind_of(task.job.kind).version
    if version != task.code:
        message = f"this worker has {version}, the command asked for {task.code}: another version of nhc"
        raise ConfigError("reproduce.code", message)
    task.path.mkdir(parents=True, exist_ok=True)
    with held(task.path / LOCK, "reproduce.busy", "another worker has this run", patience=PATIENCE):
        return finished_record(task.path) or _performed(task)


def _performed(task: Task) -> Record:
    """The work itself, by the one who holds the task."""
    who = {"process": os.getpid(), "machine": platform.node()}
    attempt = ATTEMPT.format(attempts(task.path) + 1)
    write_text_atomically(task.path / attempt, readable_json(who))
    began = time.perf_counter()
    result = kind_of(task.job.kind).run(task.job.values, task.path / RUN)
    host = environment()
    del host["argv"]
    record: Record = {
        "key": task.key,
        "kind": task.job.kind,
        "config": task.job.values,
        "code": task.code,
        "result": result,
        "seconds": round(time.perf_counter() - began, 3),
        "attempts": attempts(task.path),
        "environment": host,
    }
    write_text_atomically(task.path / RECORD, readable_json(record))
    return record


def finished_record(folder: Path) -> Record | None:
    """The record of a task that is done, else None. Raises ConfigError (`run.damaged`)."""
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        record = parse_json(path.read_bytes())
        if not isinstance(record, dict) or not isinstance(record.get("result"), dict):
            raise ValueError("no result")
    except (OSError, ValueError) as error:
        message = f"expected the record of a run, found: {error}"
        raise ConfigError("run.damaged", message, Place(str(path))) from error
    return record


def note_failure(folder: Path, reason: str) -> None:
    """Keep why the task failed, until it is tried again; an empty reason takes the note away."""
    if reason:
        folder.mkdir(parents=True, exist_ok=True)
        write_text_atomically(folder / FAILURE, reason)
    else:
        (folder / FAILURE).unlink(missing_ok=True)


def failure_of(folder: Path) -> str:
    """Why the task failed when it was tried last; empty if it did not."""
    path = folder / FAILURE
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def attempts(folder: Path) -> int:
    """How often a worker began or went on with the task."""
    return len(list(folder.glob(ATTEMPT.format("*"))))

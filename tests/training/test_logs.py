"""Event files for TensorBoard have the numbers of metrics.jsonl."""

import struct
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import nhc
from nhc.errors import ConfigError
from nhc.evolve.config import TrainConfig
from nhc.evolve.state import Record, TrainState
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import SilentProgress
from nhc.training import keeping
from nhc.training.keeping import resume_in_directory, tensorboard_log, train_in_directory
from nhc.training.session import Result
from tests.training.small import config

Scalar = tuple[int, str, float]
FIRST = Record(1, 1, 80.5, True, False, 1, 0, 0, False, 0)


def events(folder: Path) -> Iterator[Any]:
    """What is in the event files. A record has a length, its checksum, the event, and its checksum."""
    from tensorboardX.proto.event_pb2 import Event

    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        while data:
            (length,) = struct.unpack("<Q", data[:8])
            yield Event.FromString(data[12 : 12 + length])
            data = data[16 + length :]


def scalars(folder: Path) -> Iterator[Scalar]:
    """The numbers among them."""
    for event in events(folder):
        yield from ((event.step, value.tag, value.simple_value) for value in event.summary.value)


def expected(lines: list[dict[str, object]]) -> list[Scalar]:
    """The same of lines of metrics.jsonl, in the order of a record's fields."""
    records = [Record(**line) for line in lines]  # type: ignore[arg-type]
    names = [name for name in Record._fields if name != "iteration"]
    return [(record.iteration, name, float(getattr(record, name))) for record in records for name in names]


def trained(
    config: TrainConfig, *, state: TrainState, on_step: Callable[[TrainState, list[Record]], None]
) -> Result:
    """Stands for training: two iterations that learn little."""
    for number in (state.iteration + 1, state.iteration + 2):
        state = replace(state, iteration=number)
        on_step(state, [FIRST._replace(iteration=number)])
    return Result(config, state, nhc.load_model("zoo:search"), 1.0, 10)


@pytest.fixture(autouse=True)
def needs_the_writer() -> None:
    pytest.importorskip("tensorboardX")


def test_every_number_of_every_iteration_is_a_scalar(tmp_path: Path) -> None:
    second = Record(2, 1, 100.0, False, False, 1, 0, 1, True, 0)
    with tensorboard_log(tmp_path, 0) as log:
        log([FIRST])
        log([second])
    assert list(scalars(tmp_path)) == expected([FIRST._asdict(), second._asdict()])


def test_a_kept_run_logs_what_its_metrics_say_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "train", trained)
    directory = RunDirectory(tmp_path / "run")
    train_in_directory(config(), directory.path, SilentProgress(), log="tensorboard")
    resume_in_directory(directory.path, SilentProgress(), log="tensorboard")
    lines = directory.metrics.read()
    assert [line["iteration"] for line in lines] == [1, 2, 3, 4]
    assert list(scalars(directory.tensorboard)) == expected(lines)
    begun = [event.step for event in events(directory.tensorboard) if event.HasField("session_log")]
    assert begun == [1, 3], "TensorBoard drops what an earlier process wrote from there on"
    train_in_directory(config(), directory.path, SilentProgress(), overwrite=True)
    assert not list(directory.tensorboard.iterdir()), "an earlier run's files went with it"


def test_without_the_extra_nothing_is_begun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorboardX", None)
    with pytest.raises(ConfigError, match=r"nhc\[tensorboard\].*\[train.log\]"):
        train_in_directory(config(budget=3), tmp_path / "run", SilentProgress(), log="tensorboard")
    assert not (tmp_path / "run").exists()

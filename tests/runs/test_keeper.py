"""One keeper of runs: two writers, other settings, other random numbers, lost and damaged files."""

import json
import math
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest
from numpy.typing import NDArray

from nhc.errors import ConfigError, ModelError, StorageError
from nhc.runs import keeper as keeping
from nhc.runs.checkpoints import checkpoint_files
from nhc.runs.keeper import Course, Keeper, changed_settings, new_run, resumed_run
from nhc.runs.progress import SilentProgress


class State(NamedTuple):
    """A tiny deterministic run."""

    iteration: int
    value: float
    array: NDArray[np.float32]


def course(**changes: object) -> Course[State]:
    config = {"seed": 3, "es": {"sigma": 0.1}, "budget": 9} | changes
    start = State(0, 0.25, np.zeros(2, np.float32))
    return Course("tiny", config, start, lambda state: state.iteration, seconds=math.inf)


class Heard(SilentProgress):
    """Takes note of warnings."""

    def __init__(self) -> None:
        self.said, self.closed = list[str](), 0

    def say(self, text: str) -> None:
        self.said.append(text)

    def close(self) -> None:
        self.closed += 1


def go_on(keeper: Keeper[State], until: int, every: int = 2) -> None:
    """Iterations up to `until`, a checkpoint after every second one."""
    state = keeper.state
    while state.iteration < until:
        iteration = state.iteration + 1
        state = State(iteration, (state.value * 1.7 + iteration) % 1, state.array + np.float32(iteration))
        record = {"iteration": iteration, "fitness": state.value}
        keeper.note(state, [record], {"ticks": iteration}, now=iteration % every == 0)


def begun(path: Path, until: int = 5) -> Path:
    """A run that was killed after `until` iterations."""
    with pytest.raises(SystemExit), new_run(course(), path, SilentProgress()) as keeper:
        go_on(keeper, until)
        raise SystemExit  # nothing of the keeper catches it
    return path


def finished(path: Path, progress: SilentProgress | None = None) -> bytes:
    with resumed_run(course(), path, progress or SilentProgress()) as keeper:
        go_on(keeper, 9)
        keeper.keep()
        keeper.finish(summary={"value": keeper.state.value})
    return (path / "metrics.jsonl").read_bytes()


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The log of a run that nothing happened to."""
    path = tmp_path_factory.mktemp("whole") / "run"
    with new_run(course(), path, SilentProgress()) as keeper:
        go_on(keeper, 9)
        keeper.keep()
        keeper.finish()
    return (path / "metrics.jsonl").read_bytes()


def status(path: Path) -> object:
    return json.loads((path / "meta.json").read_text())["status"]


@pytest.mark.parametrize("until", [0, 1, 2, 5, 8])
def test_a_killed_run_goes_on_byte_for_byte(tmp_path: Path, until: int, whole: bytes) -> None:
    path = begun(tmp_path / "run", until)
    assert status(path) == "running"
    assert finished(path) == whole and status(path) == "finished"
    timing = [json.loads(line) for line in (path / "timing.jsonl").read_text().splitlines()]
    assert [line["iteration"] for line in timing] == [2, 4, 6, 8, 9] and timing[-1]["ticks"] == 9


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_what_ended_a_run_is_in_its_folder(tmp_path: Path, error: type[BaseException], whole: bytes) -> None:
    path, progress = tmp_path / "run", Heard()
    with pytest.raises(error), new_run(course(), path, progress) as keeper:
        go_on(keeper, 5)
        raise error
    interrupted = error is KeyboardInterrupt
    assert status(path) == ("interrupted" if interrupted else "failed") and progress.closed == 1
    assert max(checkpoint_files(path / "checkpoints")) == (5 if interrupted else 4)
    assert finished(path) == whole


def contents(path: Path) -> dict[Path, bytes]:
    """All files but the lock's."""
    return {file: file.read_bytes() for file in path.rglob("[!l]*") if file.is_file()}


def refused(path: Path, act: Callable[[], object]) -> ConfigError:
    """Nothing in the folder changes."""
    before = contents(path)
    with pytest.raises(ConfigError) as caught:
        act()
    assert contents(path) == before
    return caught.value


def test_a_run_has_one_writer(tmp_path: Path) -> None:
    path = tmp_path / "run"
    with new_run(course(), path, SilentProgress()) as keeper:
        go_on(keeper, 4)
        for overwrite, code in ((False, "run.exists"), (True, "run.busy")):
            error = refused(
                path, lambda o=overwrite: enter(new_run(course(), path, SilentProgress(), overwrite=o))
            )
            assert error.code == code
        assert refused(path, lambda: finished(path)).code == "run.busy"
    with new_run(course(), path, SilentProgress(), overwrite=True) as keeper:
        assert keeper.state.iteration == 0 and max(checkpoint_files(path / "checkpoints")) == 0


def enter(context: object) -> None:
    with context:
        raise AssertionError("it was let in")


@pytest.mark.parametrize(
    ("changes", "text"),
    [({"seed": 4}, "seed: 3 is kept, 4 is wanted"), ({"es": {"sigma": 0.2}}, "es.sigma: 0.1 is kept")],
)
def test_other_settings_are_refused(tmp_path: Path, changes: dict[str, object], text: str) -> None:
    path = begun(tmp_path / "run")
    error = refused(path, lambda: enter(resumed_run(course(**changes), path, SilentProgress())))
    assert error.code == "run.config" and text in error.message
    assert changed_settings({"a": 1}, {"a": 1, "new": 2}) == []


def test_an_edited_configuration_is_refused(tmp_path: Path) -> None:
    path = begun(tmp_path / "run")
    text = (path / "config.toml").read_text()
    (path / "config.toml").write_text(text.replace("budget = 9", "budget = 10"))
    edited = course(budget=10)
    assert refused(path, lambda: enter(resumed_run(edited, path, SilentProgress()))).code == "run.config"
    (path / "config.toml").write_text(text + "\n# a note of one's own\n")
    finished(path)


def test_other_random_numbers_are_refused_and_other_versions_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, whole: bytes
) -> None:
    path, progress = begun(tmp_path / "run"), Heard()
    found = keeping.environment()
    monkeypatch.setattr(keeping, "environment", lambda: found | {"prng": "rbg"})
    error = refused(path, lambda: finished(path))
    assert error.code == "run.environment" and "-> rbg" in error.message
    monkeypatch.setattr(keeping, "environment", lambda: found | {"jax": "99.0"})
    assert finished(path, progress) == whole
    assert len(progress.said) == 1 and "-> 99.0 [run.environment]" in progress.said[0]


@pytest.mark.parametrize("lines", [None, 0, 1, 3])
def test_a_log_with_a_hole_is_damaged(tmp_path: Path, lines: int | None) -> None:
    path = begun(tmp_path / "run", 8)
    log = path / "metrics.jsonl"
    if lines is None:
        log.unlink()
    else:
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:lines]))
    error = refused(path, lambda: finished(path))
    assert error.code == "run.damaged" and error.place is not None and error.place.file == str(log)


def test_a_log_of_which_the_end_is_lost_goes_on_from_the_checkpoint_before(
    tmp_path: Path, whole: bytes
) -> None:
    path, progress = begun(tmp_path / "run", 8), Heard()
    log = path / "metrics.jsonl"
    log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:7]))
    assert finished(path, progress) == whole
    assert "going on from iteration 6 [run.checkpoint]" in progress.said[0]


def test_lost_checkpoints_are_no_silent_start(tmp_path: Path) -> None:
    path = begun(tmp_path / "run", 8)
    shutil.rmtree(path / "checkpoints")
    with pytest.raises(ConfigError) as caught:
        finished(path)
    assert caught.value.code == "run.damaged"


def test_a_checkpoint_cut_short_is_passed_over_with_a_warning(tmp_path: Path, whole: bytes) -> None:
    path, progress = begun(tmp_path / "run", 8), Heard()
    newest = max(checkpoint_files(path / "checkpoints").items())[1]
    newest.write_bytes(newest.read_bytes()[:-9])
    assert finished(path, progress) == whole
    assert newest.name in progress.said[0] and "[run.checkpoint]" in progress.said[0]


def test_empty_folders_that_were_lost_are_made_again(tmp_path: Path, whole: bytes) -> None:
    path = begun(tmp_path / "run")
    for name in ("figures", "traces"):
        (path / name).rmdir()
    assert finished(path) == whole and (path / "figures").is_dir()


def test_a_checkpoint_of_another_kind_is_refused(tmp_path: Path) -> None:
    path = begun(tmp_path / "run")
    other = Course("other", course().config, course().start, lambda state: state.iteration)
    with pytest.raises(ModelError) as caught:
        enter(resumed_run(other, path, SilentProgress()))
    assert caught.value.code == "model.checkpoint" and caught.value.place is not None


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_record_that_is_no_number_ends_the_run_at_the_last_good_state(tmp_path: Path, value: float) -> None:
    path = tmp_path / "run"
    with pytest.raises(ConfigError) as caught, new_run(course(), path, SilentProgress()) as keeper:
        go_on(keeper, 5)
        bad: Mapping[str, object] = {"iteration": 6, "fitness": value}
        keeper.note(keeper.state._replace(iteration=6), [bad])
    assert caught.value.code == "run.nonfinite"
    assert (
        "iteration 6: expected finite numbers, found fitness" in caught.value.message
        and "iteration 5" in caught.value.message
    )
    assert status(path) == "failed" and max(checkpoint_files(path / "checkpoints")) == 5


def test_a_name_that_is_too_long_has_a_code(tmp_path: Path) -> None:
    with pytest.raises(StorageError) as caught:
        enter(new_run(course(), tmp_path / ("n" * 300), SilentProgress()))
    assert caught.value.code == "storage.write"

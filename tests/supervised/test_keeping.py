"""Run directories of data modules: what is kept, and going on after an interrupt."""

import io
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.runs.arrays import load_arrays
from nhc.runs.progress import LineProgress, SilentProgress, Standing
from nhc.supervised import keeping
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import load_modules
from nhc.supervised.keeping import resume_in_directory, train_in_directory
from nhc.supervised.run import RunState, Standings
from nhc.supervised.train import Record, initial_state
from tests.supervised.corridor import Corridor
from tests.supervised.small import config

WORLD = Corridor()
SETTINGS = config(modules=("transform_d", "alu"), budget=600)


@pytest.fixture(autouse=True)
def corridor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry does not know the world of the tests."""
    monkeypatch.setattr(keeping, "finite_world", lambda name: WORLD)


class Interrupting(SilentProgress):
    """Ctrl-C at the given update of the display."""

    def __init__(self, at: int) -> None:
        self.left, self.closed = at, False

    def update(self, standing: Standing) -> None:
        self.left -= 1
        if self.left == 0:
            raise KeyboardInterrupt

    def close(self) -> None:
        self.closed = True


def kept(path: Path) -> tuple[bytes, dict[str, object]]:
    """Everything that does not tell the time."""
    arrays, _ = load_arrays(path / "modules.safetensors")
    return (path / "metrics.jsonl").read_bytes(), {name: array.tobytes() for name, array in arrays.items()}


def test_an_interrupted_run_goes_on_bit_for_bit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done = train_in_directory(SETTINGS, tmp_path / "unbroken", SilentProgress())
    assert [each.module for each in done] == ["transform_d", "alu"]
    for number, seconds in ((2, 1e9), (5, 0.0)):
        monkeypatch.setattr(keeping, "CHECKPOINT_SECONDS", seconds)
        path, progress = tmp_path / f"broken{number}", Interrupting(number)
        with pytest.raises(KeyboardInterrupt):
            train_in_directory(SETTINGS, path, progress)
        assert progress.closed and '"interrupted"' in (path / "meta.json").read_text()
        again = resume_in_directory(path, SilentProgress())
        assert kept(path) == kept(tmp_path / "unbroken")
        untimed = [each._replace(seconds=0, model="") for each in again]
        assert untimed == [each._replace(seconds=0, model="") for each in done]
    # A run that has ended just ends again.
    assert [each.updates for each in resume_in_directory(path, SilentProgress())] == [
        each.updates for each in done
    ]


def test_what_a_run_leaves(tmp_path: Path) -> None:
    (summary,) = train_in_directory(config(modules=("transform_d",)), tmp_path / "run", SilentProgress())
    assert (summary.errors, summary.check, summary.cases) == (0, "exhaustive", 55)
    model = load_modules(Path(summary.model), WORLD)
    record = model.record["modules"]
    assert isinstance(record, dict) and record["transform_d"]["updates"] == summary.updates
    assert record["transform_d"]["counterexample_rounds"] == summary.counterexample_rounds
    assert ModulesConfig.model_validate(model.record["config"]) == config(modules=("transform_d",))
    assert {path.name for path in (tmp_path / "run").iterdir()} >= {
        "config.toml",
        "meta.json",
        "metrics.jsonl",
    }
    with pytest.raises(ConfigError) as caught:
        train_in_directory(SETTINGS, tmp_path / "run", SilentProgress())
    assert caught.value.code == "run.exists"
    (tmp_path / "run" / "config.toml").write_text('domain = "corridor"\nmodules = ["wheels"]\n')
    with pytest.raises(ConfigError) as caught:
        resume_in_directory(tmp_path / "run", SilentProgress())
    assert caught.value.code == "config.value"


def test_progress_says_what_matters() -> None:
    """Rounds and checks of one module after the other; each has its own time left."""
    now, stream = [0.0], io.StringIO()
    settings = config(modules=("alu", "output"), budget=10_000)
    shown = Standings(WORLD, settings, LineProgress(stream, lambda: now[0]))
    state = initial_state(WORLD.form, settings, "alu")._replace(fresh=7)
    run = RunState(1, {"alu": state, "output": state})
    for updates in range(0, 10_000, 500):
        shown.note(run, Record("alu", "round", updates, 0.25, 500, 3, 0.01, ""))
        now[0] += 1.0
    shown.note(run, Record("alu", "check", 9_500, 0.0, 55, 7, 0.01, "exhaustive"))
    for done in (0, 50):
        shown.checking("alu", done, 100)
        now[0] += 6.0
    shown.note(run, Record("output", "round", 500, 0.5, 500, 3, 0.01, ""))
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("module alu  updates 0  loss 0.25000  errors 3/500  family seen <= ")
    assert lines[0].endswith("elapsed 0:00:00  left -") and lines[1].endswith("elapsed 0:00:05  left 0:00:15")
    assert "last check 7 errors" in lines[-3] and lines[-2].endswith(
        "checking 50%  elapsed 0:00:26  left 0:00:06"
    )
    assert lines[-1].startswith("module output  updates 500  loss 0.50000") and len(lines) == 8

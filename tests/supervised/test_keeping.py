"""Run directories of data modules: what is kept, and going on after an interrupt."""

from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.runs.arrays import load_arrays
from nhc.supervised import keeping
from nhc.supervised.config import ModulesConfig
from nhc.supervised.files import load_modules
from nhc.supervised.keeping import resume_in_directory, train_in_directory
from nhc.supervised.progress import SilentModulesProgress, Standing, StreamModulesProgress, text
from tests.supervised.corridor import Corridor
from tests.supervised.small import config

WORLD = Corridor()
SETTINGS = config(modules=("transform_d", "alu"), budget=1_200)


@pytest.fixture(autouse=True)
def corridor(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry does not know the world of the tests."""
    monkeypatch.setattr(keeping, "local_world", lambda name: WORLD)


class Interrupting(SilentModulesProgress):
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
    done = train_in_directory(SETTINGS, tmp_path / "unbroken", SilentModulesProgress())
    assert [each.module for each in done] == ["transform_d", "alu"]
    for number, seconds in ((2, 1e9), (5, 1e9), (8, 0.0)):
        monkeypatch.setattr(keeping, "CHECKPOINT_SECONDS", seconds)
        path, progress = tmp_path / f"broken{number}", Interrupting(number)
        with pytest.raises(KeyboardInterrupt):
            train_in_directory(SETTINGS, path, progress)
        assert progress.closed and '"interrupted"' in (path / "meta.json").read_text()
        again = resume_in_directory(path, SilentModulesProgress())
        assert kept(path) == kept(tmp_path / "unbroken")
        untimed = [each._replace(seconds=0, model="") for each in again]
        assert untimed == [each._replace(seconds=0, model="") for each in done]
    # A run that has ended just ends again.
    assert [each.updates for each in resume_in_directory(path, SilentModulesProgress())] == [
        each.updates for each in done
    ]


def test_what_a_run_leaves(tmp_path: Path) -> None:
    (summary,) = train_in_directory(
        config(modules=("transform_d",)), tmp_path / "run", SilentModulesProgress()
    )
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
        train_in_directory(SETTINGS, tmp_path / "run", SilentModulesProgress())
    assert caught.value.code == "run.exists"
    (tmp_path / "run" / "config.toml").write_text('domain = "corridor"\nmodules = ["wheels"]\n')
    with pytest.raises(ConfigError) as caught:
        resume_in_directory(tmp_path / "run", SilentModulesProgress())
    assert caught.value.code == "config.value"


def test_progress_says_what_matters() -> None:
    standing = Standing("alu", 2_000, 10_000, 0.25, 500, 3, 7, 0.125)
    assert text(standing, 65.4) == (
        "alu          updates 2000  loss 0.25000  errors 3/500  family seen <= 12.5%  "
        "last check 7 errors  at most 0:01:05 left"
    )
    checking = standing._replace(checked=0.5, loss=None, errors=None, coverage=None, check_errors=None)
    assert text(checking, 3.0) == "alu          updates 2000  checking 50%  0:00:03 left"
    now, shown = [0.0], list[str]()
    lines = StreamModulesProgress(shown.append, live=False, clock=lambda: now[0])
    for updates in range(0, 10_000, 500):
        lines.update(standing._replace(updates=updates))
        now[0] += 1.0
    lines.update(standing._replace(module="output", updates=500))
    lines.close()
    assert all(line.endswith("\n") for line in shown) and 5 <= len(shown) <= 7
    assert "left" not in shown[0] and "at most 0:00:15 left" in shown[1]
    assert [line.split()[0] for line in shown[-2:]] == ["alu", "output"]
    shown.clear()
    live = StreamModulesProgress(shown.append, live=True, clock=lambda: now[0])
    live.update(standing)
    now[0] += 1.0
    live.update(standing._replace(updates=2_500))
    live.close()
    drawn = "".join(shown)
    assert drawn.count("\r") == 3 and drawn.endswith("\n") and drawn.count("\n") == 1

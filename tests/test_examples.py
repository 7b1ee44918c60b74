"""The examples that train run: the quickstart, and sorting."""

import io
import runpy
from contextlib import redirect_stdout
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import nhc
from nhc.evolve.config import TrainConfig
from nhc.training.session import Result, train

ROOT = Path(__file__).resolve().parents[1]


def trained_to(name: str, config: TrainConfig) -> Result:
    """Two iterations for real; then as if they had led to a model that ships."""
    result = train(config.model_copy(update={"budget": 2}))
    assert result.state.learning_iterations == 2
    return replace(result, model=nhc.load_model(name))


def test_the_quickstart_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(nhc, "train", partial(trained_to, "zoo:plan"))
    with redirect_stdout(io.StringIO()) as printed:
        runpy.run_path(str(ROOT / "examples" / "quickstart.py"))
    first, *rows = printed.getvalue().splitlines()
    assert first.startswith("solved ")
    assert "mechanism" in rows[0] and "usage backward" in rows[-1]
    assert [path.name for path in tmp_path.iterdir()] == ["plan.safetensors"]


def test_the_example_of_sorting_runs(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two iterations for real; then as if they had led to the model that ships."""
    monkeypatch.setattr(nhc, "train", partial(trained_to, "zoo:sort"))
    runpy.run_path(str(ROOT / "examples" / "sort.py"), run_name="__main__")
    printed = capsys.readouterr().out.splitlines()
    assert printed == ["not learned in 2 iterations", "not proved", "1,000 numbers in 1,005,004 ticks: right"]

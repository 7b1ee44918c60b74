"""Pictures of results and traces, as a notebook shows them: those that the commands draw."""

import io
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

import nhc
from nhc.cli.run_command import run
from nhc.runs.figure import save_figure
from nhc.runs.progress import SilentProgress
from nhc.training.keeping import train_in_directory
from tests.training.small import config


def pixels(png: bytes) -> np.ndarray:
    with Image.open(io.BytesIO(png)) as image:
        return np.asarray(image.convert("RGB"))


def test_a_result_plots_the_learning_curve_of_its_run(tmp_path: Path) -> None:
    result = train_in_directory(config(budget=20), tmp_path / "run", SilentProgress())
    figure = result.plot()
    assert isinstance(figure, Figure)
    drawn = (tmp_path / "run" / "figures" / "learning_curve.png").read_bytes()
    assert figure._repr_png_() == drawn

    with pytest.raises(nhc.NhcError) as caught:
        replace(result, history=[]).plot()
    assert caught.value.code == "run.empty"


def test_a_trace_plots_what_the_command_draws(tmp_path: Path) -> None:
    assert run(["zoo:copy", "abc", "--engine", "network", "--picture", str(tmp_path / "there.png")]) == 0
    done = nhc.execute(nhc.load_model("zoo:copy"), (0, 1, 2), keep=True)
    assert done.trace is not None
    here, _ = save_figure(done.trace.plot("copy: 7 ticks"), tmp_path / "here")
    assert here.read_bytes() == (tmp_path / "there.png").read_bytes()
    assert done.trace.plot().texts[0].get_text() == "7 ticks"

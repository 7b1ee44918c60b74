"""The notebooks run from the first cell to the last, and what they show can be shown; without Jupyter."""

import ast
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

import nhc
from nhc.evolve.config import TrainConfig
from nhc.evolve.state import Record, initial_train_state
from nhc.training.session import Result, course_of

FOLDER = Path(__file__).resolve().parents[1] / "examples" / "notebooks"
BOOKS = sorted(FOLDER.glob("*.ipynb"))


def cells(path: Path, kind: str = "code") -> list[str]:
    """The texts of the cells of one kind."""
    return [
        "".join(cell["source"]) for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == kind
    ]


def shown(source: str, names: dict[str, object]) -> object:
    """Run a cell; returns the value of its last line, which a notebook shows."""
    body = ast.parse(source).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    exec(compile(ast.Module(body, []), "cell", "exec"), names)
    return None if last is None else eval(compile(ast.Expression(last.value), "cell", "eval"), names)


def pictures(value: object) -> Iterator[str]:
    """What a value gives to a notebook beside its text."""
    for kind in ("_repr_html_", "_repr_png_"):
        if getattr(value, kind, lambda: None)():  # A method may give None for nothing.
            yield kind


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], list[str]]:
    """Runs a notebook in a folder of its own; returns which pictures were shown."""
    monkeypatch.chdir(tmp_path)

    def each(name: str) -> list[str]:
        names: dict[str, object] = {}
        values = [shown(source, names) for source in cells(FOLDER / f"{name}.ipynb")]
        return [kind for value in values for kind in pictures(value)]

    return each


def trained(config: TrainConfig) -> Result:
    """Stands for half a minute of training: as if two iterations had led to the model that ships."""
    state = replace(initial_train_state(course_of(config)), certified=True)
    history = [Record(number, 1, 80.0 + number, True, False, number, 0, 0, False, 0) for number in (1, 2)]
    return Result(config, state, nhc.load_model("zoo:plan"), 1.5, 1000, history)


def test_train_and_prove(
    run: Callable[[str], list[str]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(nhc, "train", trained)
    assert run("1_train_and_prove") == ["_repr_png_"]
    assert "proved: " in capsys.readouterr().out
    assert Path("plan.certificate.json").exists() and Path("plan.safetensors").exists()


def test_look_inside(run: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    html = "_repr_html_"
    assert run("2_look_inside") == [html, html, "_repr_png_", html, html, html]
    assert "the smallest task that fails: goal node 1" in capsys.readouterr().out
    assert Path("look-inside.html").exists()


def test_your_own_algorithm(run: Callable[[str], list[str]], capsys: pytest.CaptureFixture[str]) -> None:
    assert run("3_your_own_algorithm") == ["_repr_png_", "_repr_png_"]
    said = capsys.readouterr().out
    assert "learned: True" in said and " 0 of 50 failed" in said and "is correct: True" in said


def test_no_notebook_is_forgotten_and_none_carries_what_it_printed() -> None:
    source = Path(__file__).read_text()
    assert len(BOOKS) == 3 and all(f'run("{path.stem}")' in source for path in BOOKS)
    for path in BOOKS:
        found = json.loads(path.read_text())
        assert (found["nbformat"], found["nbformat_minor"]) == (4, 5)
        made = [cell for cell in found["cells"] if cell["cell_type"] == "code"]
        assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in made)
        assert len({cell["id"] for cell in found["cells"]}) == len(found["cells"])
        assert cells(path, "markdown")[0].startswith("# ")

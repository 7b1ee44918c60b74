"""Pages for notebooks, files and commands: a machine with its task, ready to be opened."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import argument_text, file_text
from nhc.errors import ConfigError
from nhc.model import Model, load_model
from nhc.runs.directory import RunDirectory
from nhc.runs.storage import write_text_atomically
from nhc.tasks.files import parse_task, read_task
from nhc.tasks.planning import PlanningTask
from nhc.training.learning import Snapshot, read_learning
from nhc.viewer.machine_json import PLANNERS, learning_json, machine_json
from nhc.viewer.page import page_html
from nhc.viewer.task_text import EXAMPLE, planning_text, sequence_text
from nhc.zoo import MODEL_FILE

Named = Model | str | Path
HEIGHT = 860
"""Pixels in a notebook: controls, board and search tree without scrolling."""


@dataclass(frozen=True)
class Page:
    """A page that runs a machine in the browser; a notebook shows it."""

    html: str = field(repr=False)
    """All of it: one file that needs no network."""

    def save(self, path: str | Path) -> Path:
        """Write it to a file, to open by double click. Raises StorageError (`storage.write`)."""
        write_text_atomically(Path(path), self.html)
        return Path(path)

    def _repr_html_(self) -> str:
        # In a frame of its own, which can neither see nor change the notebook.
        look = f"width: 100%; height: {HEIGHT}px; border: 0"
        return f'<iframe sandbox="allow-scripts" style="{look}" srcdoc="{escape(self.html)}"></iframe>'


def show(model: Named, task: PlanningTask | str | Path | None = None, *, beside: Named | None = None) -> Page:
    """The page that runs a machine on a task, tick by tick, by default on an example.

    Search and plan take a task, its file, or its text; other algorithms an input as text, or its file. A
    second model for the same algorithm is shown beside the first. The directory of a training run
    shows its model, and how it was learned.

    Raises ConfigError (`show.*`), and InputError and ModelError for what cannot be read.
    """
    found = [*map(_named, [model] if beside is None else [model, beside])]
    models, learning = {name: model for name, model, _ in found}, found[0][2]
    name = found[0][1].algorithm.name
    if name in PLANNERS:
        return planning_page(models, _planning_task(task), learning)
    return sequence_page(models, _input_text(name, task), learning)


def planning_page(models: Mapping[str, Model], task: PlanningTask, learning: Sequence[Snapshot] = ()) -> Page:
    """The page of one or two named planners. Raises ConfigError (`show.*`)."""
    name = _algorithm(models)
    title = f"nhc: {name}" + (f", {task.title}" if task.title else "")
    return _page(models, title, planning_text(task), learning)


def sequence_page(models: Mapping[str, Model], text: str, learning: Sequence[Snapshot] = ()) -> Page:
    """The page of one or two named machines that take an input. Raises ConfigError (`show.*`)."""
    return _page(models, f"nhc: {_algorithm(models)}", text, learning)


def opened(name: str | Path) -> tuple[Model, list[Snapshot]]:
    """A model, and the weights along its way if it is named by the directory of its run.

    Raises ModelError; ConfigError (`run.*`) for a directory that holds no run.
    """
    if not Path(name).is_dir():
        return load_model(name), []
    run = RunDirectory.open(Path(name))
    model = load_model(run.path / MODEL_FILE)
    return model, learning_of(run, model)


def learning_of(run: RunDirectory, model: Model) -> list[Snapshot]:
    """The weights along the way of a run, none if it kept none. Raises what `read_learning` raises."""
    return read_learning(run.learning_file, model.config) if run.learning_file.is_file() else []


def _page(models: Mapping[str, Model], title: str, text: str, learning: Sequence[Snapshot]) -> Page:
    """Only a machine that stands alone is shown as it learned."""
    machines = [machine_json(name, model) for name, model in models.items()]
    if len(models) == 1 and learning:
        machines[0]["learning"] = learning_json(learning, *models.values())
    return Page(page_html(title, machines, text))


def _algorithm(models: Mapping[str, Model]) -> str:
    names = sorted({model.algorithm.name for model in models.values()})
    if len(names) > 1:
        raise ConfigError(
            "show.beside", f"expected two models for one algorithm, found {' and '.join(names)}"
        )
    return names[0]


def _named(model: Named) -> tuple[str, Model, list[Snapshot]]:
    """A model with its file or zoo name, or by its algorithm and hash."""
    if isinstance(model, Model):
        return f"{model.algorithm.name} {model.hash[:8]}", model, []
    return str(model), *opened(model)


def _planning_task(task: PlanningTask | str | Path | None) -> PlanningTask:
    if isinstance(task, PlanningTask):
        return task
    text = EXAMPLE if task is None else task
    if isinstance(text, str) and ("\n" in text or text.lstrip().startswith("{")):
        return parse_task(text.encode())
    return read_task(text)


def _input_text(name: str, task: PlanningTask | str | Path | None) -> str:
    """As the page writes an input. Raises InputError (`input.*`) where it is none."""
    if name not in NOTATIONS:
        raise ConfigError("show.algorithm", f"expected an algorithm that ships, found {name}")
    if isinstance(task, PlanningTask):
        raise ConfigError("show.task", f"{name}: expected an input, found a planning task")
    if isinstance(task, Path):
        return sequence_text(name, file_text(task))[0]
    return sequence_text(name, argument_text((NOTATIONS[name].example if task is None else task,)))[0]

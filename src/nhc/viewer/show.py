"""Pages for notebooks, files and commands: a machine with its task, ready to be opened."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from html import escape
from pathlib import Path

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.algorithms.sequence.notation import AnyAsked, argument_text, file_text
from nhc.errors import ConfigError
from nhc.model import Model, load_model
from nhc.runs.directory import RunDirectory
from nhc.runs.storage import write_text_atomically
from nhc.tasks.files import format_task, parse_task, read_task
from nhc.tasks.planning import PlanningTask
from nhc.training.learning import Snapshot, read_learning
from nhc.viewer.machine_json import PLANNERS, learning_json, machine_json
from nhc.viewer.page import page_html
from nhc.zoo import MODEL_FILE

Named = Model | str | Path
HEIGHT = 860
"""Pixels in a notebook: controls, board and search tree without scrolling."""
START = "######\n#    #\n# @$ #\n#    #\n#    #\n######"
GOAL = "######\n#    #\n#   $#\n# @  #\n#    #\n######"
EXAMPLE = f"{START}\nGoal:\n{GOAL}"
"""Three moves that push a box: 48 ticks to find them."""
JSON_WORLDS = re.compile(r"sokoban-permuted|sliding-3x3|stacking(-[1-9])?|free-tree")
"""Worlds whose tasks the page reads as JSON."""


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
        return page_of(models, _planning_task(task), learning)
    given = task if isinstance(task, PlanningTask | Path) else () if task is None else (task,)
    return page_of(models, input_text(name, given)[0], learning)


def page_of(models: Mapping[str, Model], task: PlanningTask | str, learning: Sequence[Snapshot]) -> Page:
    """The page of one or two named machines, with a task or with what `input_text` makes of an input.

    Only a machine that stands alone is shown as it learned. Raises ConfigError (`show.*`).
    """
    names = sorted({model.algorithm.name for model in models.values()})
    if len(names) > 1:
        wanted = "expected two models for one algorithm"
        raise ConfigError("show.beside", f"{wanted}, found {' and '.join(names)}")
    title = f"nhc: {names[0]}"
    if isinstance(task, PlanningTask):
        title += f", {task.title}" if task.title else ""
        task = planning_text(task)
    machines = [machine_json(name, model) for name, model in models.items()]
    if len(models) == 1 and learning:
        machines[0]["learning"] = learning_json(learning, *models.values())
    return Page(page_html(title, machines, task))


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


def planning_text(task: PlanningTask) -> str:
    """A task as the page writes it, without its title.

    Raises ConfigError (`show.world`) for a world that the page does not have.
    """
    if task.board is not None:
        return format_task(replace(task, title=None)).removesuffix("\n")
    if JSON_WORLDS.fullmatch(task.world.name) is None:
        wanted = "Sokoban, sokoban-permuted, sliding-3x3, stacking or free-tree"
        raise ConfigError("show.world", f"expected a task of {wanted}, found {task.world.name}")
    ends = {"start": task.world.state_to_json(task.start), "goal": task.world.state_to_json(task.goal)}
    return json.dumps({"domain": task.world.name, **ends})


def input_text(name: str, given: PlanningTask | Path | Sequence[str]) -> tuple[str, AnyAsked]:
    """An input as the page writes it, in one line, and read; `given` are words, a file, or nothing.

    Without words it is the notation's example. One argument with blanks that is taken sign by sign stands in
    quotes. Raises ConfigError (`show.algorithm`, `show.task`), and InputError (`input.*`) where it is none.
    """
    if name not in NOTATIONS:
        raise ConfigError("show.algorithm", f"expected an algorithm that ships, found {name}")
    if isinstance(given, PlanningTask):
        raise ConfigError("show.task", f"{name}: expected an input, found a planning task")
    notation = NOTATIONS[name]
    text = file_text(given) if isinstance(given, Path) else argument_text(given or (notation.example,))
    asked, line = notation.read(text), " ".join(text.lines)
    return (f'"{line}"' if text.one and " " in line and asked.glue == "" else line), asked

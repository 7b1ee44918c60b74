"""The pictures and the HTML of a reproduction once more, from its records: nothing is run."""

from collections.abc import Callable
from pathlib import Path

from nhc.errors import ConfigError, InputError
from nhc.experiments.descriptions import all_descriptions
from nhc.experiments.job import Record, field, job, table
from nhc.experiments.jobs import network_values
from nhc.experiments.plan import Figure, finished_run, results_of, task_of
from nhc.experiments.report import write_html
from nhc.experiments.reproduce import FIGURES, RECORDS, kept_settings
from nhc.experiments.worker import RUN
from nhc.runs.jsonlines import JsonLines
from nhc.supervised.config import ModulesConfig
from nhc.training.config import validated


def redraw(out: Path, say: Callable[[str], None]) -> int:
    """Draw what the records in `out` are enough for, and return how many figures they are not enough for.

    Those that need the logs of the runs stay as they are. Raises ConfigError (`reproduce.index`) and
    StorageError.
    """
    records = map(current, JsonLines(out / RECORDS).read())
    runs = {job(field(record, "kind", str), table(record, "config")): record for record in records}
    finished = {one: finished_run(one, record, task_of(one, out).path / RUN) for one, record in runs.items()}
    kept, left = kept_settings(out / FIGURES), 0
    for name, description in all_descriptions().items():
        if name not in kept:
            continue
        figure = Figure.of(description, kept[name])
        try:
            description.draw(results_of(figure, finished.get), out / "figures")
        except (ConfigError, InputError) as error:
            left += 1
            say(f"{name} stays as it is, for it needs more than records: {error.message}")
    write_html(out)
    return left


def current(record: Record) -> Record:
    """A record whose configuration has all settings of this version."""
    kind, config = field(record, "kind", str), table(record, "config")
    if kind == "train":
        return record | {"config": validated(config).model_dump(mode="json")}
    if kind == "modules":
        return record | {"config": ModulesConfig.model_validate(config).model_dump(mode="json")}
    if kind == "baseline":
        # Search, the only task of a reproduction, does not depend on the settings of the others.
        own = {name: value for name, value in config.items() if name != "copy_task"}
        return record | {"config": network_values(**own)}
    return record

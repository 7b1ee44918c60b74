"""From chosen figures to a folder with runs, pictures, tables and the report; drawn again without a run."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from nhc.errors import ConfigError, InputError, Place
from nhc.experiments.description import Description, Results, Settings, judged
from nhc.experiments.descriptions import all_descriptions
from nhc.experiments.engine import Engine, Event, Report
from nhc.experiments.job import Environment, Job, Record, field, job, number, table
from nhc.experiments.kinds import network_values
from nhc.experiments.plan import (
    Figure,
    expected_seconds,
    expected_wall,
    finished_run,
    outdated_jobs,
    results_of,
    task_of,
    tasks_of,
)
from nhc.experiments.progress import SweepProgress
from nhc.experiments.report import FigureReport, ReportSummary, write_html, write_report, write_table
from nhc.experiments.worker import RUN, failure_of, finished_record, note_failure
from nhc.runs.canonical import canonical_json, parse_json, readable_json
from nhc.runs.environment import environment
from nhc.runs.jsonlines import JsonLines
from nhc.runs.lock import held
from nhc.runs.progress import duration
from nhc.runs.storage import storage_error, write_text_atomically
from nhc.supervised.config import ModulesConfig
from nhc.training.config import validated

LOCK, FIGURES, RECORDS = "reproduce-lock", "figures.json", "records.jsonl"
FOLDERS = ("figures", "tables", "runs")
BUSY = "another reproduction writes to this folder; wait for it, or use another --out"


def reproduce(
    descriptions: Sequence[Description],
    settings: Settings,
    out: Path,
    engine: Engine,
    say: Callable[[str], None],
) -> ReportSummary:
    """Do what is missing of the figures' runs and write the report on all figures that `out` has.

    Raises ConfigError (`reproduce.busy`, `reproduce.index`) and StorageError. On KeyboardInterrupt runs have
    their checkpoints, and the report tells of what is done before this raises again; a second one stops the
    report too.
    """
    try:
        for folder in FOLDERS:
            (out / folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(out, error) from error
    with held(out / LOCK, "reproduce.busy", BUSY):
        figures = [Figure.of(one, settings) for one in descriptions]
        every = _remembered(out, figures)
        try:
            _run(figures, out, engine, say)
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                say("interrupted; runs go on from their checkpoints when the command is given again")
                _report(every, out, engine.name)
            raise
        return _report(every, out, engine.name)


def _run(figures: Sequence[Figure], out: Path, engine: Engine, say: Callable[[str], None]) -> None:
    tasks = tasks_of(figures, out).values()
    waiting = [task for task in tasks if finished_record(task.path) is None]
    for figure in figures:
        for variant in figure.variants:
            if variant.missing:
                say(f"{figure.description.name}, {variant.label}: {variant.missing}")
    say(f"{len(tasks)} runs, {len(tasks) - len(waiting)} of them done already")
    if not waiting:
        return
    engine.prepare()
    expected = list(map(expected_seconds, waiting))
    say(
        f"{len(waiting)} runs x about {sum(expected) / len(waiting):.0f} s, {engine.workers} at a time "
        f"({engine.name}): about {duration(expected_wall(expected, engine.workers))}"
    )
    progress = SweepProgress(waiting, engine.workers, say)

    def note(report: Report) -> None:
        note_failure(report.task.path, report.reason if report.event == Event.FAILED else "")
        progress.note(report)

    engine.run(waiting, note, progress.pulse)


def _remembered(out: Path, figures: Sequence[Figure]) -> list[Figure]:
    """These figures and those that earlier commands made in the same folder, each with its own settings."""
    path, known = out / FIGURES, all_descriptions()
    kept = kept_settings(path) if path.is_file() else {}
    kept |= {figure.description.name: figure.settings for figure in figures}
    kept = {name: settings for name, settings in kept.items() if name in known}
    write_text_atomically(path, readable_json({name: one._asdict() for name, one in kept.items()}))
    return [Figure.of(one, kept[name]) for name, one in known.items() if name in kept]


def kept_settings(path: Path) -> dict[str, Settings]:
    """The settings of each figure, by figures.json. Raises ConfigError (`reproduce.index`)."""
    try:
        found = parse_json(path.read_bytes())
        if not isinstance(found, dict):
            raise TypeError(f"expected an object, found {found!r}")
        return {name: Settings(**values) for name, values in found.items()}
    except (OSError, ValueError, TypeError) as error:
        message = f"expected the figures of this folder with their settings, found: {error!r}"
        raise ConfigError("reproduce.index", message, Place(str(path))) from error


def _report(figures: Sequence[Figure], out: Path, engine: str) -> ReportSummary:
    tasks = tasks_of(figures, out)
    records = {
        one: record for one, task in tasks.items() if (record := finished_record(task.path)) is not None
    }
    lines = [canonical_json(record) + "\n" for record in records.values()]
    write_text_atomically(out / RECORDS, "".join(lines))
    finished = {one: finished_run(one, record, tasks[one].path / RUN) for one, record in records.items()}
    failures = {
        one: f"{task.name}: {reason}" for one, task in tasks.items() if (reason := failure_of(task.path))
    }
    outdated = outdated_jobs(out)
    summary = ReportSummary(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        host=Environment.of({"environment": environment()}),
        made_on=tuple(dict.fromkeys(map(Environment.of, records.values()))),
        engine=engine,
        runs=len(tasks),
        finished=len(records),
        failed=len(failures),
        seconds=sum((number(record, "seconds") for record in records.values()), 0.0),
        figures=tuple(
            _figure_report(figure, results_of(figure, finished, outdated), failures, out)
            for figure in figures
        ),
    )
    write_report(summary, out)
    return summary


def _figure_report(figure: Figure, results: Results, failures: Mapping[Job, str], out: Path) -> FigureReport:
    """Pictures, tables and findings of a figure, and its runs among the failures."""
    description = figure.description
    tables = [one for one in description.tables(results) if one.rows]
    for one in tables:
        write_table(one, out / "tables")
    return FigureReport(
        description=description,
        settings=figure.settings,
        variants=figure.variants,
        results=results,
        findings=tuple((claim, judged(claim, results)) for claim in description.claims),
        pictures=tuple(description.draw(results, out / "figures")),
        tables=tuple(tables),
        failures=tuple(failures[run] for each in figure.variants for run in each.jobs if run in failures),
    )


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
            description.draw(results_of(figure, finished), out / "figures")
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

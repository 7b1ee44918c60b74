"""From chosen figures to a folder with runs, pictures, tables and the report."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError, Place
from nhc.experiments.description import Description, Finished, Settings, judged
from nhc.experiments.descriptions import all_descriptions
from nhc.experiments.engine import Engine, Event, Report
from nhc.experiments.job import Environment, Job, number
from nhc.experiments.plan import (
    Figure,
    Plan,
    expected_seconds,
    expected_wall,
    finished_run,
    outdated_jobs,
    results_of,
)
from nhc.experiments.progress import SweepProgress
from nhc.experiments.report import FigureReport, ReportSummary, write_report, write_table
from nhc.experiments.worker import RUN, failure_of, finished_record, note_failure
from nhc.runs.canonical import canonical_json, parse_json, readable_json
from nhc.runs.environment import environment
from nhc.runs.lock import held
from nhc.runs.progress import duration
from nhc.runs.storage import storage_error, write_text_atomically

LOCK, FIGURES, RECORDS = "reproduce-lock", "figures.json", "records.jsonl"
FOLDERS = ("figures", "tables", "runs")
BUSY = "another reproduction writes to this folder; wait for it, or use another --out"


class Reproduction(NamedTuple):
    """What came of a command."""

    summary: ReportSummary
    failed: int
    """Runs, each counted once."""


def reproduce(
    descriptions: Sequence[Description],
    settings: Settings,
    out: Path,
    engine: Engine,
    say: Callable[[str], None],
) -> Reproduction:
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
        every = Plan.of(_remembered(out, figures), out)
        try:
            _run(Plan.of(figures, out), engine, say)
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                say("interrupted; runs go on from their checkpoints when the command is given again")
                _report(every, out, engine.name)
            raise
        return _report(every, out, engine.name)


def _run(plan: Plan, engine: Engine, say: Callable[[str], None]) -> None:
    waiting = plan.waiting()
    for figure in plan.figures:
        for variant in figure.variants:
            if variant.missing:
                say(f"{figure.description.name}, {variant.label}: {variant.missing}")
    say(f"{len(plan.tasks)} runs, {len(plan.tasks) - len(waiting)} of them done already")
    if not waiting:
        return
    engine.prepare()
    expected = list(map(expected_seconds, waiting))
    say(
        f"{len(waiting)} runs x about {sum(expected) / len(waiting):.0f} s, {engine.workers} at a time "
        f"({engine.name}): about {duration(expected_wall(expected, engine.workers))}"
    )
    progress = SweepProgress(waiting, plan.names, engine.workers, say)

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


def _report(plan: Plan, out: Path, engine: str) -> Reproduction:
    records = {
        one: record for one, task in plan.tasks.items() if (record := finished_record(task.path)) is not None
    }
    lines = [canonical_json(record) + "\n" for record in records.values()]
    write_text_atomically(out / RECORDS, "".join(lines))
    finished = {one: finished_run(one, record, plan.tasks[one].path / RUN) for one, record in records.items()}
    failures = {one: reason for one, task in plan.tasks.items() if (reason := failure_of(task.path))}
    outdated = outdated_jobs(out)
    summary = ReportSummary(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        host=Environment.of({"environment": environment()}),
        made_on=tuple(dict.fromkeys(map(Environment.of, records.values()))),
        engine=engine,
        runs=len(plan.tasks),
        finished=len(records),
        failed=len(failures),
        seconds=sum((number(record, "seconds") for record in records.values()), 0.0),
        figures=tuple(
            _figure_report(
                figure,
                finished.get,
                outdated,
                [
                    f"{plan.names[plan.tasks[one].key]}: {failures[one]}"
                    for variant in figure.variants
                    for one in variant.jobs
                    if one in failures
                ],
                out,
            )
            for figure in plan.figures
        ),
    )
    write_report(summary, out)
    return Reproduction(summary, len(failures))


def _figure_report(
    figure: Figure,
    finished: Callable[[Job], Finished | None],
    outdated: set[Job],
    failures: Sequence[str],
    out: Path,
) -> FigureReport:
    """Pictures, tables and findings of a figure."""
    description, results = figure.description, results_of(figure, finished, outdated)
    tables = [table for table in description.tables(results) if table.rows]
    for table in tables:
        write_table(table, out / "tables")
    return FigureReport(
        description=description,
        settings=figure.settings,
        variants=figure.variants,
        results=results,
        findings=tuple((claim, judged(claim, results)) for claim in description.claims),
        pictures=tuple(description.draw(results, out / "figures")),
        tables=tuple(tables),
        failures=tuple(failures),
    )

"""From chosen figures to a folder with runs, pictures, tables and the report."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError, Place
from nhc.experiments.description import Description, judged
from nhc.experiments.engine import Engine, Event, Report
from nhc.experiments.fields import number
from nhc.experiments.index import Index, Status, open_index
from nhc.experiments.plan import (
    Figure,
    Plan,
    environment_of,
    expected_seconds,
    figure_of,
    plan_of,
    record_of,
    results_of,
)
from nhc.experiments.progress import SweepProgress, duration
from nhc.experiments.registry import all_descriptions
from nhc.experiments.report import Outcome, Summary, write_report
from nhc.experiments.settings import Settings
from nhc.experiments.tables import write_table
from nhc.experiments.worker import finished_record
from nhc.runs.canonical import canonical_json, parse_json, readable_json
from nhc.runs.environment import environment
from nhc.runs.storage import storage_error, write_text_atomically

INDEX, FIGURES, RECORDS = "index.sqlite", "figures.json", "records.jsonl"
FOLDERS = ("figures", "tables", "runs")
STATUS: dict[Event, Status] = {
    Event.STARTED: "running",
    Event.LOST: "waiting",
    Event.FINISHED: "finished",
    Event.FAILED: "failed",
}


class Reproduction(NamedTuple):
    """What came of it."""

    summary: Summary
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
    with open_index(out / INDEX) as index:
        figures = [figure_of(one, settings) for one in descriptions]
        every = plan_of(_remembered(out, figures), out)
        try:
            _run(plan_of(figures, out), index, engine, say)
        except KeyboardInterrupt:
            with suppress(KeyboardInterrupt):
                say("interrupted; runs go on from their checkpoints when the command is given again")
                _report(every, index, out, engine.name)
            raise
        return _report(every, index, out, engine.name)


def _run(plan: Plan, index: Index, engine: Engine, say: Callable[[str], None]) -> None:
    for task in plan.tasks.values():
        index.add(task)
        # A worker may have finished after the command that asked for it was killed.
        entry = index.entry(task.key)
        known = entry is not None and entry.status == "finished"
        if not known and finished_record(task.path) is not None:
            index.set(task.key, "finished", engine=engine.name)
    waiting = plan.waiting(index)
    if waiting:
        engine.prepare()
    expected = [expected_seconds(task) for task in waiting]
    seconds = max([sum(expected) / max(1, min(engine.workers, len(waiting))), *expected], default=0.0)
    mean = sum(expected) / max(1, len(expected))
    for figure in plan.figures:
        for variant in figure.variants:
            if variant.missing:
                say(f"{figure.description.name}, {variant.label}: {variant.missing}")
    say(f"{len(plan.tasks)} runs, {len(plan.tasks) - len(waiting)} of them done already")
    if not waiting:
        return
    say(
        f"{len(waiting)} runs x about {mean:.0f} s, {engine.workers} at a time ({engine.name}): "
        f"about {duration(seconds)}"
    )
    progress = SweepProgress(waiting, plan.names, engine.workers, say)

    def note(report: Report) -> None:
        record = finished_record(report.task.path) if report.event == Event.FINISHED else None
        spent = None if record is None else number(record, "seconds")
        status = STATUS[report.event]
        index.set(report.task.key, status, engine=engine.name, reason=report.reason, seconds=spent)
        progress.note(report)

    engine.run(waiting, note, progress.pulse)


def _remembered(out: Path, figures: Sequence[Figure]) -> list[Figure]:
    """These figures and those that earlier commands made in the same folder, each with its own settings."""
    path, known = out / FIGURES, all_descriptions()
    kept: dict[str, Settings] = {}
    if path.is_file():
        try:
            found = parse_json(path.read_bytes())
            if not isinstance(found, dict):
                raise TypeError(f"expected an object, found {found!r}")
            kept = {name: Settings(**values) for name, values in found.items() if name in known}
        except (OSError, ValueError, TypeError) as error:
            message = f"expected the figures of this folder with their settings, found: {error!r}"
            raise ConfigError("reproduce.index", message, Place(str(path))) from error
    kept |= {figure.description.name: figure.settings for figure in figures}
    write_text_atomically(path, readable_json({name: one._asdict() for name, one in kept.items()}))
    return [figure_of(one, kept[name]) for name, one in known.items() if name in kept]


def _report(plan: Plan, index: Index, out: Path, engine: str) -> Reproduction:
    outcomes = [_outcome(figure, plan, index, out) for figure in plan.figures]
    records = [record for task in plan.tasks.values() if (record := record_of(task, index)) is not None]
    lines = [canonical_json(record) + "\n" for record in records]
    write_text_atomically(out / RECORDS, "".join(lines))
    entries = [index.entry(task.key) for task in plan.tasks.values()]
    failed = sum(entry is not None and entry.status == "failed" for entry in entries)
    summary = Summary(
        date=datetime.now(UTC).isoformat(timespec="seconds"),
        host=environment_of({"environment": environment()}),
        made_on=tuple(dict.fromkeys(map(environment_of, records))),
        engine=engine,
        runs=len(plan.tasks),
        finished=len(records),
        failed=failed,
        seconds=sum((number(record, "seconds") for record in records), 0.0),
        outcomes=tuple(outcomes),
    )
    write_report(summary, out)
    return Reproduction(summary, failed)


def _outcome(figure: Figure, plan: Plan, index: Index, out: Path) -> Outcome:
    """Pictures, tables and findings of a figure."""
    description, results = figure.description, results_of(figure, plan, index)
    tables = [table for table in description.tables(results) if table.rows]
    for table in tables:
        write_table(table, out / "tables")
    failures = []
    for variant in figure.variants:
        for one in variant.jobs:
            entry = index.entry(plan.tasks[one].key)
            if entry is not None and entry.status == "failed":
                failures.append(f"{plan.names[plan.tasks[one].key]}: {entry.reason}")
    return Outcome(
        description=description,
        settings=figure.settings,
        variants=figure.variants,
        results=results,
        findings=tuple((claim, judged(claim, results)) for claim in description.claims),
        pictures=tuple(description.draw(results, out / "figures")),
        tables=tuple(tables),
        failures=tuple(failures),
    )

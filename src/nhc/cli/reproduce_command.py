"""`nhc reproduce`: the paper's tables and figures, run on one machine or many, beside its statements."""

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.runs.environment import host_threads
from nhc.runs.progress import duration

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.experiments.description import Settings
    from nhc.experiments.engine import Engine
    from nhc.experiments.report import ReportSummary

OUT = Path("runs/reproduction")


@dataclass
class ReproduceOptions:
    """Repeat experiments of the paper; the report sets ours beside the paper's, claim by claim.

    Finished runs are never repeated and interrupted ones go on, so the same command may be given again and
    again. The report covers all figures that were ever asked for in the same folder.

    Examples:
    nhc reproduce --list
    nhc reproduce fig3d fig5
    nhc reproduce core
    nhc reproduce all --quick --out runs/first-look
    nhc reproduce head --runs 5 --budget 3000
    nhc reproduce --redraw --out docs/reproduction
    nhc reproduce all --engine ray --address auto
    """

    figures: tyro.conf.Positional[tuple[str, ...]] = ()
    """Names from --list, `all`, or `core`: the paper's machine, without comparison methods and options."""
    list: bool = False
    """Show the figures with their runs and expected times, and stop."""
    runs: int | None = None
    """Runs of each variant; as many as in the paper by default."""
    budget: int | None = None
    """Iterations of each training run; as many as in the paper by default."""
    quick: bool = False
    """A first look in ten minutes of single cores: few runs, small budgets, a short curriculum."""
    redraw: bool = False
    """Run nothing: draw the pictures in --out again from its records, and report.html from report.md."""
    engine: Literal["local", "ray"] = "local"
    """Processes on this machine, or Ray (the extra `sweep`)."""
    address: str | None = None
    """Of a running Ray cluster whose machines all see the output folder."""
    workers: int | None = None
    """Runs at a time; one a core by default."""
    out: Path = OUT
    """Folder for runs, pictures, tables and report."""
    seed: int = 0
    """Of the first run of each variant."""
    json: bool = False
    """One JSON object on stdout."""


def run(arguments: list[str]) -> int:
    """Run, report. Exit 1 if a run failed."""
    options = parse(ReproduceOptions, arguments, name="reproduce")
    from nhc.experiments.description import Settings, checked
    from nhc.experiments.descriptions import chosen
    from nhc.experiments.reproduce import redraw, reproduce

    settings = checked(Settings(options.runs, options.budget, options.seed, options.quick))
    if options.list:
        show_list(options, settings)
        return 0
    if options.redraw:
        return min(redraw(options.out, message), 1)
    descriptions = chosen(options.figures)
    summary = reproduce(descriptions, settings, options.out, engine_of(options), message)
    if options.json:
        print(json.dumps(as_json(summary, options.out)))
    else:
        show(summary)
    message(f"Report: {options.out / 'report.html'}, {options.out / 'report.md'}")
    return 1 if summary.failed else 0


def engine_of(options: ReproduceOptions) -> "Engine":
    """The engine. Raises ConfigError (`reproduce.range`, `reproduce.engine`)."""
    workers = host_threads() if options.workers is None else options.workers
    if workers < 1:
        raise ConfigError("reproduce.range", f"workers: expected at least 1, found {workers}")
    from nhc.experiments.engine import LocalEngine, RayEngine

    if options.engine == "ray":
        return RayEngine(workers, options.address)
    if options.address is not None:
        raise ConfigError("reproduce.engine", "--address: expected --engine ray, found local")
    return LocalEngine(workers)


def show_list(options: ReproduceOptions, settings: "Settings") -> None:
    """The figures with what they need under these settings."""
    from nhc.experiments.descriptions import ALL, chosen
    from nhc.experiments.plan import Figure, expected_seconds, tasks_of

    rows = []
    for one in chosen(options.figures or (ALL,)):
        figure = Figure.of(one, settings)
        tasks = tasks_of([figure], options.out).values()
        missing = [variant.label for variant in figure.variants if variant.missing]
        note = f"not available in this version: {', '.join(missing)}" if missing else ""
        seconds = sum(map(expected_seconds, tasks))
        rows.append([one.name, one.paper, one.title, f"{len(tasks)}", duration(seconds), note])
    if options.json:
        names = ("name", "paper", "title", "runs", "core_time", "note")
        print(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
        return
    columns = ["name", "in the paper", "what", "runs", "time on one core", "note"]
    print_table(f"Figures; {settings}", columns, rows, left=3)


def show(summary: "ReportSummary") -> None:
    """The facts and the claims."""
    from nhc.experiments.report import CLAIM_COLUMNS, claim_rows

    for name, text in summary.facts:
        print(f"{name}: {text}")
    rows = [list(row) for figure in summary.figures for row in claim_rows(figure)]
    print_table("Claims", list(CLAIM_COLUMNS), rows, left=len(CLAIM_COLUMNS))


def as_json(summary: "ReportSummary", out: Path) -> dict[str, object]:
    """Facts, claims and runs."""
    return {
        "facts": dict(summary.facts),
        "report": os.fspath(out / "report.html"),
        "figures": [
            {
                "name": figure.description.name,
                "settings": figure.settings._asdict(),
                "runs": {
                    label: [len(figure.results.of(label)), wanted]
                    for label, wanted in figure.results.wanted.items()
                },
                "failures": list(figure.failures),
                "pictures": [os.fspath(picture) for picture in figure.pictures],
                "claims": [
                    {
                        "name": claim.name,
                        "statement": claim.statement,
                        "paper": claim.paper,
                        "ours": finding.ours,
                        "verdict": finding.verdict,
                    }
                    for claim, finding in figure.findings
                ],
            }
            for figure in summary.figures
        ],
    }

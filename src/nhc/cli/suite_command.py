"""`nhc suite`: learns every algorithm from several seeds, and prints how often and how fast."""

import json
from dataclasses import dataclass
from pathlib import Path

import tyro

from nhc.algorithms.names import Name
from nhc.cli.parse import message, parse, parse_numbers
from nhc.cli.tables import print_table

OUT = Path("runs/suite")

EXAMPLES = """
nhc suite
nhc suite copy reverse sort --seeds 0..4
nhc suite brackets --budget 3000 --out runs/first-look
"""


@dataclass
class SuiteOptions:
    """Learn algorithms from random weights, several times each, and print one table.

    Finished runs are never repeated and interrupted ones go on, so the same command may be given again and
    again. All but search and plan are learned if none is named.
    """

    algorithms: tyro.conf.Positional[tuple[Name, ...]] = ()
    """What is to be learned."""
    seeds: str = "0..14"
    """The runs of each."""
    budget: int | None = None
    """Iterations of a run; the algorithm's own by default."""
    jobs: int | None = None
    """Runs at a time; one a core by default."""
    out: Path = OUT
    """Folder for the runs, `runs.jsonl` and `report.md`."""
    json: bool = False
    """One JSON object a run on stdout."""


def run(arguments: list[str]) -> int:
    """Learn, report. Exit 0 if every run mastered its tasks or was proved, else 1."""
    options = parse(SuiteOptions, arguments, name="suite", examples=EXAMPLES)
    from nhc.algorithms.sequence.family import SEQUENCES
    from nhc.errors import ConfigError
    from nhc.experiments.suite import COLUMNS, REPORT, run_suite, suite_jobs
    from nhc.runs.environment import host_threads
    from nhc.training.keeping import Summary

    if options.jobs is not None and options.jobs < 1:
        raise ConfigError("config.value", f"jobs: expected at least 1, found {options.jobs}")
    names: list[str] = [*options.algorithms] or [algorithm.name for algorithm in SEQUENCES]
    jobs = suite_jobs(dict.fromkeys(names), parse_numbers(options.seeds), options.out, options.budget)
    workers = min(options.jobs or host_threads(), len(jobs))
    message(f"{len(jobs)} runs in {options.out}, {workers} at a time")

    def on_done(summary: Summary) -> None:
        ended = "proved" if summary.certified else "mastered" if summary.mastered else "not mastered"
        message(
            f"  {summary.task}, seed {summary.seed}: {ended}, "
            f"{summary.learning_iterations} learning iterations, {summary.wall_s:.0f} s"
        )

    rows = run_suite(jobs, options.out, workers, on_done)
    if options.json:
        for row in rows:
            for summary in row.runs:
                print(json.dumps(summary.fields()))
    else:
        print_table("Learned algorithms", COLUMNS, [row.cells() for row in rows], left=2)
    message(f"Report: {options.out / REPORT}")
    return 0 if all(len(row.learned) == len(row.runs) for row in rows) else 1

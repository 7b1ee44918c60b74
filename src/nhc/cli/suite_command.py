"""`nhc suite`: learns every algorithm from several seeds, and prints how often and how fast."""

from dataclasses import dataclass
from itertools import count
from pathlib import Path
from statistics import fmean

import tyro

from nhc.algorithms.names import Name
from nhc.cli.parse import message, parse, parse_numbers, processes
from nhc.cli.tables import print_lines, print_table

OUT = Path("runs/suite")
SEEDS, NETWORK_SEEDS = "0..14", "0..2"


@dataclass
class SuiteOptions:
    """Learn algorithms from random weights, several times each, and print one table.

    Finished runs are never repeated and interrupted ones go on, so the same command may be given again and
    again. All but search and plan are learned if none is named.

    Examples:
    nhc suite
    nhc suite copy reverse sort --seeds 0..4
    nhc suite brackets --budget 3000 --out runs/first-look
    nhc suite --networks
    nhc suite copy --networks --seeds 0
    """

    algorithms: tyro.conf.Positional[tuple[Name, ...]] = ()
    """What is to be learned."""
    networks: bool = False
    """Train the comparison networks instead, on copy, reverse and brackets, and test them on longer inputs
    beside the machines of the zoo."""
    seeds: str = ""
    """The runs of each; 0..14 by default, 0..2 of networks."""
    budget: int | None = None
    """Iterations of a run, or updates of a network; the algorithm's own by default."""
    jobs: int | None = None
    """Runs at a time; one a core by default."""
    out: Path = OUT
    """Folder for the runs, `runs.jsonl` and `report.md`; of networks `networks.jsonl` and `networks.md`."""
    json: bool = False
    """One JSON object a run on stdout."""


def run(arguments: list[str]) -> int:
    """Learn, report. Exit 0 if every run mastered its tasks or was proved, else 1; of networks 0."""
    options = parse(SuiteOptions, arguments, name="suite")
    most = processes(options.jobs)
    return run_comparison(options, most) if options.networks else run_machines(options, most)


def run_machines(options: SuiteOptions, most: int) -> int:
    """The machine learns each algorithm, with at most so many runs at a time."""
    from nhc.algorithms.sequence.family import SEQUENCES
    from nhc.experiments.suite import COLUMNS, REPORT, run_suite, suite_jobs
    from nhc.training.keeping import Summary

    names: list[str] = [*options.algorithms] or [algorithm.name for algorithm in SEQUENCES]
    seeds = parse_numbers(options.seeds or SEEDS)
    jobs = suite_jobs(dict.fromkeys(names), seeds, options.out, options.budget)
    workers, done = min(most, len(jobs)), list[Summary]()
    message(f"{len(jobs)} runs in {options.out}, {workers} at a time")

    def on_done(summary: Summary) -> None:
        done.append(summary)
        left = fmean(each.wall_s for each in done) * (len(jobs) - len(done)) / workers
        ended = "proved" if summary.certified else "mastered" if summary.mastered else "not mastered"
        message(
            f"  {summary.task}, seed {summary.seed}: {ended}, "
            f"{summary.learning_iterations} learning iterations, {summary.wall_s:.0f} s; "
            f"{len(done)}/{len(jobs)} done, about {left:.0f} s left"
        )

    rows = run_suite(jobs, options.out, workers, on_done)
    if options.json:
        print_lines(summary.fields() for row in rows for summary in row.runs)
    else:
        print_table("Learned algorithms", COLUMNS, [row.cells() for row in rows], left=2)
    message(f"Report: {options.out / REPORT}")
    return 0 if all(len(row.learned) == len(row.runs) for row in rows) else 1


def run_comparison(options: SuiteOptions, most: int) -> int:
    """The comparison networks learn, at most so many at a time, and are tested beside the machine."""
    from nhc.experiments.networks import INPUTS, LENGTHS, NAMES, NetworkJob, Trial, network_jobs, run_network
    from nhc.experiments.networks_report import REPORT, percent, write_comparison
    from nhc.runs.pool import completed

    names: list[str] = [*options.algorithms] or [*NAMES]
    seeds = parse_numbers(options.seeds or NETWORK_SEEDS)
    jobs = network_jobs(names, seeds, options.out, options.budget)
    workers, done = min(most, len(jobs)), count(1)
    message(f"{len(jobs)} runs in {options.out}, {workers} at a time")

    def on_start(job: NetworkJob) -> None:
        message(f"  {job.name}: begun")

    def on_done(trial: Trial) -> None:
        message(
            f"  {trial.name}: {percent(trial.trained)} % right in training, {trial.updates:,} updates, "
            f"{trial.seconds:.0f} s; {next(done)}/{len(jobs)} done"
        )

    trials = completed(run_network, jobs, workers, on_done, started=on_start)
    made = write_comparison(trials, LENGTHS, INPUTS, options.out)
    if options.json:
        print_lines(made.records())
    else:
        print_table("Right answers, by the length of the input", made.columns, made.tests(), left=3)
    message(f"Report: {options.out / REPORT}")
    return 0

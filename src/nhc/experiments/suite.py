"""The suite: every algorithm learned from several seeds, and a table of what came of it.

Runs are kept as `nhc train` keeps them, in a folder for all: finished ones are not repeated, others go on.
"""

import json
import statistics
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from nhc.algorithms.registry import algorithm_named
from nhc.runs.storage import write_text_atomically
from nhc.training.config import run_config
from nhc.training.jobs import Job, run_jobs
from nhc.training.keeping import Summary

COLUMNS = ("algorithm", "trained on", "mastered", "proved", "learning iterations", "median seconds")
RECORDS, REPORT = "runs.jsonl", "report.md"


class Row(NamedTuple):
    """One algorithm's runs."""

    algorithm: str
    runs: tuple[Summary, ...]
    proofs: bool
    """Did runs end with a proof if there was one?"""

    @property
    def learned(self) -> list[int]:
        """Learning iterations of the runs that mastered all levels."""
        return sorted(run.learning_iterations for run in self.runs if run.mastered or run.certified)

    def cells(self) -> tuple[str, ...]:
        """The row of the table, one cell for each of `COLUMNS`."""
        learned, count = self.learned, len(self.runs)
        spread = f"{statistics.median(learned):,.0f} ({learned[0]:,} to {learned[-1]:,})" if learned else "-"
        proved = f"{sum(run.certified for run in self.runs)} of {count}" if self.proofs else "not tried"
        seconds = statistics.median(run.wall_s for run in self.runs)
        trained = trained_on(self.algorithm)
        return self.algorithm, trained, f"{len(learned)} of {count}", proved, spread, f"{seconds:.1f}"


def trained_on(name: str) -> str:
    """How many tasks the levels have, and how long the longest is."""
    algorithm = algorithm_named(name)
    tasks = sum(len(algorithm.tasks(level) or ()) for level in range(1, algorithm.levels + 1))
    longest = algorithm.longest(algorithm.levels)
    return f"{tasks:,} {'task' if tasks == 1 else 'tasks'} of at most {longest} ticks"


def suite_jobs(
    names: Iterable[str], seeds: Sequence[int], folder: Path, budget: int | None = None
) -> list[Job]:
    """A run for each algorithm and seed, to be gone on with if it was begun.

    Raises ConfigError (`algorithm.unknown`, `config.value`).
    """
    given: dict[str, object] = {} if budget is None else {"budget": budget}
    return [
        Job(
            run_config(name, overrides={**given, "seed": seed}),
            folder / f"{name}-seed{seed}",
            resume=True,
            overwrite=False,
        )
        for name in names
        for seed in seeds
    ]


def run_suite(
    jobs: Sequence[Job], folder: Path, workers: int, on_done: Callable[[Summary], None]
) -> list[Row]:
    """Do what is left to do, and write `RECORDS` and `REPORT` into the folder.

    Raises what `run_jobs` raises, and StorageError (`storage.write`).
    """
    summaries = run_jobs(jobs, workers, on_done)
    rows = []
    for name in dict.fromkeys(job.config.task for job in jobs):
        own = [number for number, job in enumerate(jobs) if job.config.task == name]
        proofs = all(jobs[number].config.until == "certified" for number in own)
        rows.append(Row(name, tuple(summaries[number] for number in own), proofs))
    records = [json.dumps({**run._asdict(), "model": Path(run.model).parent.name}) for run in summaries]
    write_text_atomically(folder / RECORDS, "".join(f"{record}\n" for record in records))
    write_text_atomically(folder / REPORT, report(rows))
    return rows


def listed(seeds: Sequence[int]) -> str:
    """Rising numbers as text, by their ends if none is left out."""
    first, last = seeds[0], seeds[-1]
    return f"{first} to {last}" if 2 < len(seeds) == last - first + 1 else ", ".join(map(str, seeds))


def report(rows: Sequence[Row]) -> str:
    """The table with what it means, as Markdown."""
    seeds = sorted({run.seed for row in rows for run in row.runs})
    lines = [
        "# Learned algorithms",
        "",
        f"Seeds {listed(seeds)}. Each run begins with random weights, and ends when its",
        "algorithm is learned or its budget is spent. *Mastered*: right on every task that it was trained",
        "on. *Proved*: right for inputs of every length. Learning iterations are those of the runs that",
        "mastered their tasks: median, and least to most. Seconds are those of a process, the compilation",
        "of its first run included.",
        "",
        *markdown_table(COLUMNS, [row.cells() for row in rows], 2),
    ]
    return "\n".join(lines) + "\n"


def markdown_table(columns: Sequence[str], rows: Iterable[Sequence[str]], left: int) -> list[str]:
    """Its lines; the first `left` columns are text."""
    rule = ["---"] * left + ["---:"] * (len(columns) - left)
    return [f"| {' | '.join(cells)} |" for cells in (columns, rule, *rows)]

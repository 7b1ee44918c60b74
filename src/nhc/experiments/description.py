"""A description: what a table or figure of the paper needs, what is drawn, and what the paper says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.job import Job, Record, Values, job
from nhc.experiments.settings import Settings


class Variant(NamedTuple):
    """Runs that stand together under one name, such as an ablation."""

    label: str
    jobs: tuple[Job, ...]
    missing: str = ""
    """Why this version of nhc cannot do them; then there are no jobs."""


class Finished(NamedTuple):
    """A run that is done."""

    job: Job
    result: Record
    seconds: float
    folder: Path
    """The run directory of its kind."""


class Results(NamedTuple):
    """What there is of an experiment's runs, by variant; failed and missing runs are only counted."""

    finished: Mapping[str, list[Finished]]
    wanted: Mapping[str, int]
    missing: Mapping[str, str]
    """Reasons, of variants that this version cannot do."""
    settings: Settings

    def of(self, label: str) -> list[Finished]:
        """The finished runs of a variant."""
        return list(self.finished.get(label, ()))

    def values(self, label: str, field: str) -> list[object]:
        """One field of each finished run's result."""
        return [one.result[field] for one in self.of(label)]

    def numbers(self, label: str, field: str) -> list[int]:
        """One field that is a whole number."""
        values = [one.result[field] for one in self.of(label)]
        return [int(value) for value in values if isinstance(value, int)]

    def absent(self, label: str) -> str:
        """Why a variant cannot be judged; empty if there is a finished run of it."""
        if label in self.missing:
            return self.missing[label]
        return "" if self.of(label) else f"no finished run of {label}"


class Verdict(StrEnum):
    """How ours stands to the paper's statement."""

    REACHED = "reached"
    EXCEEDED = "exceeded"
    NOT_REACHED = "not reached"
    NOT_STATED = "not stated"
    """The paper gives nothing to compare with; ours is reported."""
    NOT_RUN = "not run"


class Finding(NamedTuple):
    """A verdict and the numbers behind it."""

    verdict: Verdict
    ours: str


@dataclass(frozen=True)
class Claim:
    """One statement of the paper and the rule by which ours is judged."""

    name: str
    statement: str
    """What the paper says, in our words."""
    paper: str
    """The paper's numbers; empty if it gives none."""
    rule: str
    """When it counts as reached, for the reader of the report."""
    needs: tuple[str, ...]
    """Labels of the variants that must have finished runs."""
    judge: Callable[[Results], Finding]
    at_any_size: bool = False
    """Does a quick run, with its short curriculum, say anything about it?"""


class Table(NamedTuple):
    """Numbers for Markdown and CSV."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Description:
    """One table or figure."""

    name: str
    paper: str
    """Where it stands in the paper."""
    title: str
    variants: Callable[[Settings], list[Variant]]
    draw: Callable[[Results, Path], list[Path]]
    """Draws into a folder; returns the PNG files, each with its SVG beside it."""
    tables: Callable[[Results], list[Table]]
    claims: tuple[Claim, ...] = ()
    note: str = ""
    """What a reader must know to compare."""


def variant(label: str, kind: str, settings: list[Values]) -> Variant:
    """A variant from the full settings of its runs."""
    return Variant(label, tuple(job(kind, values) for values in settings))


def judged(claim: Claim, results: Results) -> Finding:
    """The finding on a claim; `not run` where runs are missing or too small to judge."""
    for label in claim.needs:
        reason = results.absent(label)
        if reason:
            return Finding(Verdict.NOT_RUN, reason)
    found = claim.judge(results)
    if results.settings.quick and not claim.at_any_size:
        return Finding(Verdict.NOT_RUN, f"quick runs are too small to judge; {found.ours}")
    missing = [
        f"{label} {len(results.of(label))} of {results.wanted[label]}"
        for label in claim.needs
        if len(results.of(label)) < results.wanted[label]
    ]
    return Finding(
        found.verdict, f"{found.ours}; finished runs: {', '.join(missing)}" if missing else found.ours
    )

"""A description: what a table or figure of the paper needs, what is drawn, and what the paper says."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.fields import whole
from nhc.experiments.job import Job, Record, Values, job
from nhc.experiments.kinds.registry import budget_of
from nhc.experiments.settings import Settings


class Variant(NamedTuple):
    """Runs that stand together under one name, such as an ablation."""

    label: str
    jobs: tuple[Job, ...]
    missing: str = ""
    """Why this version of nhc cannot do them; then there are no jobs."""


class Environment(NamedTuple):
    """On what a run was made."""

    platform: str
    processor: str
    host_threads: str
    backend: str
    device: str
    python: str
    jax: str
    jaxlib: str
    numpy: str
    nhc: str
    git: str

    @property
    def numerical(self) -> tuple[str, ...]:
        """What may change the last bits of numbers."""
        return (self.backend, self.device, self.jax, self.jaxlib, self.numpy)


class Finished(NamedTuple):
    """A run that is done."""

    job: Job
    result: Record
    seconds: float
    folder: Path
    """The run directory of its kind."""
    environment: Environment | None = None


class Results(NamedTuple):
    """What there is of an experiment's runs, by variant; failed and missing runs are only counted."""

    finished: Mapping[str, list[Finished]]
    wanted: Mapping[str, int]
    missing: Mapping[str, str]
    """Reasons, of variants that this version cannot do."""
    settings: Settings
    smaller: Mapping[str, str] = {}
    """By how much a variant's runs are fewer or shorter than the description's own."""
    larger: Mapping[str, str] = {}
    """Budgets above the description's own."""
    outdated: Mapping[str, int] = {}
    """Missing runs that were finished by other sources."""

    def of(self, label: str) -> list[Finished]:
        """The finished runs of a variant."""
        return list(self.finished.get(label, ()))

    def numbers(self, label: str, name: str) -> list[int]:
        """One field of each finished run that is a whole number."""
        return [whole(one.result, name) for one in self.of(label)]

    def absent(self, label: str) -> str:
        """Why a variant cannot be judged; empty if there is a finished run of it."""
        if label in self.missing:
            return self.missing[label]
        if self.of(label):
            return ""
        old = self.outdated.get(label, 0)
        return f"{label}: {old} runs were made with other sources" if old else f"no finished run of {label}"


class Verdict(StrEnum):
    """How ours stands to the paper's statement."""

    REACHED = "reached"
    EXCEEDED = "exceeded"
    NOT_REACHED = "not reached"
    UNDECIDED = "undecided"
    """Enough runs to judge, but they speak neither for the statement nor against it."""
    NOT_STATED = "not stated"
    """The paper gives nothing to compare with; ours is reported."""
    NOT_RUN = "not run"
    """Runs are missing, or too few or too small to judge."""


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
    """Do runs that are fewer or shorter than described say anything about it?"""
    partial: bool = False
    """Is it judged before all its runs are finished?"""


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


class Extent(NamedTuple):
    """How large the runs of a variant are."""

    runs: int
    budget: int
    unit: str

    @classmethod
    def of(cls, one: Variant) -> "Extent":
        """Of the runs that a variant asks for; networks that are trained side by side count each."""
        budgets = [budget_of(task) for task in one.jobs]
        networks = [task.values["runs"] if task.kind == "baseline" else 1 for task in one.jobs]
        smallest, unit = min(budgets, default=(0, ""))
        return cls(sum(count for count in networks if isinstance(count, int)), smallest, unit)

    def __str__(self) -> str:
        return f"{self.runs} runs of {self.budget:,} {self.unit}" if self.budget else f"{self.runs} runs"


def compared_extents(variants: Sequence[Variant], own: Sequence[Variant]) -> tuple[dict[str, str], ...]:
    """Variants that are smaller than the description's own, and those with a larger budget; in words."""
    usual = {one.label: Extent.of(one) for one in own}
    smaller, larger = {}, {}
    for one in variants:
        found = Extent.of(one)
        described = usual.get(one.label, found)
        if found.runs < described.runs or found.budget < described.budget:
            smaller[one.label] = f"{one.label}: {found} in place of {described}"
        elif found.budget > described.budget:
            larger[one.label] = f"{one.label}: {found} in place of {described}"
    return smaller, larger


def judged(claim: Claim, results: Results) -> Finding:
    """The finding on a claim; `not run` where runs are missing or too small to judge."""
    for label in claim.needs:
        reason = results.absent(label)
        if reason:
            return Finding(Verdict.NOT_RUN, reason)
    found = claim.judge(results)
    small = "quick runs" if results.settings.quick else _of_needed(claim, results.smaller)
    if small and not claim.at_any_size:
        return Finding(Verdict.NOT_RUN, f"too small to judge ({small}); {found.ours}")
    other = _of_needed(claim, results.larger)
    ours = f"other budget ({other}); {found.ours}" if other else found.ours
    lacking = [
        f"{label} {len(results.of(label))} of {results.wanted[label]}"
        for label in claim.needs
        if len(results.of(label)) < results.wanted[label]
    ]
    if not lacking:
        return Finding(found.verdict, ours)
    verdict = found.verdict if claim.partial else Verdict.NOT_RUN
    return Finding(verdict, f"runs are missing, finished: {', '.join(lacking)}; so far {ours}")


def _of_needed(claim: Claim, notes: Mapping[str, str]) -> str:
    return ", ".join(notes[label] for label in claim.needs if label in notes)

"""A description: what a table or figure of the paper needs, what is drawn, and what the paper says."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple, TypeVar

from nhc.errors import ConfigError
from nhc.experiments.job import Environment, Job, Record, Values, job, whole
from nhc.experiments.kinds import budget_of

QUICK_RUNS, QUICK_BUDGET = 2, 1_500
QUICK_CURRICULUM: dict[str, object] = {"levels": 3, "solved_after": 50}
"""A short curriculum, so that something happens within so few iterations."""

Item = TypeVar("Item")
Columns = Mapping[str, Callable[[Item], object]]
"""Name of a column -> what it shows of an item."""


class Settings(NamedTuple):
    """What a user may change about all experiments at once; always printed with the results.

    None leaves each description's own runs and budgets, which are the paper's where it gives them.
    """

    runs: int | None = None
    budget: int | None = None
    """Iterations of training runs."""
    seed: int = 0
    """Of the first run; the others count on."""
    quick: bool = False

    def runs_of(self, usual: int) -> int:
        """Runs of a variant that usually has so many."""
        return self.runs or (min(QUICK_RUNS, usual) if self.quick else usual)

    def budget_of(self, usual: int) -> int:
        """Iterations of a run that usually has so many."""
        return self.budget or (min(QUICK_BUDGET, usual) if self.quick else usual)

    def __str__(self) -> str:
        runs = "as described" if self.runs is None else str(self.runs)
        budget = "as described" if self.budget is None else f"{self.budget:,} iterations"
        size = "quick (small budgets, short curriculum)" if self.quick else "full"
        return f"size {size}; runs {runs}; budget {budget}; seeds from {self.seed}"


def checked(settings: Settings) -> Settings:
    """The settings. Raises ConfigError: `reproduce.range` below 1, `config.value` for the seed."""
    for name, value in (("runs", settings.runs), ("budget", settings.budget)):
        if value is not None and value < 1:
            raise ConfigError("reproduce.range", f"{name}: expected at least 1, found {value}")
    if not 0 <= settings.seed < 2**31:
        raise ConfigError("config.value", f"seed: expected 0..{2**31 - 1}, found {settings.seed}")
    return settings


class Variant(NamedTuple):
    """Runs that stand together under one name, such as an ablation."""

    label: str
    jobs: tuple[Job, ...]
    missing: str = ""
    """Why this version of nhc cannot do them; then there are no jobs."""

    @classmethod
    def of(cls, label: str, kind: str, settings: Iterable[Values]) -> "Variant":
        """From the full settings of its runs."""
        return cls(label, tuple(job(kind, values) for values in settings))


class Finished(NamedTuple):
    """A run that is done."""

    job: Job
    result: Record
    seconds: float
    folder: Path
    """The run directory of its kind."""
    environment: Environment | None = None


Labelled = tuple[str, Finished]
"""A run with the label of its variant."""


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
    """Missing runs that were finished by another version of their kind."""

    def of(self, label: str) -> list[Finished]:
        """The finished runs of a variant."""
        return list(self.finished.get(label, ()))

    @property
    def labelled(self) -> list[Labelled]:
        """Every finished run."""
        return [(label, run) for label, runs in self.finished.items() for run in runs]

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
        return f"{label}: {old} runs were made by another version" if old else f"no finished run of {label}"


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


def decided(text: str, reached: bool, refuted: bool | None = None) -> Finding:
    """Reached, else not reached if `refuted`, else undecided; what is not reached is refuted by default."""
    if reached:
        return Finding(Verdict.REACHED, text)
    return Finding(Verdict.UNDECIDED if refuted is False else Verdict.NOT_REACHED, text)


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

    @classmethod
    def of(cls, name: str, title: str, columns: Columns[Item], items: Iterable[Item]) -> "Table":
        """A row an item."""
        rows = (tuple(str(shown(item)) for shown in columns.values()) for item in items)
        return cls(name, title, tuple(columns), tuple(rows))


@dataclass(frozen=True)
class Description:
    """One table or figure."""

    name: str
    paper: str
    """Where it stands in the paper."""
    title: str
    variants: Callable[[Settings], list[Variant]]
    draw: Callable[[Results, Path], list[Path]]
    """Draws into a folder; returns the files that the report shows."""
    tables: Callable[[Results], list[Table]]
    claims: tuple[Claim, ...] = ()
    note: str = ""
    """What a reader must know to compare."""


class Extent(NamedTuple):
    """How large the runs of a variant are."""

    runs: int
    budget: int
    unit: str

    @classmethod
    def of(cls, one: Variant) -> "Extent":
        """Of the runs that a variant asks for; networks that are trained side by side count each."""
        budgets = [budget_of(task) for task in one.jobs]
        networks = [whole(task.values, "runs") if task.kind == "baseline" else 1 for task in one.jobs]
        smallest, unit = min(budgets, default=(0, ""))
        return cls(sum(networks), smallest, unit)

    def __str__(self) -> str:
        return f"{self.runs} runs of {self.budget:,} {self.unit}" if self.budget else f"{self.runs} runs"


def compared_extents(
    variants: Sequence[Variant], own: Sequence[Variant]
) -> tuple[dict[str, str], dict[str, str]]:
    """Variants that are smaller than the description's own, and those with a larger budget; in words."""
    usual = {one.label: Extent.of(one) for one in own}
    smaller, larger = {}, {}
    for one in variants:
        extent = Extent.of(one)
        described = usual.get(one.label, extent)
        text = f"{one.label}: {extent} in place of {described}"
        if extent.runs < described.runs or extent.budget < described.budget:
            smaller[one.label] = text
        elif extent.budget > described.budget:
            larger[one.label] = text
    return smaller, larger


def judged(claim: Claim, results: Results) -> Finding:
    """The finding on a claim; `not run` where runs are missing or too small to judge."""
    for reason in map(results.absent, claim.needs):
        if reason:
            return Finding(Verdict.NOT_RUN, reason)
    verdict, ours = claim.judge(results)
    small = "quick runs" if results.settings.quick else _of_needed(claim, results.smaller)
    if small and not claim.at_any_size:
        return Finding(Verdict.NOT_RUN, f"too small to judge ({small}); {ours}")
    other = _of_needed(claim, results.larger)
    ours = f"other budget ({other}); {ours}" if other else ours
    counts = {label: (len(results.of(label)), results.wanted[label]) for label in claim.needs}
    lacking = [f"{label} {done} of {wanted}" for label, (done, wanted) in counts.items() if done < wanted]
    if not lacking:
        return Finding(verdict, ours)
    text = f"runs are missing, finished: {', '.join(lacking)}; so far {ours}"
    return Finding(verdict if claim.partial else Verdict.NOT_RUN, text)


def _of_needed(claim: Claim, notes: Mapping[str, str]) -> str:
    return ", ".join(notes[label] for label in claim.needs if label in notes)

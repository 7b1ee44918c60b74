"""What a check says: counts with their label, kept as a record beside the model."""

import hashlib
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from nhc.errors import InputError, Place
from nhc.runs.storage import write_text_atomically
from nhc.statistics import label_sampled
from nhc.supervised.check.tally import Tally, tally_from

FORMAT = 1


class Slice(NamedTuple):
    """Every `of`-th chunk of the family, from the `part`-th on; 1/1 is all of it."""

    part: int = 1
    of: int = 1

    def __str__(self) -> str:
        return f"{self.part}/{self.of}"


@dataclass
class Report:
    """Of one call, or of several that resumed each other."""

    world: str
    family: str
    family_hash: str
    weights: str
    modules: list[str]
    engine: str
    arithmetic: str
    slice: str
    samples: int
    """States drawn at random; 0 if the family was enumerated."""
    chunk: int
    formula: int
    """Size of the family by formula."""
    tallies: dict[str, Tally] = field(default_factory=dict)
    enumerated: int = 0
    """States that the enumeration gave, also those outside the slice."""
    distinct: bool = False
    """No state was enumerated twice."""
    chunks: int = 0
    """Done so far."""
    checked: int = 0
    """States checked so far."""
    constant: list[int] = field(default_factory=list)
    """Cells whose symbol is the same in all checked states, as far as the engine looked."""
    words: str = ""
    """Chained SHA-256 of the checked words."""
    seconds: float = 0.0
    core_seconds: float = 0.0
    flops: float = 0.0
    rates: list[float] = field(default_factory=list)
    """Measured matrix-product rates, operations a second and core."""
    proved: dict[str, float] = field(default_factory=dict)
    """Modules that were proved for all words, and by what least margin; what is counted comes on top."""
    stopped: bool = False
    """The check ended early, at a given number of errors."""

    @property
    def passed(self) -> bool:
        """Everything that was to be seen was seen, and nothing is wrong."""
        stateless = self.modules == ["alu"]  # All views, whatever the states.
        counted = self.samples > 0 or stateless or (self.enumerated == self.formula and self.distinct)
        return counted and not self.stopped and all(tally.passed for tally in self.tallies.values())

    @property
    def share_of_rate(self) -> float | None:
        """Fraction of the cores' matrix-product rate, None where it was not measured."""
        if not self.rates or not self.core_seconds:
            return None
        return self.flops / self.core_seconds / (sum(self.rates) / len(self.rates))

    def label(self, module: str) -> str:
        """*exhaustive*, or what was left out."""
        tally = self.tallies[module]
        if module == "alu":
            return "exhaustive"
        if module in self.proved:
            return "proved"
        if self.stopped:
            return f"stopped after {self.checked:,} states"
        if self.samples:
            return label_sampled(tally.failing, self.checked)
        if self.slice != str(Slice()):
            return f"sampled slice {self.slice}, not exhaustive"
        complete = self.checked == self.enumerated == self.formula
        return "exhaustive" if complete and self.distinct else "incomplete"

    def identity(self) -> dict[str, object]:
        """What two calls must share to be parts of one check."""
        names = ("world", "family_hash", "weights", "modules", "engine", "slice", "samples", "chunk")
        return {name: getattr(self, name) for name in names}

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        values = {**vars(self), "tallies": {name: tally.as_json() for name, tally in self.tallies.items()}}
        labels = {name: self.label(name) for name in self.tallies}
        return {"format": FORMAT, **values, "labels": labels, "passed": self.passed}


def record_path(modules: Path) -> Path:
    """Where the check record of a file of data modules lies: beside it."""
    return modules.with_suffix(".check.json")


def save_report(path: Path, report: Report) -> None:
    """Write a record with its own hash, atomically. Raises StorageError (`storage.write`)."""
    values = report.as_json()
    write_text_atomically(path, json.dumps({**values, "sha256": _hash(values)}, indent=1) + "\n")


def load_report(path: Path) -> Report:
    """Read a record. Raises InputError (code `check.record`) for one that is missing or damaged."""
    place = Place(str(path))
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        claimed = values.pop("sha256")
        if claimed != _hash(values) or values.pop("format") != FORMAT:
            raise ValueError("its hash does not fit its content")
        values.pop("labels"), values.pop("passed")
        tallies = {name: tally_from(tally) for name, tally in values.pop("tallies").items()}
        return Report(**values, tallies=tallies)
    except OSError as error:
        raise InputError("check.record", f"cannot be read: {error.strerror}", place) from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError("check.record", f"expected a record of a check, found: {error}", place) from error


def recorded_check(modules: Path, weights: str) -> Report:
    """The record beside a file of data modules with that weight hash.

    Raises InputError (`check.record`) unless it is about these weights.
    """
    path = record_path(modules)
    report = load_report(path)
    if report.weights != weights:
        raise InputError("check.record", f"expected a check of weights {weights[:12]}", Place(str(path)))
    return report


def check_note(modules: Path, weights: str) -> str:
    """How data modules were checked, in a few words; a record of other weights counts for nothing."""
    if not record_path(modules).is_file():
        return "not checked"
    report = recorded_check(modules, weights)
    if not report.tallies or not all(tally.passed for tally in report.tallies.values()):
        return "with errors, says their check"
    if "composed" in report.proved:
        return "proved for every state of the world"
    labels = sorted({report.label(name) for name in report.tallies})
    return f"{', '.join(labels)}: 0 errors in {report.checked:,} states"


def _hash(values: object) -> str:
    return hashlib.sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()

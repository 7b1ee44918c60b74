"""What a check says: counts with their label, module by module, kept as a record beside the model.

Reading a record needs no JAX.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from nhc.domains.protocol import OPS
from nhc.errors import InputError, Place
from nhc.runs.storage import sha256, write_text_atomically
from nhc.statistics import label_sampled

COUNTED = ("transform_d", "alu", "output", "composed")
"""What is counted case by case: Transform_D, ALU, Output, and the three in a row."""

LOW_MARGIN = 0.05
"""Cases decided by less are run again in float64."""
COUNTEREXAMPLES = 20_000
"""So many are kept of each module."""

FORMAT = 1
WHOLE = "1/1"
MEASURED = ("constant", "core_seconds", "flops", "rates")
"""In records of earlier versions: how fast the processor was. Nothing rests on them."""


@dataclass(frozen=True)
class Counterexample:
    """A case that a module gets wrong."""

    state: int
    """Its number in the order of the family; for the ALU that of the view."""
    op: int
    """-1 for Transform_D, which sees none."""
    symbols: tuple[int, ...]
    """The word, or the view, cell by cell."""


@dataclass
class CaseCounts:
    """Of one module; sums over chunks."""

    cases: int = 0
    errors: int = 0
    failing: int = 0
    """States with an error."""
    margin: float = math.inf
    """The smallest; wrong decisions have margins of at most 0."""
    repeated: int = 0
    """Cases with a margin under 0.05, run again in float64."""
    disagreements: int = 0
    """Those that float64 judges otherwise."""
    wrong: list[Counterexample] = field(default_factory=list)

    def add(self, other: "CaseCounts") -> None:
        """Count what another part of the family gave."""
        self.cases += other.cases
        self.errors += other.errors
        self.failing += other.failing
        self.margin = min(self.margin, other.margin)
        self.repeated += other.repeated
        self.disagreements += other.disagreements
        self.wrong += other.wrong[: COUNTEREXAMPLES - len(self.wrong)]

    @property
    def passed(self) -> bool:
        """No error, nothing decided by chance, and float64 agrees."""
        return self.errors == 0 and self.disagreements == 0 and self.margin > 0

    def as_json(self) -> dict[str, object]:
        """Plain values; counterexamples as number, operation and hexadecimal symbols."""
        wrong = [[case.state, case.op, bytes(case.symbols).hex()] for case in self.wrong]
        return {**vars(self), "wrong": wrong}


@dataclass
class CheckRecord:
    """Of one call, or of several that resumed each other."""

    world: str
    family: str
    family_hash: str
    weights: str
    modules: list[str]
    engine: str
    arithmetic: str
    samples: int
    """States drawn at random; 0 if the family was enumerated."""
    chunk: int
    formula: int
    """Size of the family by formula."""
    slice: str = WHOLE
    """Part of the family; checks of a part are not made any more."""
    tallies: dict[str, CaseCounts] = field(default_factory=dict)
    enumerated: int = 0
    """States that the enumeration gave."""
    distinct: bool = False
    """No state was enumerated twice."""
    chunks: int = 0
    """Done so far."""
    checked: int = 0
    """States checked so far."""
    words: str = ""
    """Chained SHA-256 of the checked words."""
    seconds: float = 0.0
    proved: dict[str, float] = field(default_factory=dict)
    """Modules that were proved for all words, and by what least margin; what is counted comes on top."""
    stopped: bool = False
    """The check ended early, at a given number of errors."""

    @property
    def passed(self) -> bool:
        """Everything that was to be seen was seen, and nothing is wrong."""
        stateless = self.modules == ["alu"]  # All views, whatever the states.
        counted = self.samples > 0 or stateless or (self.enumerated == self.formula and self.distinct)
        return counted and not self.stopped and all(counts.passed for counts in self.tallies.values())

    def label(self, module: str) -> str:
        """*exhaustive*, *proved*, or what was left out."""
        if module == "alu":
            return "exhaustive"
        if module in self.proved:
            return "proved"
        if self.stopped:
            return f"stopped after {self.checked:,} states"
        if self.samples:
            return label_sampled(self.tallies[module].failing, self.checked)
        complete = self.checked == self.enumerated == self.formula
        return "exhaustive" if complete and self.distinct else "incomplete"

    def identity(self) -> dict[str, object]:
        """What two calls must share to be parts of one check."""
        names = ("world", "family_hash", "weights", "modules", "engine", "samples", "chunk")
        return {name: getattr(self, name) for name in names}

    def as_json(self) -> dict[str, object]:
        """Plain values."""
        values = {**vars(self), "tallies": {name: counts.as_json() for name, counts in self.tallies.items()}}
        labels = {name: self.label(name) for name in self.tallies}
        return {"format": FORMAT, **values, "labels": labels, "passed": self.passed}


def record_path(modules: Path) -> Path:
    """Where the check record of a file of data modules lies: beside it."""
    return modules.with_suffix(".check.json")


def save_report(path: Path, report: CheckRecord) -> None:
    """Write a record with its own hash, atomically. Raises StorageError (`storage.write`)."""
    values = report.as_json()
    write_text_atomically(path, json.dumps({**values, "sha256": _hash(values)}, indent=1) + "\n")


def says_less(new: CheckRecord, old: CheckRecord) -> bool:
    """Is the new record weaker evidence about the same weights than the old one, of some module?

    A proof or an error found says most, then a run of the whole family, then samples by their number.
    """

    def strength(record: CheckRecord, module: str) -> tuple[int, int]:
        counts, label = record.tallies.get(module), record.label(module) if module in record.tallies else ""
        if counts is None:
            return 0, 0
        settled = label == "proved" or counts.errors + counts.disagreements > 0
        return 3 if settled else 2 if label == "exhaustive" else 1, counts.cases

    about_the_same = (new.weights, new.family_hash) == (old.weights, old.family_hash)
    return about_the_same and any(strength(new, name) < strength(old, name) for name in old.tallies)


def load_report(path: Path) -> CheckRecord:
    """Read a record. Raises InputError (code `check.record`) for one that is missing, damaged or impossible.

    Its hash finds accidents only, since anybody can compute it; so what the counts say has to fit together.
    """
    place = Place(str(path))
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
        claimed = values.pop("sha256")
        if claimed != _hash(values) or values.pop("format") != FORMAT:
            raise ValueError("its hash does not fit its content")
        for name in ("labels", "passed"):
            values.pop(name)
        counts = {name: _counts_from(name, counts) for name, counts in values.pop("tallies").items()}
        kept = {name: value for name, value in values.items() if name not in MEASURED}
        return _sound(CheckRecord(**kept, tallies=counts))
    except OSError as error:
        raise InputError("check.record", f"cannot be read: {error.strerror}", place) from error
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError) as error:
        raise InputError("check.record", f"expected a record of a check, found: {error}", place) from error


def recorded_check(modules: Path, weights: str) -> CheckRecord:
    """The record beside a file of data modules with that weight hash.

    Raises InputError (`check.record`) unless it is about these weights.
    """
    path = record_path(modules)
    record = load_report(path)
    if record.weights != weights:
        raise InputError("check.record", f"expected a check of weights {weights[:12]}", Place(str(path)))
    return record


def check_note(modules: Path, weights: str) -> str:
    """How data modules were checked, in a few words; a record of other weights is refused."""
    if not record_path(modules).is_file():
        return "not checked"
    record = recorded_check(modules, weights)
    if not record.tallies or not all(counts.passed for counts in record.tallies.values()):
        return "with errors, says their check"
    if "composed" in record.proved:
        return "proved for every state of the world"
    labels = sorted({record.label(name) for name in record.tallies})
    return f"{', '.join(labels)}: 0 errors in {record.checked:,} states"


def counterexamples(
    states: NDArray[np.integer], ops: NDArray[np.integer], words: NDArray[np.uint8]
) -> list[Counterexample]:
    """The first 20,000 of them."""
    rows = zip(*(column[:COUNTEREXAMPLES].tolist() for column in (states, ops, words)), strict=True)
    return [Counterexample(state, op, tuple(word)) for state, op, word in rows]


def _counts_from(name: str, values: Mapping[str, object]) -> CaseCounts:
    """The inverse of `as_json`. Raises KeyError, TypeError or ValueError for counts that cannot be."""
    counts = {part: _count(values[part]) for part in ("cases", "errors", "failing", "repeated")}
    other, margin, wrong = _count(values["disagreements"]), values["margin"], values["wrong"]
    if not isinstance(wrong, list) or isinstance(margin, bool) or not isinstance(margin, float | int):
        raise TypeError(f"{name}: expected a margin and counterexamples")
    cases = [Counterexample(int(state), int(op), tuple(bytes.fromhex(word))) for state, op, word in wrong]
    found = CaseCounts(**counts, margin=float(margin), disagreements=other, wrong=cases)
    fits = found.failing <= found.errors <= found.cases and other <= found.repeated <= found.cases
    listed = len(cases) == min(found.errors, COUNTEREXAMPLES) and (found.failing > 0) == (found.errors > 0)
    if not (name in COUNTED and fits and listed and found.cases):
        raise ValueError(f"{name}: counts that do not fit together")
    # The three in a row may be right by luck where Transform_D is wrong, which their margin tells.
    by_chance = found.margin <= 0 and found.errors == 0 and name != "composed"
    if by_chance or not math.isfinite(found.margin):
        raise ValueError(f"{name}: a margin of {margin} with {found.errors:,} errors")
    return found


def _sound(record: CheckRecord) -> CheckRecord:
    """Raises ValueError or TypeError for numbers that no check could have."""
    for value in (record.samples, record.formula, record.enumerated, record.chunks, record.checked):
        _count(value)
    if not (isinstance(record.distinct, bool) and isinstance(record.stopped, bool)):
        raise TypeError("expected `distinct` and `stopped` to be true or false")
    if record.slice != WHOLE or not isinstance(record.seconds, float | int):
        raise ValueError(f"a check of part {record.slice} of the family in {record.seconds} s")
    per_state = {"transform_d": 1, "output": len(OPS), "composed": len(OPS)}
    for name, counts in record.tallies.items():
        if name in per_state and counts.cases != per_state[name] * record.checked:
            raise ValueError(f"{name}: {counts.cases:,} cases of {record.checked:,} states")
    for name, margin in record.proved.items():
        if name not in record.tallies or not 0 < margin < math.inf:
            raise ValueError(f"{name}: proved by a margin of {margin}")
    return record


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise TypeError(f"expected a count, found {value!r}")
    return value


def _hash(values: object) -> str:
    return sha256(json.dumps(values, sort_keys=True).encode())

"""`nhc modules check`: run learned data modules on every state of their world's family, and prove Input."""

import json
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.errors import InputError
from nhc.runs.progress import Progress, Standing, progress_unless
from nhc.supervised.check.report import (
    COUNTED,
    CheckRecord,
    load_report,
    record_path,
    save_report,
    says_less,
)
from nhc.zoo import modules_path, ships

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.domains.local import FiniteWorld
    from nhc.domains.registry import AnyState
    from nhc.supervised.check.run import OnProgress
    from nhc.supervised.equality_proof import EqualityVerdict
    from nhc.supervised.files import DataModel

LARGEST_FAMILY = 50_000_000
"""Larger ones are sampled."""
SAMPLES = 65_536
COUNTED_ONCE = (
    "Where Transform_D and the ALU are right, the three in a row see what Output was checked on: "
    "that result is counted, not computed again."
)


@dataclass
class ModulesCheckOptions:
    """Run the learned data modules of a world on every state and operation, against the rules.

    Transform_D, ALU, Output and the three in a row are counted case by case; Input is proved for all pairs of
    words. A check that was stopped goes on with --resume. Families that are too large to enumerate are
    sampled, and say so.

    Examples:
    nhc modules check runs/sokoban-6x6-modules-seed0/modules.safetensors
    nhc modules check modules.safetensors --samples 100000
    nhc modules check modules.safetensors --module transform_d --out transform_d.check.json
    nhc modules check modules.safetensors --resume
    """

    model: tyro.conf.Positional[str]
    """A file of data modules, or zoo:WORLD for those that ship."""
    module: Literal["input", "transform_d", "alu", "output", "composed"] | None = None
    """One module only."""
    samples: int | None = None
    """Draw so many states instead of enumerating the family: a quick look."""
    seed: int = 0
    """Of the drawn states."""
    resume: bool = False
    """Go on with a check that was stopped."""
    out: Path | None = None
    """The check record; by default beside the model, for modules that ship in this folder."""
    json: bool = False
    """The record on stdout as well, no table."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Check and print a table. Exit 1 if something is wrong or undecided; samples without errors are fine."""
    options = parse(ModulesCheckOptions, arguments, name="modules check")
    from nhc.data.networks import dense
    from nhc.supervised.equality_proof import Proved, prove_equality
    from nhc.supervised.files import load_with_world

    path = modules_path(options.model)
    model, world = load_with_world(path)
    names = {"input", *COUNTED} if len(model.modules) == 4 else {*model.modules}
    names = names if options.module is None else {options.module}
    verdict = prove_equality(dense(model.networks, "equality"), world.form) if "input" in names else None
    counted = names & {*COUNTED}
    report = checked(options, path, model, world, counted) if counted else None
    if options.json:
        proof = None if verdict is None else {"verdict": type(verdict).__name__.lower(), **verdict._asdict()}
        print(json.dumps({"input": proof, "check": report and report.as_json()}))
    else:
        print_report(model, world, report, verdict)
    if report is not None and (report.stopped or not all(each.passed for each in report.tallies.values())):
        return 1
    return 0 if verdict is None or isinstance(verdict, Proved) else 1


def checked(
    options: ModulesCheckOptions,
    path: Path,
    model: "DataModel",
    world: "FiniteWorld[AnyState]",
    names: set[str],
) -> CheckRecord:
    """Count the cases of modules, and say which of them are proved for all words; the record is kept.

    It goes beside the modules, but into this folder for those of the package. Raises what `check_networks`
    and `save_report` raise.
    """
    from nhc.supervised.check.run import CheckOptions, check_networks
    from nhc.supervised.words_proof import proofs_of, proved_margins

    beside = record_path(path)
    out = options.out or (Path(beside.name) if ships(path) else beside)
    samples = SAMPLES if world.family_size > LARGEST_FAMILY else 0
    asked = CheckOptions(
        modules=frozenset(names),
        samples=samples if options.samples is None else options.samples,
        seed=options.seed,
        progress_file=out.with_suffix(".partial"),
        resume=options.resume,
    )
    with closing(progress_unless(options.quiet)) as progress:
        report = check_networks(world, model.networks, asked, shown_on(progress))
    proofs = proofs_of(world, model.networks)
    margins = proved_margins(world.form, model.networks, proofs, report.tallies.get("alu"))
    passed = {name for name, counts in report.tallies.items() if counts.passed}
    report.proved = {name: margin for name, margin in margins.items() if name in passed}
    keep_record(out, report)
    out.with_suffix(".partial").unlink(missing_ok=True)
    return report


def keep_record(path: Path, report: CheckRecord) -> None:
    """Write the record, unless one that says more about these weights is there."""
    try:
        old = load_report(path) if path.exists() else None
    except InputError:  # it is damaged
        old = None
    if old is not None and says_less(report, old):
        message(f"Not written: {path} says more about these weights; --out names another file")
        return
    save_report(path, report)
    message(f"Check record: {path}")


def shown_on(progress: Progress) -> "OnProgress":
    """What tells the display after each chunk."""

    def note(report: CheckRecord, chunks: int) -> None:
        errors = sum(tally.errors for tally in report.tallies.values())
        fields = (
            ("states", f"{report.chunks / chunks:.1%}"),
            ("checked", f"{report.checked:,}"),
            ("errors", f"{errors:,}"),
        )
        progress.update(Standing(fields, report.chunks, chunks - report.chunks))

    return note


def print_report(
    model: "DataModel",
    world: "FiniteWorld[AnyState]",
    report: CheckRecord | None,
    verdict: "EqualityVerdict | None",
) -> None:
    """The family, then a row a module."""
    from nhc.supervised.equality_proof import Refuted

    print(f"{model.world}, weights {model.hash[:12]}")
    print(f"Family: {world.family}.")
    rows = [] if verdict is None else [input_row(verdict)]
    if report is not None:
        counted = f"{report.enumerated:,} by enumeration" if not report.samples else "not enumerated"
        distinct = ", all different" if report.distinct else ""
        print(f"States: {report.formula:,} by formula, {counted}{distinct}; {report.arithmetic}.")
        rows += [module_row(report, name) for name in report.modules]
    columns = ["module", "label", "cases", "errors", "smallest margin", "again in float64", "cases / s"]
    print_table("Learned data modules", columns, rows, left=2)
    if isinstance(verdict, Refuted):
        symbols = world.form.symbols
        for side, word in (("left", verdict.left), ("right", verdict.right)):
            print(f"  {side:<6} {' '.join(symbols[symbol] for symbol in word)}")
    if report is not None:
        print(f"{report.checked:,} states in {report.seconds:.1f} s")
        if "composed" in report.modules:
            print(COUNTED_ONCE)


def input_row(verdict: "EqualityVerdict") -> list[str]:
    """Input's line of the table."""
    from nhc.supervised.equality_proof import Proved, Refuted

    if isinstance(verdict, Proved):
        margin = f"{verdict.margin:.3f}"
        return ["input", "proved", "all pairs of words", "0", margin, "", ""]
    if isinstance(verdict, Refuted):
        return ["input", "refuted", "a pair of words", "1", f"{-abs(verdict.logit):.3f}", "", ""]
    return ["input", f"undecided: {verdict.reason}", "", "", "", "", ""]


def module_row(report: CheckRecord, name: str) -> list[str]:
    """A counted module's line."""
    counts = report.tallies[name]
    again = f"{counts.repeated:,}" + (f", {counts.disagreements:,} differ" if counts.disagreements else "")
    rate = "" if name == "alu" or not report.seconds else f"{counts.cases / report.seconds:,.0f}"
    label, cases, margin = report.label(name), f"{counts.cases:,}", counts.margin
    if name in report.proved:
        label, cases, margin = "proved", f"all words; {cases} run", report.proved[name]
    return [name, label, cases, f"{counts.errors:,}", f"{margin:.3f}", again, rate]

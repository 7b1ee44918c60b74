"""`nhc modules check`: run learned data modules on every state of their world's family, and prove Input."""

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.data.learned import dense
from nhc.domains.finite import finite_world
from nhc.domains.local import FiniteWorld
from nhc.domains.registry import AnyState
from nhc.errors import ConfigError
from nhc.runs.progress import Progress, SilentProgress, Standing, progress_on
from nhc.supervised.check.report import Report, Slice, record_path, save_report
from nhc.supervised.check.run import CheckOptions, OnProgress, check_networks
from nhc.supervised.check.tally import MODULES
from nhc.supervised.equality_proof import Proved, Refuted, Verdict, prove_equality
from nhc.supervised.files import DataModel, load_with_world
from nhc.supervised.shipped import modules_path
from nhc.supervised.words_proof import proofs_of, proved_margins

LARGEST_FAMILY = 50_000_000
"""Larger ones are sampled."""
SAMPLES = 65_536

EXAMPLES = """\
Examples:

nhc modules check runs/sokoban-6x6-modules-seed0/modules.safetensors

nhc modules check modules.safetensors --slice 1/40

nhc modules check modules.safetensors --module transform_d --engine jax

nhc modules check modules.safetensors --resume"""


@dataclass
class ModulesCheckOptions:
    """Run the learned data modules of a world on every state and operation, against the rules.

    Transform_D, ALU, Output and the three in a row are counted case by case; Input is proved for all pairs of
    words. A check that was stopped goes on with --resume. Families that are too large to enumerate are
    sampled, and say so.
    """

    model: tyro.conf.Positional[str]
    """A file of data modules, or zoo:WORLD for those that ship."""
    module: Literal["input", "transform_d", "alu", "output", "composed"] | None = None
    """One module only."""
    slice: str = "1/1"
    """Every n-th chunk of the family, from the k-th on, as k/n: a quick look."""
    samples: int | None = None
    """Draw so many states instead of enumerating the family."""
    seed: int = 0
    """Of the drawn states."""
    engine: Literal["fast", "jax"] = "fast"
    """NumPy on all cores, or the modules as they are on JAX's device."""
    workers: int | None = None
    """Processes of the fast engine; one a core by default."""
    resume: bool = False
    """Go on with a check that was stopped."""
    out: Path | None = None
    """The check record; by default beside the model."""
    json: bool = False
    """The record on stdout as well, no table."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Check and print a table. Exit 1 if something is wrong or undecided."""
    options = parse(ModulesCheckOptions, arguments, name="modules check", examples=EXAMPLES)
    path = modules_path(options.model)
    model, world = load_with_world(path, finite_world)
    wanted = chosen(options, model)
    verdict = prove_equality(dense(model.networks, "equality"), world.form) if "input" in wanted else None
    report = None
    if names := wanted & set(MODULES):
        out = options.out or record_path(path)
        progress_file = out.with_suffix(".partial")
        progress = SilentProgress() if options.quiet else progress_on(sys.stderr)
        chosen_options = check_options(options, world, names, progress_file)
        try:
            report = check_networks(world, model.networks, chosen_options, shown_on(progress))
        finally:
            progress.close()
        report.proved = proved_of(world, model, report)
        save_report(out, report)
        progress_file.unlink(missing_ok=True)
        message(f"Check record: {out}")
    if options.json:
        print(json.dumps({"input": input_json(verdict), "check": report and report.as_json()}))
    else:
        print_report(model, world, report, verdict)
    fine = verdict is None or isinstance(verdict, Proved)
    return 0 if fine and (report is None or clean(report)) else 1


def chosen(options: ModulesCheckOptions, model: DataModel) -> set[str]:
    """The modules to check: the one that is named, or all that the file has."""
    if options.module is not None:
        return {options.module}
    return {"input", *MODULES} if len(model.modules) == 4 else {*model.modules}


def check_options(
    options: ModulesCheckOptions, world: FiniteWorld[AnyState], names: set[str], progress_file: Path
) -> CheckOptions:
    """Raises ConfigError (`check.options`)."""
    found = re.fullmatch(r"(\d+)/(\d+)", options.slice)
    if found is None:
        raise ConfigError("check.options", f"expected a slice such as 1/40, found {options.slice!r}")
    samples = options.samples
    if samples is None:
        samples = SAMPLES if world.family_size > LARGEST_FAMILY else 0
    return CheckOptions(
        modules=frozenset(names),
        engine=options.engine,
        slice=Slice(int(found[1]), int(found[2])),
        samples=samples,
        seed=options.seed,
        workers=options.workers,
        progress_file=progress_file,
        resume=options.resume,
    )


def shown_on(progress: Progress) -> OnProgress:
    """What tells the display after each chunk."""

    def note(report: Report, chunks: int) -> None:
        errors = sum(tally.errors for tally in report.tallies.values())
        fields = (
            ("states", f"{report.chunks / chunks:.1%}"),
            ("checked", f"{report.checked:,}"),
            ("errors", f"{errors:,}"),
        )
        progress.update(Standing(fields, report.chunks, chunks - report.chunks))

    return note


def proved_of(world: FiniteWorld[AnyState], model: DataModel, report: Report) -> dict[str, float]:
    """The checked modules that are proved for all words, with their least margins; none whose run erred."""
    proofs = proofs_of(world, model.networks)
    margins = proved_margins(world.form, model.networks, proofs, report.tallies.get("alu"))
    fine = {name for name, tally in report.tallies.items() if tally.passed}
    return {name: margin for name, margin in margins.items() if name in fine}


def input_json(verdict: Verdict | None) -> dict[str, object] | None:
    """Plain values."""
    return None if verdict is None else {"verdict": type(verdict).__name__.lower(), **verdict._asdict()}


def clean(report: Report) -> bool:
    """No error in what was looked at; a slice or a sample may be clean too, its label says what it is."""
    return not report.stopped and all(tally.passed for tally in report.tallies.values())


def print_report(
    model: DataModel, world: FiniteWorld[AnyState], report: Report | None, verdict: Verdict | None
) -> None:
    """The family, then a row a module."""
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
        print_speed(report)


def input_row(verdict: Verdict) -> list[str]:
    """Input's line of the table."""
    if isinstance(verdict, Proved):
        margin = f"{verdict.margin:.3f}"
        return ["input", f"proved ({verdict.method})", "all pairs of words", "0", margin, "", ""]
    if isinstance(verdict, Refuted):
        return ["input", "refuted", "a pair of words", "1", f"{-abs(verdict.logit):.3f}", "", ""]
    return ["input", f"undecided: {verdict.reason}", "", "", "", "", ""]


def module_row(report: Report, name: str) -> list[str]:
    """A counted module's line."""
    tally = report.tallies[name]
    again = f"{tally.repeated:,}" + (f", {tally.disagreements:,} differ" if tally.disagreements else "")
    rate = "" if name == "alu" or not report.seconds else f"{tally.cases / report.seconds:,.0f}"
    if name in report.proved:
        sampled = f"all words; {tally.cases:,} run"
        return [name, "proved", sampled, f"{tally.errors:,}", f"{report.proved[name]:.3f}", again, rate]
    return [
        name,
        report.label(name),
        f"{tally.cases:,}",
        f"{tally.errors:,}",
        f"{tally.margin:.3f}",
        again,
        rate,
    ]


def print_speed(report: Report) -> None:
    """Time, and how much of the processor was used."""
    share = report.share_of_rate
    text = f"{report.checked:,} states in {report.seconds:.1f} s"
    if share is not None:
        text += f"; {share:.0%} of the cores' rate of 500 x 500 matrix products"
    if "composed" in report.modules:
        text += (
            "\nWhere Transform_D and the ALU are right, the three in a row see what Output was checked on: "
            "that result is counted, not computed again."
        )
    print(text)

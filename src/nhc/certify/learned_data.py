"""Learned data modules in a certificate: Input is proved anew, the rest is taken from the check record.

Label *exhaustive*, for the device that the record names: another one may round float32 sums otherwise. The
record lies beside the modules' file, names their weights by hash, and says how many states of the family were
run. `nhc modules check` makes it. Modules that can be proved for all words are proved anew, label *proved*.
"""

from pathlib import Path

from nhc.certify.data_check import DataCheck
from nhc.data.networks import dense
from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import OPS
from nhc.domains.registry import AnyState
from nhc.errors import InputError, Place
from nhc.supervised.check.cases import CaseCounter, Truth
from nhc.supervised.check.report import COUNTED, CheckRecord, record_path, recorded_check
from nhc.supervised.check.run import family_hash
from nhc.supervised.equality_proof import Proved, prove_equality
from nhc.supervised.files import DataModel, load_modules
from nhc.supervised.words_proof import proofs_of, proved_margins


def require_family(report: CheckRecord, world: FiniteWorld[AnyState], place: Place) -> None:
    """Raises InputError (`check.record`) for a record of another world, or of fewer cases than it has."""
    states, ops = world.family_size, len(OPS)
    if (report.world, report.family_hash, report.formula) != (world.name, family_hash(world), states):
        raise InputError("check.record", f"expected a check of {world.name} and its family", place)
    wanted = {"transform_d": states, "alu": ops * len(world.views()), "output": ops * states}
    wanted["composed"] = wanted["output"]
    for name, counts in report.tallies.items():
        if report.label(name) == "exhaustive" and counts.cases != wanted[name]:
            found = f"{name}: expected {wanted[name]:,} cases, found {counts.cases:,}"
            raise InputError("check.record", found, place)
        if counts.errors == 0 and not counts.margin > 0:
            raise InputError("check.record", f"{name}: expected a margin, found {counts.margin}", place)


def check_learned_modules(path: Path, world: FiniteWorld[AnyState]) -> DataCheck:
    """What is known about learned modules of a world.

    Raises ModelError (those of `load_modules`) and InputError (`check.record` if the record is missing,
    damaged, of other weights, or of a part of the family only).
    """
    model = load_modules(path, world)
    report = recorded_check(path, model.hash)
    place = Place(str(record_path(path)))
    require_family(report, world, place)
    labels = {name: report.label(name) for name in report.tallies}
    if {*labels} != {*COUNTED} or not {*labels.values()} <= {"exhaustive", "proved"}:
        raise InputError("check.record", f"expected a complete check of the family, found {labels}", place)
    errors = sum(counts.errors + counts.disagreements for counts in report.tallies.values())
    equality = prove_equality(dense(model.networks, "equality"), world.form)
    errors += not isinstance(equality, Proved)
    said = f"Input {'proved' if isinstance(equality, Proved) else 'not proved'}"
    check = DataCheck(
        world.name,
        report.enumerated,
        report.formula,
        report.tallies["composed"].cases,
        errors,
        modules=f"learned data modules (weights {model.hash[:12]})",
        words="Input tells all words apart",
        evidence=(
            f"check record: {report.tallies['composed'].cases:,} cases, {errors} errors, "
            f"{report.arithmetic}; {said}"
        ),
    )
    return proved_anew(world, model, check, said) if labels["composed"] == "proved" else check


def proved_anew(world: FiniteWorld[AnyState], model: DataModel, check: DataCheck, said: str) -> DataCheck:
    """The same with all of it made again: it takes a moment, so no record is believed."""
    alu = CaseCounter(Truth(world), model.networks).alu_counts()
    proofs = proofs_of(world, model.networks)
    proved = "composed" in proved_margins(world.form, model.networks, proofs, alu)
    failures = sum(proof.failures for proof in proofs.values()) + alu.errors + alu.disagreements
    decisions = sum(proof.cases for proof in proofs.values())
    return check._replace(
        states=world.family_size,
        cases=world.family_size * len(OPS),
        errors=check.errors + (0 if proved else max(1, failures)),
        evidence=(
            f"Transform_D and Output proved for all words, {decisions:,} decisions, each with its margin; "
            f"the ALU run on every view; {said}"
        ),
        label="proved",
    )

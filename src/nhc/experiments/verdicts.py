"""Is a trained machine proved to be the algorithm, and by which program? Kept beside its run."""

from pathlib import Path
from typing import NamedTuple

from nhc.experiments.code import code_version
from nhc.runs.canonical import parse_json, readable_json
from nhc.runs.storage import sha256, write_text_atomically

FILE = "verdict.json"
PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"
MODULES = ("nhc.certify.prove", "nhc.certify.reachable", "nhc.program.minimize")


class ProofVerdict(NamedTuple):
    """What the prover says."""

    outcome: str
    """`proved`, `refuted`, or `undecided` with the first words of the reason."""
    program: str
    """A hash of the minimised program; equal for machines that do the same in the same way."""


def verdict_of(folder: Path) -> ProofVerdict:
    """The verdict on the model in a run directory, made or read."""
    code, path = code_version(MODULES), folder / FILE
    if path.is_file():
        kept = parse_json(path.read_bytes())
        if isinstance(kept, dict) and kept.get("code") == code:
            return ProofVerdict(str(kept["outcome"]), str(kept["program"]))
    verdict = proof_verdict(folder)
    write_text_atomically(path, readable_json({"code": code, **verdict._asdict()}))
    return verdict


def proof_verdict(folder: Path) -> ProofVerdict:
    """The verdict, made anew."""
    from nhc.certify.prove import Proof, Refutation, prove
    from nhc.certify.reachable import extract_program
    from nhc.model import load_model
    from nhc.program.minimize import canonical
    from nhc.training.keeping import MODEL_FILE

    model = load_model(str(folder / MODEL_FILE))
    verdict = prove(model)
    if isinstance(verdict, Proof):
        return ProofVerdict(PROVED, sha256(canonical(extract_program(model, verdict)).encode()))
    if isinstance(verdict, Refutation):
        return ProofVerdict(REFUTED, "")
    return ProofVerdict(f"{UNDECIDED} ({verdict.reason.split(':')[0]})", "")

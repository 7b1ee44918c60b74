"""Is a trained machine proved to be the algorithm, and by which program? Kept beside its run."""

from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError
from nhc.experiments.job import field
from nhc.runs.canonical import parse_json, readable_json
from nhc.runs.storage import sha256, write_text_atomically

FILE = "verdict.json"
SCHEMA = 1
"""To be raised by whoever changes what the prover says or how programs are minimised: then kept outcomes no
longer count."""
PROVED, REFUTED, UNDECIDED = "proved", "refuted", "undecided"


class Proved(NamedTuple):
    """What the prover says of a machine."""

    outcome: str
    """`proved`, `refuted`, or `undecided` with the first words of the reason."""
    program: str
    """A hash of the minimised program; equal for machines that do the same in the same way."""


def proof_of(folder: Path) -> Proved:
    """What the prover says of the model in a run directory; made once, then read.

    What was kept under another schema, or cannot be read, is made anew. Raises StorageError.
    """
    path = folder / FILE
    with suppress(OSError, ValueError, ConfigError):
        kept = parse_json(path.read_bytes())
        if isinstance(kept, dict) and kept.get("schema") == SCHEMA:
            return Proved(field(kept, "outcome", str), field(kept, "program", str))
    made = made_proof(folder)
    write_text_atomically(path, readable_json({"schema": SCHEMA, **made._asdict()}))
    return made


def made_proof(folder: Path) -> Proved:
    """The same, made anew."""
    from nhc.certify.prove import Proof, Refutation, extract_program, prove
    from nhc.model import load_model
    from nhc.program.minimize import canonical
    from nhc.zoo import MODEL_FILE

    model = load_model(str(folder / MODEL_FILE))
    verdict = prove(model)
    if isinstance(verdict, Proof):
        return Proved(PROVED, sha256(canonical(extract_program(model, verdict)).encode()))
    if isinstance(verdict, Refutation):
        return Proved(REFUTED, "")
    return Proved(f"{UNDECIDED} ({verdict.reason.split(':')[0]})", "")

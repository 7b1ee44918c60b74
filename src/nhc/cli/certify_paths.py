"""What `nhc certify` says where the proof speaks of an environment."""

import json
from typing import TYPE_CHECKING

from nhc.cli.certify_command import (
    MARGIN_COLUMNS,
    CertifyOptions,
    beside,
    margins_table,
    print_claim,
    print_verification,
    written,
)
from nhc.cli.tables import print_table
from nhc.runs.storage import write_text_atomically

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.certify.paths import Counterexample, PathProof
    from nhc.model import Model


def certified(options: CertifyOptions, model: "Model", proof: "PathProof", seconds: float) -> int:
    """The certificate of a proof."""
    from nhc.certify.certificate import path_certificate_json

    certificate = json.dumps(path_certificate_json(model, proof))
    if options.json:
        print(certificate)
    else:
        path = written(options, certificate)
        print_proof(options.model, model, proof, seconds)
        print_verification(path, options.model)
    return 0


def print_proof(name: str, model: "Model", proof: "PathProof", seconds: float) -> None:
    """The claim with its evidence, what it takes for granted, and the margins."""
    from nhc.certify.path_check.certificate import ASSUMPTIONS, CLAIM

    decisions = sum(proof.margins.counts.values())
    states = f"{len(proof.reached):,} abstract states"
    found = f"{states}; {decisions:,} decisions, each with its margin; {seconds:.2f} s"
    print(f"{name}, {model.algorithm.name}, weights {model.hash[:12]}\n")
    print_claim("proved", f"{model.algorithm.name}, for every input of every length. {CLAIM}", found)
    for text in (*ASSUMPTIONS, *proof.abstraction.lemmas):
        print(f"{'given':<11} {text}")
    print()
    print_table("Smallest margins", MARGIN_COLUMNS, margins_table(proof.margins))


def refuted(options: CertifyOptions, model: "Model", verdict: "Counterexample") -> int:
    """Show the smallest instance found and write the run."""
    run = verdict.run
    print(f"not the algorithm: on {run}")
    if run.off_at:
        print(f"The first tick that is not the teacher's is {run.off_at} of {run.ticks}.")
    path = beside(options.model, "failure.json")
    failure = {
        "kind": "counterexample",
        "schema": 1,
        "weights": model.hash,
        "task": model.algorithm.name,
        "instance": run.instance,
        "ended": run.ended,
        "ticks": run.ticks,
        "first_wrong_tick": run.off_at,
        "result": run.result,
        "expected": run.wanted,
    }
    write_text_atomically(path, json.dumps(failure) + "\n")
    print(f"Instance: {path}")
    return 1

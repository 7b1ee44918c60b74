"""`nhc check`: verify a certificate from the weights, with code that shares nothing with the prover."""

import time
from dataclasses import dataclass
from pathlib import Path

import tyro

from nhc.certify import checker
from nhc.cli.parse import message, parse
from nhc.errors import InputError, Place
from nhc.zoo import model_path

EXAMPLES = """
nhc check zoo-plan.certificate.json zoo:plan
nhc check runs/plan-seed0/model.certificate.json runs/plan-seed0/model.safetensors
"""


@dataclass
class CheckOptions:
    """Recompute every step of a certificate from the weights, and accept it or name the steps that fail.

    What a certificate says of data modules (made with --data) is not in the weights of control: of that it
    checks that the record is complete and without errors, and says so.
    The checker is one file that needs NumPy alone; it can be run without the rest of nhc.
    """

    certificate: tyro.conf.Positional[Path]
    """The certificate."""
    model: tyro.conf.Positional[str]
    """The model file, or a name of the zoo."""


def run(arguments: list[str]) -> int:
    """Check and report. Exit 0 if accepted, 1 if not."""
    options = parse(CheckOptions, arguments, name="check", examples=EXAMPLES)
    path = model_path(options.model)
    began = time.perf_counter()
    try:
        failing = checker.check_files(options.certificate, path)
        notes = checker.unchecked(checker.parse(options.certificate.read_bytes()))
    except (OSError, ValueError) as error:
        raise InputError("check.file", f"cannot be read: {error}", Place(str(options.certificate))) from error
    seconds = time.perf_counter() - began
    for step in failing:
        print(f"fails: {step}")
    print("rejected" if failing else "\n".join(["accepted", *notes]))
    message(f"checked in {seconds:.1f} s")
    return 1 if failing else 0

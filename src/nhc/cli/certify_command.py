"""`nhc certify`: prove that a model is the algorithm, or show the smallest task on which it is not."""

import json
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from nhc.cli.parse import message, message_unless, now_and_then, parse
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.runs.storage import write_text_atomically
from nhc.zoo import DEFAULT_CHOICE, EXACT, LEARNED, SUFFIX, ZOO_PREFIX, modules_path, shipped_path

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.certify.data_check import DataCheck
    from nhc.certify.paths import Counterexample, PathProof
    from nhc.certify.prove import Proof, Refutation
    from nhc.model import Model

LARGEST_FAMILY = 50_000_000


@dataclass
class CertifyOptions:
    """Prove from the weights that a machine is the algorithm: search and plan for every tree and every goal,
    others for every input of every length.

    Writes a certificate that `nhc check` can verify with code of its own. With --data the data modules of a
    world enter as well: learned ones bring the record of `nhc modules check`, exact ones are run on every
    state of its family. That makes the claim one about whole tasks. If the machine is not the algorithm, the
    smallest task that shows it is printed and its trace is written. If neither is found, the reason is.

    Examples:
    nhc certify zoo:plan
    nhc certify runs/plan-seed0/model.safetensors
    nhc certify zoo:plan --data sliding-3x3
    nhc certify zoo:plan --data sokoban-6x6 --modules exact --out plan.json
    nhc check zoo-plan.certificate.json zoo:plan
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    data: str | None = None
    """World whose data modules are certified too, for example sokoban-6x6."""
    modules: str = DEFAULT_CHOICE
    """Data modules: `learned` (those that ship; exact ones where there are none), `exact`, or a file."""
    out: Path | None = None
    """Certificate file; by default beside the model, for zoo models in this folder."""
    json: bool = False
    """The certificate on stdout, nothing written."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Prove and report. Exit 0 if certified, 1 if not."""
    options = parse(CertifyOptions, arguments, name="certify")
    from nhc.algorithms.tree.algorithm import TREES
    from nhc.certify.paths import Counterexample, verdict_on
    from nhc.certify.prove import Refutation, Undecided
    from nhc.model import load_model

    model = load_model(options.model)
    if options.data is not None and model.algorithm.name not in TREES:
        raise ConfigError("certify.family", f"{model.algorithm.name} has no data modules to certify")
    began = time.perf_counter()
    verdict = verdict_on(model)
    seconds = time.perf_counter() - began
    match verdict:
        case Undecided():
            message(f"not certified: {verdict.reason}")
            return 1
        case Refutation():
            show_failing_task(options, model, verdict)
            return 1
        case Counterexample():
            show_failing_input(options, model, verdict)
            return 1
        case _:
            return certified(options, model, verdict, seconds)


def certified(options: CertifyOptions, model: "Model", proof: "Proof | PathProof", seconds: float) -> int:
    """Write or print the certificate. Exit 1 if data modules were to be checked and err.

    Raises StorageError (`storage.write`), and what `data_check` raises.
    """
    from nhc.certify.certificate import certificate_json, path_certificate_json
    from nhc.certify.prove import Proof

    check = data_check(options)
    code = 0 if check is None or check.passed else 1
    if isinstance(proof, Proof):
        certificate, indent = certificate_json(model, proof), 1
        certificate |= {} if check is None else {"data": check._asdict()}
    else:
        certificate, indent = path_certificate_json(model, proof), None
    if options.json:
        print(json.dumps(certificate))
        return code
    path = options.out or beside(options.model, "certificate.json")
    write_text_atomically(path, json.dumps(certificate, indent=indent) + "\n")
    evidence = f"{sum(proof.margins.counts.values()):,} decisions, each with its margin; {seconds:.2f} s"
    if isinstance(proof, Proof):
        print_claims(options.model, model, proof, check, evidence)
    else:
        print_path_claim(options.model, model, proof, evidence)
    kinds = sorted(proof.margins.smallest.items())
    rows = [[kind, f"{m.gap:.3g}", f"{m.bound:.2g}", f"{m.ratio:,.0f}", m.where] for kind, m in kinds]
    print_table("Smallest margins", ["decision", "gap", "float32 bound", "ratio", "where"], rows)
    print(f"Certificate: {path}\nVerify it:   nhc check {path} {options.model}")
    return code


def data_check(options: CertifyOptions) -> "DataCheck | None":
    """What is known about the data modules, if asked for.

    Raises ConfigError (`certify.family`) for a family that cannot be enumerated, and what
    `check_learned_modules` raises.
    """
    if options.data is None:
        return None
    from nhc.certify.data_check import check_exact_modules
    from nhc.certify.learned_data import check_learned_modules
    from nhc.domains.local import FiniteWorld
    from nhc.domains.registry import make_domain
    from nhc.domains.sokoban.world import Sokoban

    domain = make_domain(options.data)
    path = None
    if options.modules != EXACT:
        path = shipped_path(domain.name) if options.modules == LEARNED else modules_path(options.modules)
    if path is not None:
        if not isinstance(domain, FiniteWorld):
            raise ConfigError("certify.family", f"{options.data} is no world of learned data modules")
        return check_learned_modules(path, domain)
    if not isinstance(domain, Sokoban):
        raise ConfigError("certify.family", f"expected a Sokoban world to enumerate, found {options.data}")
    if domain.family_size > LARGEST_FAMILY:
        size = f"{domain.family_size:,}"
        raise ConfigError("certify.family", f"{options.data} has {size} states, more than {LARGEST_FAMILY:,}")

    tell = message_unless(options.quiet)

    def news(share: float) -> None:
        tell(f"  {share:.0%} of the states of {options.data}")

    return check_exact_modules(domain.board, now_and_then(2.0, news))


def print_claims(name: str, model: "Model", proof: "Proof", check: "DataCheck | None", evidence: str) -> None:
    """The claims about search or plan with their labels and evidence."""
    from nhc.algorithms.tree.algorithm import tree_algorithm
    from nhc.certify.checker import CLAIMS

    algorithm, claim = tree_algorithm(model.algorithm), proof.invariant
    induction = f"induction from node {claim.prefix} on, over {len(claim.pairs)} pairs of control words"
    print(f"{name}, weights {model.hash[:12]}\n")
    for text in CLAIMS[algorithm.name]:
        print_claim("proved", text, f"{induction}; {evidence}")
    if check is not None:
        label = check.label if check.passed else "failed"
        states = f"all {check.states:,} states of {check.domain}"
        print_claim(
            label, f"The {check.modules} follow the rules on {states}, and {check.words}.", check.found
        )
        if check.passed:
            found = "the goal is found by breadth-first search"
            found = "the emitted plan is valid and a shortest one" if algorithm.backtracks else found
            print_claim(label, f"For every solvable task of {check.domain} {found}.", check.whole)


def print_path_claim(name: str, model: "Model", proof: "PathProof", evidence: str) -> None:
    """The claim about every input with its evidence, and what it takes for granted."""
    from nhc.certify.path_check.certificate import ASSUMPTIONS, CLAIM

    algorithm, states = model.algorithm.name, f"{len(proof.reached):,} abstract states"
    print(f"{name}, {algorithm}, weights {model.hash[:12]}\n")
    print_claim("proved", f"{algorithm}, for every input of every length. {CLAIM}", f"{states}; {evidence}")
    for text in (*ASSUMPTIONS, *proof.abstraction.lemmas):
        print(f"{'given':<11} {text}")
    print()


def print_claim(label: str, text: str, evidence: str) -> None:
    """A claim as a small paragraph."""
    body = textwrap.wrap(text, 86) + textwrap.wrap(f"({evidence})", 86)
    print("\n".join(f"{label if number == 0 else '':<11} {line}" for number, line in enumerate(body)))
    print()


def show_failing_task(options: CertifyOptions, model: "Model", verdict: "Refutation") -> None:
    """Show the smallest failing task and write its trace."""
    from nhc.certify.certificate import failing_trace, trace_json

    failure = verdict.failure
    print(f"not the algorithm: on the free tree with {failure}")
    trace = failing_trace(model, failure)
    path = beside(options.model, "failure.json")
    write_text_atomically(path, json.dumps(trace_json(model, failure, trace)) + "\n")
    lines = trace.table().splitlines()
    first = max(1, failure.tick - 5)
    print("\n".join([lines[0], *lines[first : failure.tick + 1]]))
    print(f"Trace: {path}")


def show_failing_input(options: CertifyOptions, model: "Model", verdict: "Counterexample") -> None:
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


def beside(model: str, ending: str) -> Path:
    """A file beside the model's, or in this folder for zoo models."""
    if model.startswith(ZOO_PREFIX):
        return Path(f"zoo-{model.removeprefix(ZOO_PREFIX)}.{ending}")
    return Path(f"{model.removesuffix(SUFFIX)}.{ending}")

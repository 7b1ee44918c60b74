"""Beyond the paper: the places it leaves open, read in different ways; certified or not; programs found."""

from collections import Counter

from nhc.experiments.compare import is_mastered, summary
from nhc.experiments.description import (
    Claim,
    Columns,
    Description,
    Finding,
    Results,
    Settings,
    Table,
    Variant,
    Verdict,
)
from nhc.experiments.descriptions.training import all_tables, draw_groups, trained
from nhc.experiments.kinds import Changes
from nhc.experiments.proofs import PROVED, Proved, proof_of

CHANGES: dict[str, Changes] = {
    "default": {},
    "mix sum": {"machine": {"mix": "sum"}},
    "words real": {"machine": {"words": "real"}},
    "both": {"machine": {"mix": "sum", "words": "real"}},
    "utility scale 1": {"es": {"utility_scale": 1.0}},
    "gini 0.05": {"es": {"gini": 0.05}},
    "gini 0.2": {"es": {"gini": 0.2}},
    "gini 0.5": {"es": {"gini": 0.5}},
}
TASKS = ("search", "plan")


def descriptions() -> list[Description]:
    """Options of Search and Plan."""
    return [_options(task) for task in TASKS]


def _options(task: str) -> Description:
    name, title = f"options-{task}", f"Open places of the paper, {task}"

    def variants(settings: Settings) -> list[Variant]:
        return [trained(label, task, settings, changes) for label, changes in CHANGES.items()]

    return Description(
        name,
        "beyond the paper",
        title,
        variants,
        lambda results, folder: draw_groups(results, folder, name, title),
        lambda results: [*all_tables(results, name, title), proof_table(results, name)],
        CLAIMS,
        "The paper gives no scale of the utilities and no parameter of the Gini ranking; the defaults are "
        "winner, bits, 3 and 0.1. `both` is the literal reading, `--preset paper`.",
    )


def proofs(results: Results, label: str) -> list[Proved]:
    """What the prover says of each run of a variant that mastered all levels."""
    return [proof_of(run.folder) for run in results.of(label) if is_mastered(run)]


def proof_table(results: Results, name: str) -> Table:
    """Certified or not, and the programs behind the proved machines."""
    made = {label: proofs(results, label) for label in results.finished}
    counts = {label: Counter(proof.outcome for proof in found) for label, found in made.items()}

    def others(label: str) -> str:
        found = sorted(counts[label].keys() - {PROVED})
        return "; ".join(f"{counts[label][other]} {other}" for other in found) or "-"

    columns: Columns[str] = {
        "variant": lambda label: label,
        "runs": lambda label: len(results.of(label)),
        "mastered": lambda label: len(made[label]),
        "proved": lambda label: counts[label][PROVED],
        "different programs": lambda label: len({proof.program for proof in made[label]} - {""}),
        "others": others,
    }
    return Table.of(f"{name}-proofs", "Certified machines and their programs", columns, made)


def judge_options(results: Results) -> Finding:
    """The numbers of all readings that were run."""
    text = "; ".join(summary(results, label) for label in CHANGES if results.of(label))
    return Finding(Verdict.NOT_STATED, text)


def judge_proofs(results: Results) -> Finding:
    """How many of the default's mastered runs are proved to be the algorithm."""
    made = proofs(results, "default")
    proved = [proof.program for proof in made if proof.outcome == PROVED]
    text = f"{len(proved)} of {len(made)} mastered runs proved, {len(set(proved))} different programs"
    return Finding(Verdict.NOT_STATED, text)


CLAIMS = (
    Claim(
        "options",
        "Readings of what the paper leaves open",
        "",
        "the paper does not say",
        ("default",),
        judge_options,
        partial=True,
    ),
    Claim(
        "certified",
        "Mastered runs are the algorithm",
        "",
        "the paper has no proof",
        ("default",),
        judge_proofs,
        partial=True,
    ),
)

"""Beyond the paper: the places it leaves open, read in different ways; certified or not; programs found."""

from collections import Counter
from pathlib import Path

from nhc.experiments.compare import summary
from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.descriptions.training import all_tables, draw_groups, trained
from nhc.experiments.settings import Settings
from nhc.experiments.verdicts import PROVED, verdict_of

CHANGES: dict[str, dict[str, object]] = {
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

    def draw(results: Results, folder: Path) -> list[Path]:
        return draw_groups(results, folder, name, title)

    def tables(results: Results) -> list[Table]:
        return [*all_tables(results, name, title), proofs(results, name)]

    return Description(
        name,
        "beyond the paper",
        title,
        variants,
        draw,
        tables,
        CLAIMS,
        "The paper gives no scale of the utilities and no parameter of the Gini ranking; the defaults are "
        "winner, bits, 3 and 0.1. `both` is the literal reading, `--preset paper`.",
    )


def proofs(results: Results, name: str) -> Table:
    """Certified or not, and the programs behind the proved machines."""
    rows = []
    for label, runs in results.finished.items():
        verdicts = [verdict_of(run.folder) for run in runs if run.result["mastered"]]
        counts = Counter(verdict.outcome for verdict in verdicts)
        programs = {verdict.program for verdict in verdicts if verdict.program}
        others = sorted({verdict.outcome for verdict in verdicts} - {PROVED})
        rows.append(
            (
                label,
                f"{len(runs)}",
                f"{len(verdicts)}",
                f"{counts[PROVED]}",
                f"{len(programs)}",
                "; ".join(f"{counts[other]} {other}" for other in others) or "-",
            )
        )
    columns = ("variant", "runs", "mastered", "proved", "different programs", "others")
    return Table(f"{name}-proofs", "Certified machines and their programs", columns, tuple(rows))


def judge_options(results: Results) -> Finding:
    """The numbers of all readings that were run."""
    return Finding(
        Verdict.NOT_STATED, "; ".join(summary(results, label) for label in CHANGES if results.of(label))
    )


def judge_proofs(results: Results) -> Finding:
    """How many of the default's mastered runs are proved to be the algorithm."""
    verdicts = [verdict_of(run.folder) for run in results.of("default") if run.result["mastered"]]
    proved = [verdict for verdict in verdicts if verdict.outcome == PROVED]
    programs = len({verdict.program for verdict in proved})
    text = f"{len(proved)} of {len(verdicts)} mastered runs proved, {programs} different programs"
    return Finding(Verdict.NOT_STATED, text)


OPTIONS = Claim(
    "options",
    "Readings of what the paper leaves open",
    "",
    "the paper does not say",
    ("default",),
    judge_options,
    partial=True,
)
CERTIFIED = Claim(
    "certified",
    "Mastered runs are the algorithm",
    "",
    "the paper has no proof",
    ("default",),
    judge_proofs,
    partial=True,
)
CLAIMS = (OPTIONS, CERTIFIED)

"""Figure 6: what the data modules do with one state."""

from pathlib import Path

from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.description import variant as variant_of
from nhc.experiments.fields import field, listed
from nhc.experiments.fields import tables as rows_of
from nhc.experiments.settings import Settings
from nhc.experiments.workflow_figure import draw_workflow

LABEL = "data modules"
WORLD = "sokoban-6x6"


def descriptions() -> list[Description]:
    """One."""
    return [
        Description(
            "fig6",
            "Figure 6",
            "Workflow of the data modules",
            variants,
            draw,
            tables,
            CLAIMS,
            "The learned modules of the zoo. Frames mark what a stage sees or changes; black bits are 1. d_m "
            "is the word read, d_f the local view, c_a and d_a the ALU's signal and local change, c_o and "
            "d_o the signal and word that Output makes.",
        )
    ]


def variants(settings: Settings) -> list[Variant]:
    """One run."""
    values = {"world": WORLD, "seed": settings.seed}
    return [variant_of(LABEL, "workflow", [values])]


def draw(results: Results, folder: Path) -> list[Path]:
    """The picture."""
    runs = results.of(LABEL)
    return [draw_workflow(runs[0].result, path_stem=folder / "fig6")[0]] if runs else []


def tables(results: Results) -> list[Table]:
    """A row a word or signal."""
    rows = [row for run in results.of(LABEL) for row in rows_of(run.result, "bits")]
    cells = tuple((field(row, "name", str), " ".join(map(str, listed(row, "groups")))) for row in rows)
    return [Table("fig6", "Words and signals", ("name", "bits"), cells)]


def judge(results: Results) -> Finding:
    """As the rules of the world have it?"""
    result = results.of(LABEL)[0].result
    faults = [str(fault) for fault in listed(result, "faults")]
    text = (
        f"{field(result, 'title', str)}: {'wrong: ' + ', '.join(faults) if faults else 'all as by the rules'}"
    )
    return Finding(Verdict.NOT_REACHED if faults else Verdict.REACHED, text)


CLAIMS = (
    Claim(
        "workflow",
        "The local view is taken out of the word, the ALU changes it, and the change is inserted again",
        "",
        "the view, the change, both signals and the resulting word are those of the world's rules",
        (LABEL,),
        judge,
        at_any_size=True,
    ),
)

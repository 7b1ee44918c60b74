"""Figure 3 (c): the differentiable neural computer and the stack-augmented network on Search."""

import statistics
from pathlib import Path

from nhc.baselines.config import BaselineConfig
from nhc.experiments.comparison_figure import Curve, draw_comparison
from nhc.experiments.description import (
    Claim,
    Description,
    Finding,
    Finished,
    Results,
    Table,
    Variant,
    Verdict,
)
from nhc.experiments.description import variant as variant_of
from nhc.experiments.descriptions.training import metrics, trained
from nhc.experiments.fields import listed, number, table, whole, wholes
from nhc.experiments.settings import Settings
from nhc.runs.history import history

MODELS = {"DNC": "dnc", "stack RNN": "stack-rnn"}
OURS = "ours"
RUNS, PAPER_ITERATIONS, ITERATIONS = 10, 500_000, 2_000
QUICK_ITERATIONS, ROUND, QUICK_ROUND = 20, 100, 10
MAXIMUM = 120.0


def descriptions() -> list[Description]:
    """One."""
    return [
        Description(
            "fig3c",
            "Figure 3 (c)",
            "Comparison with a DNC and a stack-augmented network",
            variants,
            draw,
            tables,
            CLAIMS,
            f"The paper trained for {PAPER_ITERATIONS:,} iterations. Here they get {ITERATIONS:,} unless "
            "--budget says otherwise; the claim is judged for the iterations that were made. All networks "
            "of one kind are trained side by side in one run. Fitness is measured as for our machine.",
        )
    ]


def variants(settings: Settings) -> list[Variant]:
    """One run of ten networks each, and ours."""
    found = []
    for label, model in MODELS.items():
        values: dict[str, object] = {"model": model, "seed": settings.seed, "runs": settings.runs_of(RUNS)}
        wanted = settings.budget or (QUICK_ITERATIONS if settings.quick else ITERATIONS)
        size = QUICK_ROUND if settings.quick else ROUND
        values |= {"round": size, "iterations": max(size, wanted // size * size)}
        config = BaselineConfig.model_validate(values)
        found.append(variant_of(label, "baseline", [config.model_dump(mode="json")]))
    # Ours keeps its own budget: iterations of the two are not alike.
    return [*found, trained(OURS, "search", settings._replace(budget=None), runs=RUNS)]


def draw(results: Results, folder: Path) -> list[Path]:
    """Fitness over iterations, mean and standard deviation."""
    curves = {}
    for label in MODELS:
        for run in results.of(label):
            (lines,) = metrics([run])
            columns = [
                [number(line, name) for line in lines]
                for name in ("iteration", "fitness_mean", "fitness_std")
            ]
            curves[f"{label} ({run.result['runs']} runs)"] = Curve(*columns)
    solved = [count for run in results.of(OURS) if (count := first_level_iterations(run)) is not None]
    mark = statistics.median(solved) if solved else None
    if not curves:
        return []
    return [draw_comparison(curves, maximum=MAXIMUM, ours=mark, path_stem=folder / "fig3c")[0]]


def first_level_iterations(run: Finished) -> int | None:
    """After how many iterations our run solved Level 1; None if it did not."""
    (lines,) = metrics([run])
    column = history(lines)
    at = (column.solved & (column.level == 1)).nonzero()[0]
    return int(column.iteration[at[0]]) if len(at) else None


def tables(results: Results) -> list[Table]:
    """Where each method ended."""
    rows = []
    for label in MODELS:
        for run in results.of(label):
            last, levels = table(run.result, "last"), wholes(run.result, "levels")
            rows.append(
                (
                    label,
                    f"{run.result['runs']}",
                    f"{run.result['iterations']:,}",
                    f"{number(last, 'fitness_mean'):.1f} ± {number(last, 'fitness_std'):.1f}",
                    f"{max(number({'best': best}, 'best') for best in listed(last, 'best')):.1f}",
                    f"{run.result['solved']}",
                    f"{max(levels)}",
                )
            )
    columns = (
        "method",
        "networks",
        "iterations",
        "fitness at the end",
        "best batch of the last round",
        "solved Level 1",
        "highest level",
    )
    return [Table("fig3c", "Comparison methods on Search", columns, tuple(rows))]


def judge_unsolved(results: Results, label: str) -> Finding:
    """Did no network solve Level 1?"""
    run = results.of(label)[0]
    last = table(run.result, "last")
    solved, runs, iterations = (whole(run.result, name) for name in ("solved", "runs", "iterations"))
    text = f"{solved} of {runs} solved Level 1 within {iterations:,} iterations; "
    text += f"fitness {number(last, 'fitness_mean'):.1f} ± {number(last, 'fitness_std'):.1f} of {MAXIMUM:g}"
    if solved:
        return Finding(Verdict.NOT_REACHED, text)
    if iterations < PAPER_ITERATIONS:
        return Finding(Verdict.NOT_RUN, f"too few iterations to judge; {text}")
    if runs < RUNS:
        return Finding(Verdict.NOT_RUN, f"too few networks to judge; {text}")
    return Finding(Verdict.REACHED, text)


def claim_of(label: str) -> Claim:
    """The paper's statement on one method."""
    return Claim(
        f"{MODELS[label]}-fails",
        f"The {label} does not solve Level 1",
        f"10 runs of {PAPER_ITERATIONS:,} iterations",
        "no network solves Level 1 within as many iterations; not reached if one does, within any number",
        (label,),
        lambda results: judge_unsolved(results, label),
        at_any_size=True,
    )


CLAIMS = tuple(map(claim_of, MODELS))

"""Figure 3 (c): the differentiable neural computer and the stack-augmented network on Search."""

import statistics
from pathlib import Path

from nhc.experiments.description import (
    Claim,
    Columns,
    Description,
    Finding,
    Finished,
    Labelled,
    Results,
    Settings,
    Table,
    Variant,
    Verdict,
    decided,
)
from nhc.experiments.descriptions.training import metrics, trained
from nhc.experiments.figures import Curve, draw_comparison
from nhc.experiments.job import listed, number, table, whole, wholes
from nhc.experiments.kinds import network_values
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
            tuple(map(claim_of, MODELS)),
            f"The paper trained for {PAPER_ITERATIONS:,} iterations. Here they get {ITERATIONS:,} unless "
            "--budget says otherwise; the claim is judged for the iterations that were made. All networks "
            "of one kind are trained side by side in one run. Fitness is measured as for our machine.",
        )
    ]


def variants(settings: Settings) -> list[Variant]:
    """One run of ten networks each, and ours, which keeps its own budget: iterations are not alike."""
    wanted = settings.budget or (QUICK_ITERATIONS if settings.quick else ITERATIONS)
    size = QUICK_ROUND if settings.quick else ROUND
    common = {"seed": settings.seed, "runs": settings.runs_of(RUNS), "round": size}
    iterations = max(size, wanted // size * size)
    return [
        *(
            Variant.of(label, "baseline", [network_values(model=model, iterations=iterations, **common)])
            for label, model in MODELS.items()
        ),
        trained(OURS, "search", settings._replace(budget=None), runs=RUNS),
    ]


def networks(results: Results) -> list[Labelled]:
    """The runs of the comparison methods."""
    return [(label, run) for label, run in results.labelled if label in MODELS]


def draw(results: Results, folder: Path) -> list[Path]:
    """Fitness over iterations, mean and standard deviation."""
    curves = {}
    for label, run in networks(results):
        lines, names = metrics(run), ("iteration", "fitness_mean", "fitness_std")
        columns = [[number(line, name) for line in lines] for name in names]
        curves[f"{label} ({run.result['runs']} runs)"] = Curve(*columns)
    solved = [count for run in results.of(OURS) if (count := first_level_iterations(run)) is not None]
    mark = statistics.median(solved) if solved else None
    return [draw_comparison(curves, maximum=MAXIMUM, ours=mark, stem=folder / "fig3c")] if curves else []


def first_level_iterations(run: Finished) -> int | None:
    """After how many iterations our run solved Level 1; None if it did not."""
    column = history(metrics(run))
    at = (column.solved & (column.level == 1)).nonzero()[0]
    return int(column.iteration[at[0]]) if len(at) else None


def fitness(run: Finished) -> str:
    """Mean and standard deviation over the networks, in the last round."""
    last = table(run.result, "last")
    return f"{number(last, 'fitness_mean'):.1f} ± {number(last, 'fitness_std'):.1f}"


def best(run: Finished) -> float:
    """The highest fitness of a batch in the last round."""
    return max(number({"best": value}, "best") for value in listed(table(run.result, "last"), "best"))


def tables(results: Results) -> list[Table]:
    """Where each method ended."""
    columns: Columns[Labelled] = {
        "method": lambda item: item[0],
        "networks": lambda item: item[1].result["runs"],
        "iterations": lambda item: f"{whole(item[1].result, 'iterations'):,}",
        "fitness at the end": lambda item: fitness(item[1]),
        "best batch of the last round": lambda item: f"{best(item[1]):.1f}",
        "solved Level 1": lambda item: item[1].result["solved"],
        "highest level": lambda item: max(wholes(item[1].result, "levels")),
    }
    return [Table.of("fig3c", "Comparison methods on Search", columns, networks(results))]


def judge_unsolved(run: Finished) -> Finding:
    """Did no network solve Level 1?"""
    solved, runs, iterations = (whole(run.result, name) for name in ("solved", "runs", "iterations"))
    text = f"{solved} of {runs} solved Level 1 within {iterations:,} iterations; "
    text += f"fitness {fitness(run)} of {MAXIMUM:g}"
    few = "iterations" if iterations < PAPER_ITERATIONS else "networks" if runs < RUNS else ""
    if few and not solved:
        return Finding(Verdict.NOT_RUN, f"too few {few} to judge; {text}")
    return decided(text, not solved)


def claim_of(label: str) -> Claim:
    """The paper's statement on one method."""
    return Claim(
        f"{MODELS[label]}-fails",
        f"The {label} does not solve Level 1",
        f"10 runs of {PAPER_ITERATIONS:,} iterations",
        "no network solves Level 1 within as many iterations; not reached if one does, within any number",
        (label,),
        lambda results: judge_unsolved(results.of(label)[0]),
        at_any_size=True,
    )

"""Figure 3: learning curves (a, b) and the evaluation over 15 runs (d)."""

import statistics
from pathlib import Path

from nhc.experiments.compare import mastered, summary
from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.descriptions.training import (
    RUNS,
    all_tables,
    draw_curves,
    draw_groups,
    last_learned,
    per_level,
    run_table,
    trained,
)
from nhc.experiments.settings import Settings

PAPER_LEARNING, PAPER_LEVELS = 2563, 3
FIRST_LEVELS = 3
MOST_LEARNING = 0.9


def descriptions() -> list[Description]:
    """Both."""
    return [
        Description(
            "fig3ab", "Figure 3 (a, b)", "Learning curves of single runs", single, curves, rows, SINGLE
        ),
        Description(
            "fig3d",
            "Figure 3 (d), zoomed in the appendix",
            "Search and Plan over 15 runs",
            both,
            lambda results, folder: draw_groups(results, folder, "fig3d", "Search and Plan"),
            lambda results: all_tables(results, "fig3d", "Search and Plan"),
            BOTH,
            "The paper gives its numbers of Figure 3 (d) only as a picture, so most of ours stand alone.",
        ),
    ]


def single(settings: Settings) -> list[Variant]:
    """One run each, the first of those of `both`."""
    return [trained(task, task, settings, runs=1) for task in ("search", "plan")]


def both(settings: Settings) -> list[Variant]:
    """All runs."""
    return [trained(task, task, settings, runs=RUNS) for task in ("search", "plan")]


def curves(results: Results, folder: Path) -> list[Path]:
    """The learning curves."""
    return draw_curves(results, folder, "fig3ab")


def rows(results: Results) -> list[Table]:
    """One table."""
    return [run_table(results, "fig3ab", "The runs of the learning curves")]


def judge_learning(results: Results) -> Finding:
    """Plan's learning iterations."""
    run = results.of("plan")[0]
    ours = results.numbers("plan", "learning_iterations")[0]
    text = f"{ours:,} learning iterations, {'all' if run.result['mastered'] else 'not all'} levels mastered"
    if not run.result["mastered"] or ours > PAPER_LEARNING:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.REACHED if ours == PAPER_LEARNING else Verdict.EXCEEDED, text)


def judge_levels(results: Results) -> Finding:
    """The last level on which Plan learned."""
    run = results.of("plan")[0]
    last = last_learned(run)
    text = f"last learning at Level {last}"
    if not run.result["mastered"] or last > PAPER_LEVELS:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.REACHED if last == PAPER_LEVELS else Verdict.EXCEEDED, text)


def judge_search_curve(results: Results) -> Finding:
    """Search's run; the paper only draws it."""
    return Finding(Verdict.NOT_STATED, summary(results, "search"))


def judge_first_levels(results: Results) -> Finding:
    """Where learning happens."""
    parts, reached = [], True
    for task in ("search", "plan"):
        counts = [per_level(run) for run in results.of(task)]
        early = sum(sum(count[:FIRST_LEVELS]) for count in counts) / max(sum(map(sum, counts)), 1)
        solved = [last_learned(run) for run in results.of(task) if run.result["mastered"]]
        reached &= early >= MOST_LEARNING
        last = f", last learning at Level {statistics.median(solved):g} in the median" if solved else ""
        parts.append(f"{task}: {early:.1%} of the learning iterations in Levels 1 to {FIRST_LEVELS}{last}")
    return Finding(Verdict.REACHED if reached else Verdict.NOT_REACHED, "; ".join(parts))


def judge_solved(results: Results) -> Finding:
    """How many runs master everything."""
    return Finding(Verdict.NOT_STATED, "; ".join(summary(results, task) for task in ("search", "plan")))


def judge_any_solved(results: Results) -> Finding:
    """Both tasks are learned within the budget."""
    counts = {task: (mastered(results, task), len(results.of(task))) for task in ("search", "plan")}
    text = ", ".join(f"{task} {solved} of {runs}" for task, (solved, runs) in counts.items())
    most = all(2 * solved > runs for solved, runs in counts.values())
    return Finding(Verdict.REACHED if most else Verdict.NOT_REACHED, f"mastered: {text}")


SINGLE = (
    Claim(
        "plan-learning",
        "The shown Plan run finds its solution in this many iterations of learning",
        f"{PAPER_LEARNING:,}",
        "all levels mastered with as many learning iterations; exceeded with fewer",
        ("plan",),
        judge_learning,
    ),
    Claim(
        "plan-levels",
        "The shown Plan run learns within the first levels, then never again",
        f"{PAPER_LEVELS} levels",
        "all levels mastered and no learning above that level; exceeded if it stops earlier",
        ("plan",),
        judge_levels,
    ),
    Claim("search-curve", "A Search run", "", "a picture in the paper", ("search",), judge_search_curve),
)
BOTH = (
    Claim(
        "learned",
        "Search and Plan are learned within the budget",
        "15 runs of 10,000 iterations",
        "more than half of the runs of each task master all levels",
        ("search", "plan"),
        judge_any_solved,
    ),
    Claim(
        "first-levels",
        "Learning happens during the first levels and generalises to the others",
        "",
        f"at least {MOST_LEARNING:.0%} of the learning iterations in Levels 1 to {FIRST_LEVELS}",
        ("search", "plan"),
        judge_first_levels,
    ),
    Claim(
        "runs", "Runs that solve all levels", "", "a picture in the paper", ("search", "plan"), judge_solved
    ),
)

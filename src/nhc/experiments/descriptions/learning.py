"""Figure 3: learning curves (a, b) and the evaluation over 15 runs (d)."""

import statistics
from pathlib import Path

from nhc.evolve.config import TrainConfig
from nhc.experiments.compare import rate, summary
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
from nhc.experiments.descriptions.effects import FIRST_LEVELS
from nhc.experiments.descriptions.training import (
    BUDGET,
    MACHINE,
    RUNS,
    all_tables,
    draw_curves,
    draw_groups,
    last_learned,
    metrics,
    per_level,
    run_table,
    trained,
)
from nhc.experiments.fields import field, whole
from nhc.experiments.settings import Settings
from nhc.runs.history import history

TASKS = ("search", "plan")
PAPER_LEARNING, PAPER_LEVELS = 2563, 3
PAPER_WEIGHTS, PAPER_TICKS = 1600, {3: 15, 21: 89}
"""Weights, about; and Plan's steps at a level."""
FIRST_PART = 3
"""Learning ends within the first of so many parts of the levels."""


def descriptions() -> list[Description]:
    """Both."""
    return [
        Description(
            "fig3ab",
            "Figure 3 (a, b)",
            "Learning curves of single runs",
            single,
            curves,
            rows,
            SINGLE,
            f"{MACHINE} The paper's 2,563 may count iterations that learned, or all until the last of them; "
            "ours are given both ways. The runs are those of the first seed, not chosen.",
        ),
        Description(
            "fig3d",
            "Figure 3 (d), zoomed in the appendix",
            "Search and Plan over 15 runs",
            both,
            lambda results, folder: draw_groups(results, folder, "fig3d", "Search and Plan"),
            lambda results: all_tables(results, "fig3d", "Search and Plan"),
            BOTH,
            "The paper gives its numbers of Figure 3 (d) only as a picture, so most of ours stand alone. "
            f"{MACHINE}",
        ),
    ]


def single(settings: Settings) -> list[Variant]:
    """One run each, the first of those of `both`."""
    return [trained(task, task, settings, runs=1) for task in TASKS]


def both(settings: Settings) -> list[Variant]:
    """All runs."""
    return [trained(task, task, settings, runs=RUNS) for task in TASKS]


def curves(results: Results, folder: Path) -> list[Path]:
    """The learning curves."""
    return draw_curves(results, folder, "fig3ab")


def rows(results: Results) -> list[Table]:
    """One table."""
    return [run_table(results, "fig3ab", "The runs of the learning curves")]


def shown(results: Results, task: str) -> Finished:
    """The run of the first seed, or if it is missing any: claims on it wait for all runs."""
    runs = {whole(run.job.values, "seed"): run for run in results.of(task)}
    return runs.get(results.settings.seed, results.of(task)[0])


def judge_learning(results: Results) -> Finding:
    """Plan's learning iterations."""
    run = shown(results, "plan")
    ours, done = whole(run.result, "learning_iterations"), field(run.result, "mastered", bool)
    (lines,) = metrics([run])
    column = history(lines)
    until = int(column.iteration[column.learned].max(initial=0))
    text = f"{ours:,} learning iterations, the last of them was iteration {until:,}; "
    text += f"{'all' if done else 'not all'} levels mastered"
    if not done or until > PAPER_LEARNING:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.REACHED if until == PAPER_LEARNING else Verdict.EXCEEDED, text)


def judge_levels(results: Results) -> Finding:
    """The last level on which Plan learned."""
    run = shown(results, "plan")
    last = last_learned(run)
    text = f"{whole(run.result, 'learning_iterations'):,} learning iterations, the last at Level {last}"
    if not run.result["mastered"] or last > PAPER_LEVELS:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.REACHED if last == PAPER_LEVELS else Verdict.EXCEEDED, text)


def judge_search_curve(results: Results) -> Finding:
    """Search's run; the paper only draws it."""
    return Finding(Verdict.NOT_STATED, summary(results, "search"))


def judge_first_levels(results: Results) -> Finding:
    """Where the runs learn that master all levels; and do most master them?"""
    parts, reached = [], True
    for task in TASKS:
        able = [run for run in results.of(task) if run.result["mastered"]]
        text = f"{task}: {len(able)} of {len(results.of(task))} mastered"
        reached &= rate(results, task) >= 0.5
        if able:
            levels, last = len(per_level(able[0])), [last_learned(run) for run in able]
            shares = [sum(count[:FIRST_LEVELS]) / sum(count) for count in map(per_level, able) if sum(count)]
            reached &= 0 < max(last) <= levels // FIRST_PART
            text += f", none of them learned above Level {max(last)} of {levels}, the median not above Level "
            text += f"{statistics.median(last):g}"
            text += f", {statistics.median(shares):.0%} in Levels 1 to {FIRST_LEVELS}" if shares else ""
        parts.append(text)
    return Finding(Verdict.REACHED if reached else Verdict.NOT_REACHED, "; ".join(parts))


def judge_solved(results: Results) -> Finding:
    """How many runs master everything."""
    return Finding(Verdict.NOT_STATED, "; ".join(summary(results, task) for task in TASKS))


def judge_any_solved(results: Results) -> Finding:
    """Both tasks are learned within the paper's budget, whatever ours is."""
    counts = {}
    for task in TASKS:
        able = [run for run in results.of(task) if run.result["mastered"]]
        within = sum(whole(run.result, "iterations") <= BUDGET for run in able)
        counts[task] = (within, len(results.of(task)))
    text = ", ".join(f"{task} {solved} of {runs}" for task, (solved, runs) in counts.items())
    most = all(2 * solved > runs for solved, runs in counts.values())
    verdict = Verdict.REACHED if most else Verdict.NOT_REACHED
    return Finding(verdict, f"mastered within {BUDGET:,} iterations: {text}")


def judge_sizes(results: Results) -> Finding:
    """Weights, and the steps of the curriculum."""
    from nhc.evolve.course import ticks_at
    from nhc.machine.layout import weight_count

    configs = {task: TrainConfig.model_validate(dict(shown(results, task).job.values)) for task in TASKS}
    weights = {task: weight_count(config.machine) for task, config in configs.items()}
    ticks = {level: ticks_at(level, configs["plan"]) for level in PAPER_TICKS}
    text = ", ".join(f"{count:,} weights for {task.title()}" for task, count in weights.items())
    text += "; Plan takes " + ", ".join(f"{count} steps at Level {level}" for level, count in ticks.items())
    near = abs(weights["plan"] - PAPER_WEIGHTS) <= 0.01 * PAPER_WEIGHTS
    return Finding(Verdict.REACHED if near and ticks == PAPER_TICKS else Verdict.NOT_REACHED, text)


SINGLE = (
    Claim(
        "sizes",
        "The machine and its tasks",
        "about 1,600 weights; "
        + ", ".join(f"{count} steps at Level {level}" for level, count in PAPER_TICKS.items()),
        "Plan has that many weights within 1 %, and its tasks take that many steps",
        ("search", "plan"),
        judge_sizes,
    ),
    Claim(
        "plan-learning",
        "The shown Plan run finds its solution in this many iterations of learning",
        f"{PAPER_LEARNING:,}",
        "all levels mastered, the last learning in that iteration; exceeded if it is earlier",
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
    Claim(
        "search-curve",
        "A Search run",
        "",
        "a picture in the paper",
        ("search",),
        judge_search_curve,
        partial=True,
    ),
)
BOTH = (
    Claim(
        "learned",
        "Search and Plan are learned within the budget",
        "15 runs of 10,000 iterations",
        f"more than half of the runs of each task master all levels within {BUDGET:,} iterations",
        ("search", "plan"),
        judge_any_solved,
    ),
    Claim(
        "first-levels",
        "Learning happens during the first levels and generalises to the others",
        "",
        "at least half of the runs of each task master all levels, and none of those learns after the first "
        "third of the levels",
        ("search", "plan"),
        judge_first_levels,
    ),
    Claim(
        "runs",
        "Runs that solve all levels",
        "",
        "a picture in the paper",
        ("search", "plan"),
        judge_solved,
        partial=True,
    ),
)

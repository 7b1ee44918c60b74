"""Figure 3: learning curves (a, b) and the evaluation over 15 runs (d)."""

import statistics

from nhc.experiments.compare import is_mastered, rate, summary
from nhc.experiments.description import (
    Claim,
    Description,
    Finding,
    Results,
    Settings,
    Variant,
    Verdict,
    decided,
)
from nhc.experiments.descriptions.training import (
    BUDGET,
    FIRST_LEVELS,
    MACHINE,
    RUNS,
    all_tables,
    draw_curves,
    draw_groups,
    first_of_seed,
    last_learned,
    metrics,
    per_level,
    run_table,
    trained,
)
from nhc.experiments.job import whole
from nhc.experiments.kinds import ticks_of, weights_of
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
            lambda results, folder: draw_curves(results, folder, "fig3ab"),
            lambda results: [run_table(results, "fig3ab", "The runs of the learning curves")],
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
    """All runs of both tasks."""
    return [trained(task, task, settings, runs=RUNS) for task in TASKS]


def against_paper(text: str, able: bool, ours: int, paper: int) -> Finding:
    """A run's number, of which less is better, beside the paper's; a run that is not able reaches nothing."""
    if not able or ours > paper:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.REACHED if ours == paper else Verdict.EXCEEDED, text)


def judge_learning(results: Results) -> Finding:
    """Plan's learning iterations."""
    run = first_of_seed(results, "plan")
    learned, able = whole(run.result, "learning_iterations"), is_mastered(run)
    column = history(metrics(run))
    until = int(column.iteration[column.learned].max(initial=0))
    text = f"{learned:,} learning iterations, the last of them was iteration {until:,}; "
    return against_paper(f"{text}{'all' if able else 'not all'} levels mastered", able, until, PAPER_LEARNING)


def judge_levels(results: Results) -> Finding:
    """The last level on which Plan learned."""
    run = first_of_seed(results, "plan")
    last = last_learned(run)
    text = f"{whole(run.result, 'learning_iterations'):,} learning iterations, the last at Level {last}"
    return against_paper(text, is_mastered(run), last, PAPER_LEVELS)


def judge_first_levels(results: Results) -> Finding:
    """Where the runs learn that master all levels; and do most master them?"""
    parts, reached = [], True
    for task in TASKS:
        able = [run for run in results.of(task) if is_mastered(run)]
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
    return decided("; ".join(parts), reached)


def judge_any_solved(results: Results) -> Finding:
    """Both tasks are learned within the paper's budget, whatever ours is."""
    within = {
        task: [is_mastered(run) and whole(run.result, "iterations") <= BUDGET for run in results.of(task)]
        for task in TASKS
    }
    text = ", ".join(f"{task} {sum(runs)} of {len(runs)}" for task, runs in within.items())
    most = all(2 * sum(runs) > len(runs) for runs in within.values())
    return decided(f"mastered within {BUDGET:,} iterations: {text}", most)


def judge_sizes(results: Results) -> Finding:
    """Weights, and the steps of the curriculum."""
    values = {task: first_of_seed(results, task).job.values for task in TASKS}
    weights = {task: weights_of(one) for task, one in values.items()}
    ticks = {level: ticks_of(values["plan"], level) for level in PAPER_TICKS}
    text = ", ".join(f"{count:,} weights for {task.title()}" for task, count in weights.items())
    text += f"; Plan takes {_steps(ticks)}"
    near = abs(weights["plan"] - PAPER_WEIGHTS) <= 0.01 * PAPER_WEIGHTS
    return decided(text, near and ticks == PAPER_TICKS)


def _steps(ticks: dict[int, int]) -> str:
    return ", ".join(f"{count} steps at Level {level}" for level, count in ticks.items())


def _drawn(name: str, statement: str, tasks: tuple[str, ...]) -> Claim:
    """What the paper shows as a picture: ours is reported and not judged."""

    def judge(results: Results) -> Finding:
        return Finding(Verdict.NOT_STATED, "; ".join(summary(results, task) for task in tasks))

    return Claim(name, statement, "", "a picture in the paper", tasks, judge, partial=True)


SINGLE = (
    Claim(
        "sizes",
        "The machine and its tasks",
        f"about 1,600 weights; {_steps(PAPER_TICKS)}",
        "Plan has that many weights within 1 %, and its tasks take that many steps",
        TASKS,
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
    _drawn("search-curve", "A Search run", ("search",)),
)
BOTH = (
    Claim(
        "learned",
        "Search and Plan are learned within the budget",
        "15 runs of 10,000 iterations",
        f"more than half of the runs of each task master all levels within {BUDGET:,} iterations",
        TASKS,
        judge_any_solved,
    ),
    Claim(
        "first-levels",
        "Learning happens during the first levels and generalises to the others",
        "",
        "at least half of the runs of each task master all levels, and none of those learns after the first "
        "third of the levels",
        TASKS,
        judge_first_levels,
    ),
    _drawn("runs", "Runs that solve all levels", TASKS),
)

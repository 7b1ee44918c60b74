"""Judging what a part of the learning procedure or of the machine does, from groups of training runs."""

import numpy as np

from nhc.experiments.compare import (
    CONFIDENCE,
    SIGNIFICANT,
    SMALL,
    Comparison,
    compared_variants,
    rate,
    summary,
    told,
    too_few,
)
from nhc.experiments.description import Finding, Results, Verdict

BASELINE = "baseline"
FIRST_LEVELS = 3
"""Levels in which learning happens in the paper."""

_TEST = f"exact rank test p < {SIGNIFICANT}, paired by seed"
BETTER = (
    f"fewer learning iterations than the baseline ({_TEST}); runs that do not master all levels rank last; "
    f"not reached if they are worse so, or if the 95 % interval of the effect (Cliff's delta) ends "
    f"below {SMALL}; undecided if no run restarted"
)
NO_GAIN = (
    f"the 95 % interval of its effect (Cliff's delta) ends below {SMALL}; not reached if it is better "
    f"({_TEST})"
)
NEEDED = (
    f"worse than the baseline ({_TEST}), and the 95 % interval of the effect (Cliff's delta) ends below "
    f"-{SMALL}; not reached if the interval lies above that"
)
SMALLER = (
    "the 95 % interval of what soft attention loses more than this lies above 0; not reached if it lies below"
)
LITTLE = (
    f"the 95 % interval of the effect (Cliff's delta) lies within ±{SMALL}; not reached with a two-sided "
    f"p < {SIGNIFICANT}"
)
USAGE = (
    f"Plan without it is worse ({_TEST}), and the 95 % interval of what this effect exceeds that on Search "
    "by lies above 0; not reached if it lies below, or if Plan without it is not worse by a small effect"
)
DIED_OUT = (
    "of both fewer than half of the runs master all levels, and one at least gets beyond Level "
    f"{FIRST_LEVELS}"
)


def judge_restarts(results: Results) -> Finding:
    """Do restarts reduce learning?"""
    few = too_few(results, (BASELINE, "restarts"))
    if few:
        return few
    test = compared_variants(results, "restarts", BASELINE)
    made = sum(results.numbers("restarts", "restarts"))
    verdict = Verdict.UNDECIDED
    if not made:
        text = f"{told(results, 'restarts', BASELINE, test)}; no run was stuck for so long that it restarted"
        return Finding(verdict, text)
    if test.p_better < SIGNIFICANT:
        verdict = Verdict.REACHED
    elif test.p_worse < SIGNIFICANT or test.interval[1] < SMALL:
        verdict = Verdict.NOT_REACHED
    return Finding(verdict, f"{told(results, 'restarts', BASELINE, test)}; {made} restarts in all")


def judge_novelty(results: Results) -> Finding:
    """Is it shown that novelty does not help?"""
    few = too_few(results, (BASELINE, "novelty"), able=(BASELINE,))
    if few:
        return few
    test = compared_variants(results, "novelty", BASELINE)
    verdict = Verdict.UNDECIDED
    if test.p_better < SIGNIFICANT:
        verdict = Verdict.NOT_REACHED
    elif test.interval[1] < SMALL:
        verdict = Verdict.REACHED
    return Finding(verdict, told(results, "novelty", BASELINE, test))


def judge_died_out(results: Results) -> Finding:
    """Do runs without restarts learn, and end before the final level?"""
    labels = (BASELINE, "novelty")
    few = too_few(results, labels)
    if few:
        return few
    highest = {label: max(results.numbers(label, "level")) for label in labels}
    text = "; ".join(summary(results, label) for label in labels)
    most_end = all(rate(results, label) < 0.5 for label in labels)
    learned = min(highest.values()) > FIRST_LEVELS
    return Finding(Verdict.REACHED if most_end and learned else Verdict.NOT_REACHED, text)


def judge_necessary(results: Results, label: str) -> Finding:
    """Is the part that the variant lacks necessary for efficient learning?"""
    few = too_few(results, (BASELINE, label), able=(BASELINE,))
    if few:
        return few
    test = compared_variants(results, label, BASELINE)
    verdict = Verdict.UNDECIDED
    if test.interval[0] > -SMALL:
        verdict = Verdict.NOT_REACHED
    elif test.p_worse < SIGNIFICANT and test.interval[1] < -SMALL:
        verdict = Verdict.REACHED
    return Finding(verdict, told(results, label, BASELINE, test))


def judge_little(results: Results, label: str) -> Finding:
    """Does a part matter little, for better or worse?"""
    few = too_few(results, (BASELINE, label), able=(BASELINE,))
    if few:
        return few
    test = compared_variants(results, label, BASELINE)
    verdict = Verdict.UNDECIDED
    if test.interval[0] > -SMALL and test.interval[1] < SMALL:
        verdict = Verdict.REACHED
    elif test.p < SIGNIFICANT:
        verdict = Verdict.NOT_REACHED
    return Finding(verdict, told(results, label, BASELINE, test))


def judge_smaller(results: Results, label: str, other: str) -> Finding:
    """Has a part a smaller impact than another one, both compared with the same baseline?"""
    few = too_few(results, (BASELINE, label, other), able=(BASELINE,))
    if few:
        return few
    small, large = (compared_variants(results, name, BASELINE) for name in (label, other))
    more, text = exceeds(small, large, apart=False)
    text = f"{told(results, label, BASELINE, small)}; {other} loses more by {text}"
    verdict = Verdict.UNDECIDED
    if more[0] > 0:
        verdict = Verdict.REACHED
    elif more[1] < 0:
        verdict = Verdict.NOT_REACHED
    return Finding(verdict, text)


def exceeds(small: Comparison, large: Comparison, *, apart: bool) -> tuple[tuple[float, float], str]:
    """By how much one effect is worse than another: the 95 % interval, and all in words.

    Equal seeds were drawn together in both comparisons; `apart` breaks that where they are different runs.
    """
    more = small.deltas - (np.roll(large.deltas, 1) if apart else large.deltas)
    low, high = np.quantile(more, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    return (float(low), float(high)), f"{small.delta - large.delta:+.3f} ({low:+.3f} to {high:+.3f})"


def judge_usage(results: Results) -> Finding:
    """Does the usage link matter for Plan, and more than for Search?"""
    names = {task: f"{task}, no usage link" for task in ("plan", "search")}
    few = too_few(results, (*names, *names.values()), able=tuple(names))
    if few:
        return few
    plan, search = (compared_variants(results, label, task) for task, label in names.items())
    (low, high), more = exceeds(search, plan, apart=True)
    text = "; ".join(
        told(results, label, task, test)
        for (task, label), test in zip(names.items(), (plan, search), strict=True)
    )
    text += f"; Plan loses more by {more}"
    if plan.delta == search.delta == -1.0:
        return Finding(Verdict.NOT_RUN, f"both at the floor, so neither can lose more; {text}")
    verdict = Verdict.UNDECIDED
    if plan.p_worse < SIGNIFICANT and low > 0:
        verdict = Verdict.REACHED
    elif high < 0 or plan.p_better < SIGNIFICANT or plan.interval[0] > -SMALL:
        verdict = Verdict.NOT_REACHED
    return Finding(verdict, text)

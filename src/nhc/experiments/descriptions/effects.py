"""Judging what a part of the learning procedure or of the machine does, from groups of training runs."""

import numpy as np

from nhc.experiments.compare import (
    CONFIDENCE,
    SIGNIFICANT,
    SMALL,
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
    f"below {SMALL}"
)
NO_GAIN = (
    f"the 95 % interval of its effect (Cliff's delta) ends below {SMALL}; not reached if it is better "
    f"({_TEST})"
)
NEEDED = (
    f"worse than the baseline ({_TEST}), and at most half as often mastered; not reached if more than half "
    "as often"
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
    f"{FIRST_LEVELS}; exceeded if of both half or more master all levels"
)


def judge_restarts(results: Results) -> Finding:
    """Do restarts reduce learning?"""
    few = too_few(results, (BASELINE, "restarts"))
    if few:
        return few
    test = compared_variants(results, "restarts", BASELINE)
    verdict = Verdict.UNDECIDED
    if test.p_better < SIGNIFICANT:
        verdict = Verdict.REACHED
    elif test.p_worse < SIGNIFICANT or test.interval[1] < SMALL:
        verdict = Verdict.NOT_REACHED
    made = sum(results.numbers("restarts", "restarts"))
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
    if all(rate(results, label) >= 0.5 for label in labels):
        return Finding(Verdict.EXCEEDED, text)
    most_end = all(rate(results, label) < 0.5 for label in labels)
    learned = min(highest.values()) > FIRST_LEVELS
    return Finding(Verdict.REACHED if most_end and learned else Verdict.NOT_REACHED, text)


def judge_necessary(results: Results, label: str) -> Finding:
    """Is the part that the variant lacks necessary?"""
    few = too_few(results, (BASELINE, label), able=(BASELINE,))
    if few:
        return few
    test = compared_variants(results, label, BASELINE)
    verdict = Verdict.UNDECIDED
    if 2 * rate(results, label) > rate(results, BASELINE):
        verdict = Verdict.NOT_REACHED
    elif test.p_worse < SIGNIFICANT:
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


def judge_usage(results: Results) -> Finding:
    """Does the usage link matter for Plan, and more than for Search?"""
    names = {task: f"{task}, no usage link" for task in ("plan", "search")}
    few = too_few(results, (*names, *names.values()), able=tuple(names))
    if few:
        return few
    plan, search = (compared_variants(results, label, task) for task, label in names.items())
    # Independent resamples of the two tasks: differences of their effects.
    more = search.deltas - np.roll(plan.deltas, 1)
    low, high = np.quantile(more, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
    text = "; ".join(
        told(results, label, task, test)
        for (task, label), test in zip(names.items(), (plan, search), strict=True)
    )
    text += f"; Plan loses more by {search.delta - plan.delta:+.2f} ({low:+.2f} to {high:+.2f})"
    if plan.delta == search.delta == -1.0:
        return Finding(Verdict.NOT_RUN, f"both at the floor, so neither can lose more; {text}")
    verdict = Verdict.UNDECIDED
    if plan.p_worse < SIGNIFICANT and low > 0:
        verdict = Verdict.REACHED
    elif high < 0 or plan.p_better < SIGNIFICANT or plan.interval[0] > -SMALL:
        verdict = Verdict.NOT_REACHED
    return Finding(verdict, text)

"""The supplement's evaluation of the learning procedure and of the machine's parts, without restarts.

A part is judged by the training runs that lack it, beside those of the baseline.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from nhc.experiments.compare import (
    SIGNIFICANT,
    SMALL,
    Comparison,
    compared_variants,
    interval_of,
    rate,
    summary,
    too_few,
)
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
from nhc.experiments.descriptions.training import FIRST_LEVELS, NO_RESTARTS, all_tables, draw_groups, trained
from nhc.experiments.kinds import Changes

BASELINE = "baseline"
ONE_HEAD: Changes = {"machine": {"constrained_head": False, "free_heads": 1}}
TWO_HEADS: Changes = {"machine": {"constrained_head": False, "free_heads": 2}}
SOFT: Changes = {"machine": {"attention": "soft"}}
NO_LINK: Changes = {"machine": {"usage_link": False}}
NOVELTY: Changes = {"novelty": {"enabled": True}}
NO_MEMORIES: Changes = {"bad_memories": {"enabled": False}}
RESTARTS: Changes = {"restart": {"rule": "unreached"}}


def descriptions() -> list[Description]:
    """In the order of the supplement."""
    return [
        _ablation("restarts", "Figure 8", "Novelty and restarts",
                  {"novelty": NOVELTY, "restarts": RESTARTS}, RESTART_CLAIMS),
        _ablation("head", "Figure 9", "Constrained write head",
                  {"one free head": ONE_HEAD, "two free heads": TWO_HEADS}, HEAD_CLAIMS),
        _ablation("attention", "Figure 10", "Usage linkage and hard attention, Search",
                  {"no usage link": NO_LINK, "soft attention": SOFT}, ATTENTION_CLAIMS),
        _usage(),
        _ablation("bad-memories", "Figure 12", "Bad memories",
                  {"no bad memories": NO_MEMORIES}, MEMORY_CLAIMS),
    ]  # fmt: skip


def _ablation(
    name: str, paper: str, title: str, changed: dict[str, Changes], claims: tuple[Claim, ...]
) -> Description:
    """Search with parts changed, beside Search as it is."""

    def variants(settings: Settings) -> list[Variant]:
        every = {BASELINE: {}, **changed}
        return [trained(label, "search", settings, NO_RESTARTS, changes) for label, changes in every.items()]

    return Description(
        name,
        paper,
        title,
        variants,
        lambda results, folder: draw_groups(results, folder, name, title),
        lambda results: all_tables(results, name, title),
        claims,
    )


def _usage() -> Description:
    name, title = "usage-plan", "Usage linkage, Plan"

    def variants(settings: Settings) -> list[Variant]:
        return [
            trained(task + without, task, settings, NO_RESTARTS, changes)
            for task in ("plan", "search")
            for without, changes in (("", {}), (", no usage link", NO_LINK))
        ]

    def draw(results: Results, folder: Path) -> list[Path]:
        # A picture for each task: only three variants are legible in one.
        pictures = []
        for task, file in (("plan", name), ("search", f"{name}-search")):
            runs = {label: part for label, part in results.finished.items() if label.startswith(task)}
            own = results._replace(finished=runs)
            pictures += draw_groups(own, folder, file, f"Usage linkage, {task.title()}")
        return pictures

    return Description(
        name,
        "Figure 11",
        title,
        variants,
        draw,
        lambda results: all_tables(results, name, title),
        USAGE_CLAIMS,
    )


class Rule(NamedTuple):
    """When a variant's comparison with its baseline speaks for a statement, and when against it."""

    text: str
    reached: Callable[[Comparison], bool]
    refuted: Callable[[Comparison], bool]
    """Looked at only if it is not reached."""


_TEST = f"exact rank test p < {SIGNIFICANT}, paired by seed"
BETTER = Rule(
    f"fewer learning iterations than the baseline ({_TEST}); runs that do not master all levels rank last; "
    f"not reached if they are worse so, or if the 95 % interval of the effect (Cliff's delta) ends "
    f"below {SMALL}; undecided if no run restarted",
    lambda test: test.p_better < SIGNIFICANT,
    lambda test: test.p_worse < SIGNIFICANT or test.interval[1] < SMALL,
)
NO_GAIN = Rule(
    f"the 95 % interval of its effect (Cliff's delta) ends below {SMALL}; not reached if it is better "
    f"({_TEST})",
    lambda test: test.p_better >= SIGNIFICANT and test.interval[1] < SMALL,
    lambda test: test.p_better < SIGNIFICANT,
)
NEEDED = Rule(
    f"worse than the baseline ({_TEST}), and the 95 % interval of the effect (Cliff's delta) ends below "
    f"-{SMALL}; not reached if the interval lies above that",
    lambda test: test.p_worse < SIGNIFICANT and test.interval[1] < -SMALL,
    lambda test: test.interval[0] > -SMALL,
)
LITTLE = Rule(
    f"the 95 % interval of the effect (Cliff's delta) lies within ±{SMALL}; not reached with a two-sided "
    f"p < {SIGNIFICANT}",
    lambda test: test.interval[0] > -SMALL and test.interval[1] < SMALL,
    lambda test: test.p < SIGNIFICANT,
)
SMALLER = (
    "the 95 % interval of what soft attention loses more than this lies above 0; not reached if it lies below"
)
USAGE = (
    f"Plan without it is worse ({_TEST}), and the 95 % interval of what this effect exceeds that on Search "
    "by lies above 0; not reached if it lies below, or if Plan without it is not worse by a small effect"
)
DIED_OUT = (
    "of both fewer than half of the runs master all levels, and one at least gets beyond Level "
    f"{FIRST_LEVELS}"
)


def effect_claim(name: str, statement: str, label: str, rule: Rule) -> Claim:
    """That a variant stands so to the baseline."""
    judge = judge_restarts if rule is BETTER else lambda results: judge_effect(results, label, rule)
    return Claim(name, statement, "", rule.text, (BASELINE, label), judge)


def told(results: Results, label: str, baseline: str, test: Comparison) -> str:
    """The numbers of a variant beside its baseline, with the test."""
    return f"{summary(results, baseline)}; {summary(results, label)}; {test}"


def judge_effect(results: Results, label: str, rule: Rule, able: Sequence[str] = (BASELINE,)) -> Finding:
    """One variant beside the baseline; in at least half of the runs of `able` all levels must be mastered."""
    few = too_few(results, (BASELINE, label), able=able)
    if few:
        return few
    test = compared_variants(results, label, BASELINE)
    return decided(told(results, label, BASELINE, test), rule.reached(test), rule.refuted(test))


def judge_restarts(results: Results) -> Finding:
    """Do restarts reduce learning?"""
    verdict, text = judge_effect(results, "restarts", BETTER, able=())
    if verdict == Verdict.NOT_RUN:
        return Finding(verdict, text)
    made = sum(results.numbers("restarts", "restarts"))
    if not made:
        return Finding(Verdict.UNDECIDED, f"{text}; no run was stuck for so long that it restarted")
    return Finding(verdict, f"{text}; {made} restarts in all")


def judge_died_out(results: Results) -> Finding:
    """Do runs without restarts learn, and end before the final level?"""
    labels = (BASELINE, "novelty")
    few = too_few(results, labels)
    if few:
        return few
    most_end = all(rate(results, label) < 0.5 for label in labels)
    learned = all(max(results.numbers(label, "level")) > FIRST_LEVELS for label in labels)
    return decided("; ".join(summary(results, label) for label in labels), most_end and learned)


def judge_smaller(results: Results, label: str, other: str) -> Finding:
    """Has a part a smaller impact than another one, both compared with the same baseline?"""
    few = too_few(results, (BASELINE, label, other), able=(BASELINE,))
    if few:
        return few
    small, large = (compared_variants(results, name, BASELINE) for name in (label, other))
    (low, high), more = exceeds(small, large, apart=False)
    return decided(
        f"{told(results, label, BASELINE, small)}; {other} loses more by {more}", low > 0, high < 0
    )


def exceeds(small: Comparison, large: Comparison, *, apart: bool) -> tuple[tuple[float, float], str]:
    """By how much one effect is worse than another: the 95 % interval, and all in words.

    Equal seeds were drawn together in both comparisons; `apart` breaks that where they are different runs.
    """
    low, high = interval_of(small.deltas - (np.roll(large.deltas, 1) if apart else large.deltas))
    return (low, high), f"{small.delta - large.delta:+.3f} ({low:+.3f} to {high:+.3f})"


def judge_usage(results: Results) -> Finding:
    """Does the usage link matter for Plan, and more than for Search?"""
    names = {task: f"{task}, no usage link" for task in ("plan", "search")}
    few = too_few(results, (*names, *names.values()), able=tuple(names))
    if few:
        return few
    tests = {task: compared_variants(results, label, task) for task, label in names.items()}
    plan, search = tests["plan"], tests["search"]
    (low, high), more = exceeds(search, plan, apart=True)
    text = "; ".join(told(results, names[task], task, test) for task, test in tests.items())
    text += f"; Plan loses more by {more}"
    if plan.delta == search.delta == -1.0:
        return Finding(Verdict.NOT_RUN, f"both at the floor, so neither can lose more; {text}")
    refuted = high < 0 or plan.p_better < SIGNIFICANT or plan.interval[0] > -SMALL
    return decided(text, plan.p_worse < SIGNIFICANT and low > 0, refuted)


def _head_claim(label: str) -> Claim:
    statement = f"The constrained head is necessary for efficient learning, against {label}"
    return effect_claim(label.replace(" ", "-"), statement, label, NEEDED)


RESTART_CLAIMS = (
    effect_claim("restarts", "Restarts reduce the number of learning iterations", "restarts", BETTER),
    effect_claim("novelty", "Novelty brings no improvement", "novelty", NO_GAIN),
    Claim(
        "died-out",
        "Baseline and novelty also learn, but need more iterations and die out before the final level",
        "budget of 10,000 iterations",
        DIED_OUT,
        (BASELINE, "novelty"),
        judge_died_out,
    ),
)
HEAD_CLAIMS = tuple(map(_head_claim, ("one free head", "two free heads")))
ATTENTION_CLAIMS = (
    effect_claim(
        "hard-attention", "Hard attention is necessary for efficient learning", "soft attention", NEEDED
    ),
    Claim(
        "usage-search",
        "On Search, the usage linkage has a smaller impact than hard attention",
        "",
        SMALLER,
        (BASELINE, "no usage link", "soft attention"),
        lambda results: judge_smaller(results, "no usage link", "soft attention"),
    ),
)
USAGE_CLAIMS = (
    Claim(
        "usage-plan",
        "The usage linkage improves Plan significantly, more than Search",
        "",
        USAGE,
        ("plan", "plan, no usage link", "search", "search, no usage link"),
        judge_usage,
    ),
)
MEMORY_CLAIMS = (
    effect_claim(
        "bad-memories", "Bad memories matter little for learning the algorithm", "no bad memories", LITTLE
    ),
)

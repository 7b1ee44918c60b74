"""The supplement's evaluation of the learning procedure and of the machine's parts, without restarts."""

from pathlib import Path

from nhc.evolve.presets import merged
from nhc.experiments.compare import (
    SIGNIFICANT,
    compared,
    costs,
    mastered,
    summary,
)
from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.descriptions.training import NO_RESTARTS, all_tables, draw_groups, trained
from nhc.experiments.settings import Settings

BASELINE = "baseline"
SMALL = 0.33
"""Cliff's delta, 2 * superiority - 1, that counts as a small effect (Romano and others, 2006)."""

Changes = dict[str, object]

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
        _ablation("restarts", "Figure 8", "Novelty and restarts", "search",
                  {"novelty": NOVELTY, "restarts": RESTARTS}, RESTART_CLAIMS),
        _ablation("head", "Figure 9", "Constrained write head", "search",
                  {"one free head": ONE_HEAD, "two free heads": TWO_HEADS}, HEAD_CLAIMS),
        _ablation("attention", "Figure 10", "Usage linkage and hard attention, Search", "search",
                  {"no usage link": NO_LINK, "soft attention": SOFT}, ATTENTION_CLAIMS),
        _usage(),
        _ablation("bad-memories", "Figure 12", "Bad memories", "search",
                  {"no bad memories": NO_MEMORIES}, MEMORY_CLAIMS),
    ]  # fmt: skip


def _ablation(
    name: str, paper: str, title: str, task: str, changed: dict[str, Changes], claims: tuple[Claim, ...]
) -> Description:
    def variants(settings: Settings) -> list[Variant]:
        found = [trained(BASELINE, task, settings, NO_RESTARTS)]
        return found + [
            trained(label, task, settings, merged(NO_RESTARTS, changes)) for label, changes in changed.items()
        ]

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
    title = "Usage linkage, Plan"

    def variants(settings: Settings) -> list[Variant]:
        without = merged(NO_RESTARTS, NO_LINK)
        return [
            trained("plan", "plan", settings, NO_RESTARTS),
            trained("plan, no usage link", "plan", settings, without),
            trained("search", "search", settings, NO_RESTARTS),
            trained("search, no usage link", "search", settings, without),
        ]

    def draw(results: Results, folder: Path) -> list[Path]:
        plan = {label: runs for label, runs in results.finished.items() if label.startswith("plan")}
        return draw_groups(results._replace(finished=plan), folder, "usage-plan", title)

    def tables(results: Results) -> list[Table]:
        return all_tables(results, "usage-plan", title)

    return Description("usage-plan", "Figure 11", title, variants, draw, tables, USAGE_CLAIMS)


def both(results: Results, label: str, baseline: str = BASELINE) -> str:
    """The numbers of a variant beside its baseline, with the test."""
    test = compared(costs(results, label), costs(results, baseline))
    side, p = min(("better", test.p_better), ("worse", test.p_worse), key=lambda found: found[1])
    tested = "no difference" if test.p_better == test.p_worse else f"{side} with p = {p:.2g}"
    return f"{summary(results, baseline)}; {summary(results, label)}; {tested}"


def judge_restarts(results: Results) -> Finding:
    """Do restarts reduce learning?"""
    test = compared(costs(results, "restarts"), costs(results, BASELINE))
    verdict = Verdict.REACHED if test.p_better < SIGNIFICANT else Verdict.NOT_REACHED
    return Finding(verdict, both(results, "restarts"))


def judge_novelty(results: Results) -> Finding:
    """Does novelty help?"""
    test = compared(costs(results, "novelty"), costs(results, BASELINE))
    verdict = Verdict.NOT_REACHED if test.p_better < SIGNIFICANT else Verdict.REACHED
    return Finding(verdict, both(results, "novelty"))


def judge_necessary(results: Results, label: str) -> Finding:
    """Is the part that the variant lacks necessary?"""
    test = compared(costs(results, label), costs(results, BASELINE))
    rate = mastered(results, label) / len(results.of(label))
    usual = mastered(results, BASELINE) / len(results.of(BASELINE))
    needed = test.p_worse < SIGNIFICANT and 2 * rate <= usual
    return Finding(Verdict.REACHED if needed else Verdict.NOT_REACHED, both(results, label))


def judge_little(results: Results, label: str) -> Finding:
    """Does a part matter little?"""
    test = compared(costs(results, label), costs(results, BASELINE))
    delta = 2 * test.superiority - 1
    little = abs(delta) < SMALL or test.p_worse >= SIGNIFICANT
    text = f"{both(results, label)}; effect {delta:+.2f}"
    return Finding(Verdict.REACHED if little else Verdict.NOT_REACHED, text)


def judge_usage(results: Results) -> Finding:
    """Does the usage link matter for Plan, and more than for Search?"""
    plan, search = (
        compared(costs(results, f"{task}, no usage link"), costs(results, task))
        for task in ("plan", "search")
    )
    matters = plan.p_worse < SIGNIFICANT and plan.superiority < search.superiority
    text = "; ".join(
        f"{both(results, f'{task}, no usage link', task)}, effect {2 * test.superiority - 1:+.2f}"
        for task, test in (("plan", plan), ("search", search))
    )
    return Finding(Verdict.REACHED if matters else Verdict.NOT_REACHED, text)


_BETTER = (
    f"fewer learning iterations than the baseline, one-sided Mann-Whitney p < {SIGNIFICANT}; runs that do "
    "not master all levels rank last"
)
_NEEDED = f"worse than the baseline with p < {SIGNIFICANT}, and at most half as many runs master all levels"
_LITTLE = f"not worse with p < {SIGNIFICANT}, or an effect (Cliff's delta) below {SMALL}"

RESTART_CLAIMS = (
    Claim(
        "restarts",
        "Restarts reduce the number of learning iterations",
        "",
        _BETTER,
        (BASELINE, "restarts"),
        judge_restarts,
    ),
    Claim(
        "novelty", "Novelty brings no improvement", "", f"not {_BETTER}", (BASELINE, "novelty"), judge_novelty
    ),
)


def head_claim(label: str) -> Claim:
    """The paper's statement against one alternative."""
    return Claim(
        label.replace(" ", "-"),
        f"The constrained head is necessary: {label} instead will not do",
        "",
        _NEEDED,
        (BASELINE, label),
        lambda results: judge_necessary(results, label),
    )


HEAD_CLAIMS = tuple(map(head_claim, ("one free head", "two free heads")))
ATTENTION_CLAIMS = (
    Claim(
        "hard-attention",
        "Hard attention is necessary",
        "",
        _NEEDED,
        (BASELINE, "soft attention"),
        lambda results: judge_necessary(results, "soft attention"),
    ),
    Claim(
        "usage-search",
        "The usage linkage has a smaller impact on Search",
        "",
        _LITTLE,
        (BASELINE, "no usage link"),
        lambda results: judge_little(results, "no usage link"),
    ),
)
USAGE_CLAIMS = (
    Claim(
        "usage-plan",
        "The usage linkage improves Plan significantly, more than Search",
        "",
        f"Plan without it is worse with p < {SIGNIFICANT}, and by a larger effect than Search",
        ("plan", "plan, no usage link", "search", "search, no usage link"),
        judge_usage,
    ),
)
MEMORY_CLAIMS = (
    Claim(
        "bad-memories",
        "Bad memories matter little for learning the algorithm",
        "",
        _LITTLE,
        (BASELINE, "no bad memories"),
        lambda results: judge_little(results, "no bad memories"),
    ),
)

"""The supplement's evaluation of the learning procedure and of the machine's parts, without restarts."""

from pathlib import Path

from nhc.experiments.description import Claim, Description, Results, Settings, Variant
from nhc.experiments.descriptions.effects import (
    BASELINE,
    BETTER,
    DIED_OUT,
    LITTLE,
    NEEDED,
    NO_GAIN,
    SMALLER,
    USAGE,
    effect_claim,
    judge_died_out,
    judge_smaller,
    judge_usage,
)
from nhc.experiments.descriptions.training import NO_RESTARTS, all_tables, draw_groups, trained
from nhc.experiments.jobs import Changes

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
        "bad-memories",
        "Bad memories matter little for learning the algorithm",
        "no bad memories",
        LITTLE,
    ),
)

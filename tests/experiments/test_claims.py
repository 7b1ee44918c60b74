"""Judging groups of runs: each rule says yes, no, and when it cannot say."""

import pytest

from nhc.experiments.description import Finished, Settings, Verdict, compared_extents, judged
from nhc.experiments.descriptions import ablations, all_descriptions, comparison, learning
from tests.experiments.samples import claim, results, trained


def group(learned: int, *, runs: int = 8, mastered: bool = True) -> list[Finished]:
    return [trained(learned + at, seed=at, mastered=mastered) for at in range(runs)]


def restarted(runs: list[Finished]) -> list[Finished]:
    return [run._replace(result={**run.result, "restarts": 3}) for run in runs]


GOOD, SLOW, DEAD = group(100), group(2_000), group(9_000, mastered=False)
LIKE = [trained(100 + (-1) ** at * 2_000 + 3_000 * (at % 4 > 1), seed=at) for at in range(8)]
"""As often cheaper as dearer than a group that costs 100 to 3,107."""
WIDE = [trained(100 + 3_000 * (at % 4 > 1), seed=at) for at in range(8)]
HALF = [*GOOD[:4], *DEAD[4:]]
MANY, ALIKE = group(300, runs=60), group(300, runs=60)


ABLATIONS = tuple(one for description in ablations.descriptions() for one in description.claims)


@pytest.mark.parametrize(
    ("name", "runs", "verdict"),
    [
        ("restarts", {"baseline": SLOW, "restarts": restarted(GOOD)}, "reached"),
        ("restarts", {"baseline": DEAD, "restarts": restarted(GOOD)}, "reached"),
        ("restarts", {"baseline": WIDE, "restarts": restarted(LIKE)}, "undecided"),
        ("restarts", {"baseline": GOOD, "restarts": restarted(SLOW)}, "not reached"),
        ("restarts", {"baseline": MANY, "restarts": restarted(ALIKE)}, "not reached"),
        ("restarts", {"baseline": SLOW, "restarts": GOOD}, "undecided"),  # none restarted
        ("restarts", {"baseline": SLOW[:4], "restarts": restarted(GOOD)}, "not run"),
        ("novelty", {"baseline": SLOW, "novelty": GOOD}, "not reached"),
        ("novelty", {"baseline": GOOD, "novelty": SLOW}, "reached"),
        ("novelty", {"baseline": MANY, "novelty": ALIKE}, "reached"),
        ("novelty", {"baseline": WIDE, "novelty": LIKE}, "undecided"),
        ("novelty", {"baseline": DEAD, "novelty": DEAD}, "not run"),
        ("novelty", {"baseline": GOOD, "novelty": SLOW[:4]}, "not run"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": DEAD}, "reached"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": SLOW}, "reached"),  # learned, but dearly
        ("one-free-head", {"baseline": MANY, "one_free_head": ALIKE}, "not reached"),
        ("one-free-head", {"baseline": SLOW, "one_free_head": GOOD}, "not reached"),
        ("one-free-head", {"baseline": HALF, "one_free_head": [*GOOD[:2], *DEAD[2:]]}, "undecided"),
        ("two-free-heads", {"baseline": DEAD, "two_free_heads": DEAD}, "not run"),
        ("hard-attention", {"baseline": GOOD, "soft_attention": DEAD}, "reached"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": GOOD, "soft_attention": DEAD}, "reached"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": DEAD, "soft_attention": DEAD}, "undecided"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": DEAD, "soft_attention": GOOD}, "not reached"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": GOOD[:4], "soft_attention": DEAD}, "not run"),
        ("bad-memories", {"baseline": MANY, "no_bad_memories": ALIKE}, "reached"),
        ("bad-memories", {"baseline": WIDE, "no_bad_memories": LIKE}, "undecided"),
        ("bad-memories", {"baseline": SLOW, "no_bad_memories": GOOD}, "not reached"),
        ("bad-memories", {"baseline": GOOD, "no_bad_memories": SLOW}, "not reached"),
        ("bad-memories", {"baseline": GOOD[:2], "no_bad_memories": GOOD[:2]}, "not run"),
    ],
)
def test_ablations(name: str, runs: dict[str, list[Finished]], verdict: str) -> None:
    found = judged(claim(name, ABLATIONS), results(**runs))
    assert found.verdict == verdict, found.ours


def ended(level: int, runs: int = 8) -> list[Finished]:
    return [trained(900, mastered=False, level=level, seed=at) for at in range(runs)]


@pytest.mark.parametrize(
    ("baseline", "novelty", "verdict"),
    [
        (ended(9), ended(4), "reached"),
        (ended(9), ended(3), "not reached"),
        (GOOD, GOOD, "not reached"),
        (GOOD, ended(9), "not reached"),
        (HALF, [*GOOD[:3], *ended(9, 5)], "not reached"),
        (ended(9, 4), ended(9), "not run"),
    ],
)
def test_runs_that_die_out(baseline: list[Finished], novelty: list[Finished], verdict: str) -> None:
    assert (
        judged(claim("died-out", ABLATIONS), results(baseline=baseline, novelty=novelty)).verdict == verdict
    )


@pytest.mark.parametrize(
    ("plan", "search", "verdict"),
    [
        (DEAD, GOOD, "reached"),
        (LIKE, LIKE, "undecided"),
        (DEAD, DEAD, "not run"),
        (GOOD, DEAD, "not reached"),
        (SLOW[:4], GOOD, "not run"),
    ],
)
def test_the_usage_link_must_matter_more_for_plan(
    plan: list[Finished], search: list[Finished], verdict: str
) -> None:
    usual = WIDE if plan is LIKE else GOOD
    made = results(plan=usual, search=usual)
    finished = {**made.finished, "plan, no usage link": plan, "search, no usage link": search}
    made = made._replace(finished=finished, wanted={name: len(part) for name, part in finished.items()})
    found = judged(ablations.USAGE_CLAIMS[0], made)
    assert found.verdict == verdict, found.ours


def test_what_was_not_run_is_not_judged() -> None:
    one = claim("restarts", ablations.RESTART_CLAIMS)
    lacking = results(baseline=SLOW, restarts=[])
    assert judged(one, lacking).verdict == Verdict.NOT_RUN
    unknown = lacking._replace(missing={"restarts": "not available in this version (x)"})
    assert judged(one, unknown) == (Verdict.NOT_RUN, "not available in this version (x)")
    outdated = lacking._replace(outdated={"restarts": 3})
    assert judged(one, outdated).ours == "restarts: 3 runs were made by another version"
    quick = results(Settings(quick=True), baseline=SLOW, restarts=GOOD)
    small = results(baseline=SLOW, restarts=GOOD)._replace(smaller={"restarts": "8 in place of 15"})
    for made in (quick, small):
        found = judged(one, made)
        assert found.verdict == Verdict.NOT_RUN and "too small" in found.ours and "median" in found.ours
    unneeded = results(baseline=SLOW, restarts=restarted(GOOD))._replace(
        smaller={"novelty": "8 in place of 15"}
    )
    assert judged(one, unneeded).verdict == Verdict.REACHED


def test_a_claim_waits_for_all_its_runs_unless_it_says_otherwise() -> None:
    fewer = results(baseline=SLOW, restarts=GOOD)._replace(wanted={"baseline": 15, "restarts": 8})
    found = judged(claim("restarts", ablations.RESTART_CLAIMS), fewer)
    assert found.verdict == Verdict.NOT_RUN
    assert found.ours.startswith(
        "runs are missing, finished: baseline 8 of 15; so far baseline: 8 of 8 master"
    )
    some = results(search=GOOD, plan=GOOD)._replace(wanted={"search": 15, "plan": 8})
    found = judged(claim("runs", learning.BOTH), some)
    assert found.verdict == Verdict.NOT_STATED and "search 8 of 15" in found.ours


def test_sizes_are_compared_with_those_of_the_description() -> None:
    def sizes(settings: Settings) -> tuple[dict[str, str], ...]:
        return compared_extents(learning.both(settings), learning.both(Settings()))

    assert sizes(Settings(seed=4)) == ({}, {})
    for less in (Settings(runs=14), Settings(budget=9_999), Settings(budget=20_000, runs=3)):
        smaller, larger = sizes(less)
        assert smaller.keys() == {"search", "plan"} and not larger
    smaller, larger = sizes(Settings(budget=10_001, runs=15))
    assert not smaller
    assert larger["plan"] == "plan: 15 runs of 10,001 iterations in place of 15 runs of 10,000 iterations"
    networks = compared_extents(comparison.variants(Settings(runs=9)), comparison.variants(Settings()))[0]
    assert networks["DNC"] == "DNC: 9 runs of 2,000 iterations in place of 10 runs of 2,000 iterations"


def test_names_of_claims_are_unique_in_their_description() -> None:
    for one in all_descriptions().values():
        names = [claim.name for claim in one.claims]
        assert len(set(names)) == len(names)
        assert all(claim.rule and claim.statement and claim.needs for claim in one.claims)


def test_restarts_are_counted() -> None:
    found = judged(claim("restarts", ABLATIONS), results(baseline=SLOW, restarts=restarted(GOOD)))
    assert found.ours.endswith("; 24 restarts in all")

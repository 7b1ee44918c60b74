"""Judging: each rule says yes, no, and when it cannot say."""

from pathlib import Path

import pytest

from nhc.experiments.description import Claim, Finished, Verdict, judged
from nhc.experiments.descriptions import ablations, data_modules, learning, transfers
from nhc.experiments.job import job
from nhc.experiments.registry import all_descriptions
from nhc.experiments.settings import Settings
from tests.experiments.samples import results, trained

GOOD = [trained(100 + number) for number in range(8)]
SLOW = [trained(2_000 + number) for number in range(8)]
DEAD = [trained(9_000 + number, mastered=False) for number in range(8)]


def claim(name: str, of: tuple[Claim, ...]) -> Claim:
    return next(one for one in of if one.name == name)


@pytest.mark.parametrize(
    ("name", "runs", "verdict"),
    [
        ("restarts", {"baseline": SLOW, "restarts": GOOD}, "reached"),
        ("restarts", {"baseline": GOOD, "restarts": GOOD}, "not reached"),
        ("restarts", {"baseline": GOOD, "restarts": SLOW}, "not reached"),
        ("novelty", {"baseline": SLOW, "novelty": GOOD}, "not reached"),
        ("novelty", {"baseline": GOOD, "novelty": SLOW}, "reached"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": DEAD}, "reached"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": SLOW}, "not reached"),
        ("two-free-heads", {"baseline": DEAD, "two_free_heads": DEAD}, "not reached"),
        ("hard-attention", {"baseline": GOOD, "soft_attention": DEAD}, "reached"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": GOOD}, "reached"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": DEAD}, "not reached"),
        ("bad-memories", {"baseline": SLOW, "no_bad_memories": GOOD}, "reached"),
        ("bad-memories", {"baseline": GOOD, "no_bad_memories": SLOW}, "not reached"),
    ],
)
def test_ablations(name: str, runs: dict[str, list[Finished]], verdict: str) -> None:
    every = [one for description in ablations.descriptions() for one in description.claims]
    found = judged(claim(name, tuple(every)), results(**runs))
    assert found.verdict == verdict, found.ours


@pytest.mark.parametrize(
    ("plan", "search", "verdict"),
    [(DEAD, GOOD, "reached"), (GOOD, GOOD, "not reached"), (DEAD, DEAD, "not reached")],
)
def test_the_usage_link_must_matter_more_for_plan(
    plan: list[Finished], search: list[Finished], verdict: str
) -> None:
    made = results(plan=GOOD, search=GOOD)
    finished = {**made.finished, "plan, no usage link": plan, "search, no usage link": search}
    made = made._replace(finished=finished, wanted={name: len(part) for name, part in finished.items()})
    assert judged(ablations.USAGE_CLAIMS[0], made).verdict == verdict


@pytest.mark.parametrize(
    ("run", "learning_verdict", "levels_verdict"),
    [
        (trained(2_563, per_level=(2_000, 500, 63, 0)), "reached", "reached"),
        (trained(600, per_level=(500, 100, 0, 0)), "exceeded", "exceeded"),
        (trained(2_564, per_level=(2_000, 500, 63, 1)), "not reached", "not reached"),
        (trained(600, per_level=(500, 100), mastered=False), "not reached", "not reached"),
    ],
)
def test_the_single_plan_run(run: Finished, learning_verdict: str, levels_verdict: str) -> None:
    made = results(plan=[run])
    found = [judged(claim(name, learning.SINGLE), made).verdict for name in ("plan-learning", "plan-levels")]
    assert found == [learning_verdict, levels_verdict]


def long(ticks: int, solved: bool = True) -> Finished:
    made = job("long", {"goal": ticks})
    return Finished(made, {"ticks": ticks, "solved": solved}, 1.0, Path("nowhere"))


@pytest.mark.parametrize(
    ("network", "program", "verdict"),
    [
        ([long(15), long(330_631)], [long(9)], "reached"),
        ([long(15), long(330_631)], [long(1_000_000)], "exceeded"),
        ([long(15)], [long(88)], "not reached"),
        ([long(330_631)], [long(1_000_000, solved=False)], "not reached"),
    ],
)
def test_complexity(network: list[Finished], program: list[Finished], verdict: str) -> None:
    assert judged(transfers.R1[0], results(network=network, program=program)).verdict == verdict


def moved(samples: int, mistakes: int = 0) -> Finished:
    return trained(1)._replace(result={"samples": samples, "mistakes": mistakes})


@pytest.mark.parametrize(
    ("search", "plan", "verdict"),
    [
        (moved(200_000), moved(200_000), "reached"),
        (moved(200_000), moved(199_999), "not reached"),
        (moved(200_000, 1), moved(200_000), "not reached"),
    ],
)
def test_transfers_need_all_samples_and_no_mistake(search: Finished, plan: Finished, verdict: str) -> None:
    made = results()._replace(
        finished={"stacking, search": [search], "stacking, plan": [plan]},
        wanted={"stacking, search": 1, "stacking, plan": 1},
    )
    assert judged(claim("r3-stacking", transfers.R23), made).verdict == verdict


@pytest.mark.parametrize(("errors", "verdict"), [(0, "not reached"), (7, "reached"), (None, "reached")])
def test_bad_memories_are_crucial_if_modules_fail_without_them(errors: int | None, verdict: str) -> None:
    def run(found: int | None) -> Finished:
        module = {"updates": 5, "rounds": 0, "errors": found, "first_check_errors": found, "cases": 9}
        return trained(1)._replace(result={"modules": {"alu": module}})

    labels = [data_modules.label_of("sliding-3x3", name) for name in ("with", "without")]
    finished = {labels[0]: [run(0)], labels[1]: [run(errors)]}
    made = results()._replace(finished=finished, wanted=dict.fromkeys(labels, 1))
    assert judged(claim("crucial-sliding-3x3", data_modules.CLAIMS), made).verdict == verdict


def test_what_was_not_run_is_not_judged() -> None:
    one = claim("restarts", ablations.RESTART_CLAIMS)
    lacking = results(baseline=SLOW, restarts=[])
    assert judged(one, lacking).verdict == Verdict.NOT_RUN
    unknown = lacking._replace(missing={"restarts": "not available in this version (x)"})
    assert judged(one, unknown) == (Verdict.NOT_RUN, "not available in this version (x)")
    quick = results(Settings(quick=True), baseline=SLOW, restarts=GOOD)
    found = judged(one, quick)
    assert found.verdict == Verdict.NOT_RUN and "too small" in found.ours and "median" in found.ours
    fewer = results(baseline=SLOW, restarts=GOOD)._replace(wanted={"baseline": 15, "restarts": 8})
    assert judged(one, fewer).ours.endswith("finished runs: baseline 8 of 15")


def test_names_of_claims_are_unique_in_their_description() -> None:
    for one in all_descriptions().values():
        names = [claim.name for claim in one.claims]
        assert len(set(names)) == len(names)
        assert all(claim.rule and claim.statement and claim.needs for claim in one.claims)

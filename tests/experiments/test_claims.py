"""Judging: each rule says yes, no, and when it cannot say."""

from pathlib import Path

import pytest

from nhc.experiments.description import Claim, Finished, Verdict, compared_extents, judged
from nhc.experiments.descriptions import ablations, behaviour, comparison, data_modules, learning, transfers
from nhc.experiments.job import Record, job
from nhc.experiments.registry import all_descriptions
from nhc.experiments.settings import Settings
from tests.experiments.samples import results, trained


def group(learned: int, *, step: int = 1, runs: int = 8, first: int = 0, **changes: bool) -> list[Finished]:
    return [trained(learned + step * at, seed=first + at, **changes) for at in range(runs)]


GOOD, SLOW, DEAD = group(100), group(2_000), group(9_000, mastered=False)
LIKE = [trained(100 + (-1) ** at * 2_000 + 3_000 * (at % 4 > 1), seed=at) for at in range(8)]
"""As often cheaper as dearer than a group that costs 100 to 3,107."""
WIDE = [trained(100 + 3_000 * (at % 4 > 1), seed=at) for at in range(8)]
HALF = [*GOOD[:4], *DEAD[4:]]
MANY, ALIKE = group(300, runs=60), group(300, runs=60)


def claim(name: str, of: tuple[Claim, ...]) -> Claim:
    return next(one for one in of if one.name == name)


ABLATIONS = tuple(one for description in ablations.descriptions() for one in description.claims)


@pytest.mark.parametrize(
    ("name", "runs", "verdict"),
    [
        ("restarts", {"baseline": SLOW, "restarts": GOOD}, "reached"),
        ("restarts", {"baseline": DEAD, "restarts": GOOD}, "reached"),
        ("restarts", {"baseline": WIDE, "restarts": LIKE}, "undecided"),
        ("restarts", {"baseline": GOOD, "restarts": SLOW}, "not reached"),
        ("restarts", {"baseline": MANY, "restarts": ALIKE}, "not reached"),
        ("restarts", {"baseline": SLOW[:4], "restarts": GOOD}, "not run"),
        ("novelty", {"baseline": SLOW, "novelty": GOOD}, "not reached"),
        ("novelty", {"baseline": GOOD, "novelty": SLOW}, "reached"),
        ("novelty", {"baseline": MANY, "novelty": ALIKE}, "reached"),
        ("novelty", {"baseline": WIDE, "novelty": LIKE}, "undecided"),
        ("novelty", {"baseline": DEAD, "novelty": DEAD}, "not run"),
        ("novelty", {"baseline": GOOD, "novelty": SLOW[:4]}, "not run"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": DEAD}, "reached"),
        ("one-free-head", {"baseline": GOOD, "one_free_head": SLOW}, "not reached"),
        ("one-free-head", {"baseline": HALF, "one_free_head": [*GOOD[:2], *DEAD[2:]]}, "undecided"),
        ("two-free-heads", {"baseline": DEAD, "two_free_heads": DEAD}, "not run"),
        ("hard-attention", {"baseline": GOOD, "soft_attention": DEAD}, "reached"),
        ("usage-search", {"baseline": MANY, "no_usage_link": ALIKE}, "reached"),
        ("usage-search", {"baseline": WIDE, "no_usage_link": LIKE}, "undecided"),
        ("usage-search", {"baseline": GOOD, "no_usage_link": DEAD}, "not reached"),
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
        (GOOD, GOOD, "exceeded"),
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


EARLY = [trained(100, seed=at, per_level=(80, 10, 0, 10)) for at in range(4)]
LATE = [trained(100, seed=at, per_level=(80, 9, 0, 11)) for at in range(4)]
STUCK = [trained(900, seed=at, per_level=(900, 0, 0, 0), mastered=False) for at in range(4)]


@pytest.mark.parametrize(
    ("search", "verdict"),
    [
        (EARLY, "reached"),
        (LATE, "not reached"),
        ([*LATE, *STUCK], "not reached"),  # what stuck runs learn early must not count
        ([*EARLY, *STUCK], "reached"),
        ([*EARLY[:3], *STUCK], "not reached"),
        (STUCK, "not reached"),
        ([trained(0, per_level=(0, 0, 0, 0))], "not reached"),
    ],
)
def test_learning_happens_in_the_first_levels(search: list[Finished], verdict: str) -> None:
    for made in (results(search=search, plan=EARLY), results(search=EARLY, plan=search)):
        found = judged(claim("first-levels", learning.BOTH), made)
        assert found.verdict == verdict, found.ours


def test_most_runs_must_learn_within_the_budget_of_the_paper() -> None:
    one = claim("learned", learning.BOTH)
    in_time, late = trained(5, iterations=10_000), trained(5, iterations=10_001)
    assert judged(one, results(search=[in_time, in_time, late], plan=[in_time])).verdict == "reached"
    assert judged(one, results(search=[in_time, late], plan=[in_time])).verdict == "not reached"
    assert judged(one, results(search=[in_time], plan=STUCK)).verdict == "not reached"
    other = results(search=[in_time], plan=[in_time])._replace(larger={"plan": "plan: 1 in place of 2"})
    assert judged(one, other).ours.startswith("other budget (plan: 1 in place of 2); mastered within 10,000")


def networks(solved: int, iterations: int, runs: int = 10) -> Finished:
    last = {"fitness_mean": 30.04, "fitness_std": 1}
    result: Record = {"solved": solved, "runs": runs, "iterations": iterations, "last": last}
    return trained(1)._replace(result=result)


@pytest.mark.parametrize(
    ("run", "verdict"),
    [
        (networks(0, 500_000), "reached"),
        (networks(1, 500_000), "not reached"),
        (networks(1, 20), "not reached"),
        (networks(0, 499_999), "not run"),
        (networks(0, 500_000, runs=9), "not run"),
    ],
)
def test_comparison_methods(run: Finished, verdict: str) -> None:
    found = judged(claim("dnc-fails", comparison.CLAIMS), results(DNC=[run]))
    assert found.verdict == verdict and "fitness 30.0 ± 1.0 of 120" in found.ours


TRACE: Record = {
    "read": [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 11, 2, 0],
    "op": [0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 4, 4, 4],
    "met": [0] * 11 + [1] * 3,
    "winner": [3, 4, 1, 2, 1, 0, 0, 0, 2, 0, 0, 0, 3, 4],
    "ended": "finished",
}


def traced(**changes: object) -> Finished:
    return trained(1)._replace(result=TRACE | changes)


def changed(name: str, **places: int) -> dict[str, object]:
    """A column of the trace with other values at some places, named `at3` and so on."""
    column = list(TRACE[name]) if isinstance(TRACE[name], list) else []
    for place, value in places.items():
        column[int(place[2:])] = value
    return {name: column}


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "reached"),
        (changed("winner", at4=0), "not reached"),  # an advance by content
        (changed("winner", at4=0, at8=0), "not reached"),  # advances by content only
        (changed("winner", at5=1), "not reached"),
        (changed("winner", at12=0), "not reached"),
        (changed("winner", at11=3), "reached"),  # the goal's own node is no parent
        ({name: TRACE[name][:11] for name in ("read", "op", "met", "winner")}, "not reached"),
        ({name: TRACE[name][:12] for name in ("read", "op", "met", "winner")}, "not reached"),
        ({"read": [0] * 11 + [11, 2, 0]}, "not reached"),
    ],
)
def test_attention(changes: dict[str, object], verdict: str) -> None:
    found = judged(claim("attention", behaviour.CLAIMS), results(plan=[traced(**changes)]))
    assert found.verdict == verdict, found.ours


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "reached"),
        (changed("read", at12=1), "not reached"),  # it ends at the start, by another way
        (changed("read", at11=10), "not reached"),
        (changed("op", at12=3), "not reached"),
        (changed("op", at6=3), "not reached"),
        (changed("read", at5=0), "not reached"),
        ({"ended": "running"}, "not reached"),
        ({name: TRACE[name][:11] for name in ("read", "op", "met")}, "not reached"),
    ],
)
def test_phases(changes: dict[str, object], verdict: str) -> None:
    found = judged(claim("phases", behaviour.CLAIMS), results(plan=[traced(**changes)]))
    assert found.verdict == verdict, found.ours


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
    other = trained(1, seed=1, per_level=(1, 0, 0, 0))
    made = results(plan=[other, run])
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
        ([long(15)], [long(88)], "not run"),
        ([long(15)], [long(1_000_000)], "not run"),
        ([long(330_631)], [long(1_000_000, solved=False)], "not reached"),
    ],
)
def test_complexity(network: list[Finished], program: list[Finished], verdict: str) -> None:
    assert judged(transfers.R1[0], results(network=network, program=program)).verdict == verdict


CHECKED = "learned data modules (proved for every state of the world)"


def moved(samples: int, mistakes: int = 0, modules: str = CHECKED) -> Finished:
    return trained(1)._replace(result={"samples": samples, "mistakes": mistakes, "modules": modules})


@pytest.mark.parametrize(
    ("search", "plan", "verdict"),
    [
        (moved(200_000), moved(200_000), "reached"),
        (moved(200_000), moved(199_999), "not reached"),
        (moved(200_000, 1), moved(200_000), "not reached"),
        (moved(200_000), moved(200_000, modules="exact data modules"), "not run"),
        (moved(200_000), moved(200_000, modules="learned data modules (not checked)"), "not run"),
        (
            moved(200_000, modules="learned data modules (with errors, says their check)"),
            moved(200_000),
            "not run",
        ),
    ],
)
def test_transfers_need_all_samples_and_no_mistake(search: Finished, plan: Finished, verdict: str) -> None:
    made = results()._replace(
        finished={"stacking, search": [search], "stacking, plan": [plan]},
        wanted={"stacking, search": 1, "stacking, plan": 1},
    )
    assert judged(claim("r3-stacking", transfers.R23), made).verdict == verdict


@pytest.mark.parametrize(
    ("having", "lacking", "verdict"),
    [
        (0, 0, "not reached"),
        (0, 7, "reached"),
        (0, None, "undecided"),
        (3, 7, "not reached"),
        (None, 7, "undecided"),
        (None, 0, "not reached"),
    ],
)
def test_bad_memories_are_crucial_if_modules_fail_without_them(
    having: int | None, lacking: int | None, verdict: str
) -> None:
    def run(found: int | None) -> Finished:
        parts = {"alu": found, "input": 0}
        modules = {name: {"updates": 5, "rounds": 0, "errors": errors} for name, errors in parts.items()}
        return trained(1)._replace(result={"modules": modules})

    labels = [data_modules.label_of("sliding-3x3", name) for name in ("with", "without")]
    finished = {labels[0]: [run(having)], labels[1]: [run(lacking)]}
    made = results()._replace(finished=finished, wanted=dict.fromkeys(labels, 1))
    assert judged(claim("crucial-sliding-3x3", data_modules.CLAIMS), made).verdict == verdict


def test_neither_variant_of_the_data_modules_learns_from_counterexamples() -> None:
    for settings in (Settings(), Settings(quick=True)):
        jobs = [one.values for variant in data_modules.variants(settings) for one in variant.jobs]
        assert {one["memory_share"] for one in jobs} == {0.0, 0.5}
        assert {one["pool_share"] for one in jobs} == {0.0}


def test_what_was_not_run_is_not_judged() -> None:
    one = claim("restarts", ablations.RESTART_CLAIMS)
    lacking = results(baseline=SLOW, restarts=[])
    assert judged(one, lacking).verdict == Verdict.NOT_RUN
    unknown = lacking._replace(missing={"restarts": "not available in this version (x)"})
    assert judged(one, unknown) == (Verdict.NOT_RUN, "not available in this version (x)")
    outdated = lacking._replace(outdated={"restarts": 3})
    assert judged(one, outdated).ours == "restarts: 3 runs were made with other sources"
    quick = results(Settings(quick=True), baseline=SLOW, restarts=GOOD)
    small = results(baseline=SLOW, restarts=GOOD)._replace(smaller={"restarts": "8 in place of 15"})
    for made in (quick, small):
        found = judged(one, made)
        assert found.verdict == Verdict.NOT_RUN and "too small" in found.ours and "median" in found.ours
    unneeded = results(baseline=SLOW, restarts=GOOD)._replace(smaller={"novelty": "8 in place of 15"})
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

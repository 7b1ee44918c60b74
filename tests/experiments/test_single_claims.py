"""Judging single runs and counts: each rule says yes, no, and when it cannot say."""

import json
from pathlib import Path

import pytest

from nhc.experiments.description import Finished, Settings, judged
from nhc.experiments.descriptions import comparison, data_modules, examples, learning, transfers
from nhc.experiments.job import Record, job, listed
from nhc.runs.directory import SCHEMA
from nhc.training.config import run_config
from tests.experiments.samples import claim, results, trained

EARLY = [trained(100, seed=at, per_level=(90, 10, 0, 0, 0, 0)) for at in range(4)]
LATE = [*EARLY[:3], trained(100, seed=3, per_level=(90, 9, 1, 0, 0, 0))]
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
        ([trained(0, per_level=(0, 0, 0, 0, 0, 0))], "not reached"),
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
    found = judged(comparison.claim_of("DNC"), results(DNC=[run]))
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


def cut(ticks: int) -> dict[str, object]:
    """Only the first ticks of the trace."""
    return {name: listed(TRACE, name)[:ticks] for name in ("read", "op", "met", "winner")}


def changed(name: str, **places: int) -> dict[str, object]:
    """A column of the trace with other values at some places, named `at3` and so on."""
    column = listed(TRACE, name)[:]
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
        (cut(11), "not reached"),
        (cut(12), "not reached"),
        ({"read": [0] * 11 + [11, 2, 0]}, "not reached"),
    ],
)
def test_attention(changes: dict[str, object], verdict: str) -> None:
    found = judged(claim("attention", examples.BEHAVIOUR), results(plan=[traced(**changes)]))
    assert found.verdict == verdict, found.ours


@pytest.mark.parametrize(("faults", "verdict"), [([], "reached"), (["ALU"], "not reached")])
def test_the_workflow_must_follow_the_rules(faults: list[str], verdict: str) -> None:
    record: Record = {"title": "world, up", "faults": faults}
    run = Finished(job("workflow", {}), record, 1.0, Path())
    found = judged(claim("workflow", examples.WORKFLOW), results(**{examples.MODULES: [run]}))
    assert found.verdict == verdict and all(fault in found.ours for fault in faults)


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
        (cut(11), "not reached"),
    ],
)
def test_phases(changes: dict[str, object], verdict: str) -> None:
    found = judged(claim("phases", examples.BEHAVIOUR), results(plan=[traced(**changes)]))
    assert found.verdict == verdict, found.ours


@pytest.mark.parametrize(
    ("run", "until", "learning_verdict", "levels_verdict"),
    [
        (trained(2_000, per_level=(1_500, 437, 63, 0)), 2_563, "reached", "reached"),
        (trained(600, per_level=(500, 100, 0, 0)), 2_562, "exceeded", "exceeded"),
        (trained(2_564, per_level=(2_000, 500, 63, 1)), 2_564, "not reached", "not reached"),
        (trained(600, per_level=(500, 100), mastered=False), 2_562, "not reached", "not reached"),
    ],
)
def test_the_single_plan_run(
    run: Finished, until: int, learning_verdict: str, levels_verdict: str, tmp_path: Path
) -> None:
    usual = {"level": 1, "fitness": 1.0, "restarted": False, "solved": False}
    lines = [json.dumps(usual | {"iteration": at, "learned": at == until}) for at in range(1, until + 9)]
    (tmp_path / "config.toml").touch()
    (tmp_path / "meta.json").write_text(json.dumps({"run_schema": SCHEMA}))
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + "\n")
    other = trained(1, seed=1, per_level=(1, 0, 0, 0))
    made = results(plan=[other, run._replace(folder=tmp_path)])
    found = [judged(claim(name, learning.SINGLE), made).verdict for name in ("plan-learning", "plan-levels")]
    assert found == [learning_verdict, levels_verdict]


def test_the_sizes_are_those_of_the_configuration() -> None:
    runs = {task: [run_of(task)] for task in ("search", "plan")}
    found = judged(claim("sizes", learning.SINGLE), results(**runs))
    assert found.ours.startswith("1,512 weights for Search, 1,592 weights for Plan; ")
    assert found.ours.endswith("Plan takes 15 steps at Level 3, 88 steps at Level 21")
    assert found.verdict == "not reached", "the paper prints 89"


def run_of(task: str) -> Finished:
    values = run_config(task, overrides={"seed": 0}).model_dump(mode="json")
    return trained(1)._replace(job=job("train", values))


def long(ticks: int, solved: bool = True) -> Finished:
    made = job("long", {"goal": ticks, "modules": "exact"})
    return Finished(made, {"ticks": ticks, "solved": solved}, 1.0, Path("nowhere"))


@pytest.mark.parametrize(
    ("network", "program", "verdict"),
    [
        ([long(15), long(330_631)], [long(9)], "reached"),
        ([long(15), long(330_631)], [long(1_000_000)], "reached"),  # a program is no network
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
    assert judged(data_modules.crucial_claim("sliding-3x3"), made).verdict == verdict


def test_neither_variant_of_the_data_modules_learns_from_counterexamples() -> None:
    for settings in (Settings(), Settings(quick=True)):
        jobs = [one.values for variant in data_modules.variants(settings) for one in variant.jobs]
        assert {one["memory_share"] for one in jobs} == {0.0, 0.5}
        assert {one["pool_share"] for one in jobs} == {0.0}

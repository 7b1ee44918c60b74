"""The committed reproduction: its records are whole, and its texts say what the records say."""

import csv
import json
import statistics
from collections.abc import Mapping
from pathlib import Path

import pytest

from nhc.errors import NhcError
from nhc.experiments.description import Results, Settings, judged
from nhc.experiments.descriptions import all_descriptions
from nhc.experiments.descriptions.beyond import CHANGES
from nhc.experiments.descriptions.training import NO_RESTARTS
from nhc.experiments.figures import LEARNED_TICKS
from nhc.experiments.job import job, key_of
from nhc.experiments.kinds import ticks_of, training_values
from nhc.experiments.plan import Figure, finished_run, results_of
from nhc.experiments.report import NO_NUMBER, markdown
from nhc.experiments.reproduce import current, kept_settings

FOLDER = Path(__file__).parents[1] / "docs" / "reproduction"
COMMITTED = [json.loads(line) for line in (FOLDER / "records.jsonl").read_text().splitlines()]


RECORDS = [current(record) for record in COMMITTED]
LINES = (FOLDER / "README.md").read_text().splitlines()
TEXT = " ".join(" ".join(LINES).split())


def learned(task: str, runs: int = 15, **changes: object) -> list[Mapping[str, object]]:
    """Results of the first runs whose configuration is the default's but for `changes` and the seed."""
    wanted = training_values(task, changes)
    found = {
        record["config"]["seed"]: record["result"]
        for record in RECORDS
        if record["kind"] == "train" and record["config"] | {"seed": 0} == wanted | {"seed": 0}
    }
    return [found[seed] for seed in range(runs)]


def without_restarts(task: str, runs: int = 15, **changes: object) -> list[Mapping[str, object]]:
    return learned(task, runs, **NO_RESTARTS, **changes)


def mastered(runs: list[Mapping[str, object]]) -> tuple[int, float]:
    """How many runs mastered all levels, and the median of their learning iterations."""
    able = [run["learning_iterations"] for run in runs if run["mastered"]]
    return len(able), statistics.median(able) if able else 0


def last_learned(run: Mapping[str, object]) -> int:
    return max(level for level, count in enumerate(run["learned_per_level"], start=1) if count)


def test_every_record_is_that_of_its_configuration() -> None:
    for record in COMMITTED:
        assert record["key"] == key_of(job(record["kind"], record["config"]), record["code"])
        assert set(record["environment"]) & {"argv", "hostname"} == set()
    assert len({record["key"] for record in COMMITTED}) == len(COMMITTED)


def test_the_planner_of_the_zoo_learned_on_tasks_of_so_many_ticks() -> None:
    (run,) = learned("plan", 1)
    assert ticks_of(training_values("plan"), last_learned(run)) == LEARNED_TICKS
    assert (
        f"for {run['learned_per_level'][5]} of its {run['learning_iterations']} learning iterations" in TEXT
    )


def test_the_text_says_what_the_ablations_gave() -> None:
    assert mastered(without_restarts("search")) == (15, 438)
    assert without_restarts("search") == learned("search")
    assert "without restarts 15 of 15 Search runs master all 22 levels" in TEXT
    soft = without_restarts("search", machine={"attention": "soft"})
    assert mastered(soft) == (9, 2702)
    assert (
        "9 of 15 runs master all levels, after a median of 2,702 learning iterations instead of 438" in TEXT
    )
    late = [last_learned(run) for run in soft if run["mastered"]]
    assert f"each of the 9 was still learning on Level {min(late)} or above, up to Level {max(late)}" in TEXT
    free = {"constrained_head": False}
    assert mastered(without_restarts("search", machine=free | {"free_heads": 2})) == (7, 1227)
    one = without_restarts("search", machine=free)
    assert mastered(one)[0] == 0 and f"the best ends at Level {max(run['level'] for run in one)}" in TEXT
    assert "7 of 15 runs master all levels (median 1,227); with one, none does" in TEXT
    assert mastered(without_restarts("search", machine={"usage_link": False})) == (15, 414)
    plan = without_restarts("plan", machine={"usage_link": False})
    assert sorted(run["level"] for run in plan) == [2] + [6] * 14
    assert "14 end on Level 6, the first with goals at depth 3, one on Level 2" in TEXT
    novelty = without_restarts("search", novelty={"enabled": True})
    assert mastered(novelty)[0] == 14 and "with novelty 14 of 15" in TEXT
    assert [run["level"] for run in novelty if not run["mastered"]] == [1]
    forgetful = without_restarts("search", 50, bad_memories={"enabled": False})
    assert (mastered(forgetful), mastered(without_restarts("search", 50))) == ((50, 456.0), (50, 461.5))
    assert "median of 456 learning iterations, and 50 of 50 with them, after 462" in TEXT


PROOFS = {
    task: {
        row["variant"]: row["proved"]
        for row in csv.DictReader((FOLDER / f"tables/options-{task}-proofs.csv").read_text().splitlines())
    }
    for task in ("search", "plan")
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_table_of_options_says_what_they_gave(name: str) -> None:
    (line,) = [line for line in LINES if line.replace("`", "").lower().startswith(f"| {name}")]
    for task, cell in zip(("search", "plan"), line.split("|")[2:4], strict=True):
        count, median = mastered(learned(task, 3, **CHANGES[name]))
        assert count == 3 and cell.strip().startswith(f"{median:,.0f}, ")
        proved = PROOFS[task][name]
        assert (f", {proved} of 3" in cell) == (proved != "0")


def test_the_text_says_where_learning_ended() -> None:
    ends = {task: sorted(map(last_learned, learned(task))) for task in ("search", "plan")}
    assert {name: (found[0], found[-1], len(found)) for name, found in ends.items()} == {
        "search": (4, 5, 15),
        "plan": (3, 6, 15),
    }
    assert "learning ends on Level 4 or 5 for Search, and on Levels 3 to 6 for Plan" in TEXT


SETTINGS = kept_settings(FOLDER / "figures.json")
REPORT = (FOLDER / "report.md").read_text().splitlines()
RUNS = {job(record["kind"], record["config"]): record for record in RECORDS}
NEED_FOLDERS = {"plan-learning", "certified"}
"""Claims that also need the logs or the models of the runs, which are not kept here."""


def of_records(name: str) -> Results:
    """What the committed records give of a figure."""
    figure = Figure.of(all_descriptions()[name], SETTINGS[name])
    finished = {one: finished_run(one, record, FOLDER / "nowhere") for one, record in RUNS.items()}
    return results_of(figure, finished)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_records_give_the_claims_and_tables_of_the_report(name: str) -> None:
    description, results = all_descriptions()[name], of_records(name)
    assert {label: len(runs) for label, runs in results.finished.items()} == results.wanted
    for claim in description.claims:
        if claim.name not in NEED_FOLDERS:
            found = judged(claim, results)
            cells = (name, claim.statement, claim.paper or NO_NUMBER, found.ours, found.verdict)
            assert f"| {' | '.join(cells)} |" in REPORT
    if name.startswith("options"):
        with pytest.raises(NhcError):
            description.tables(results)  # among them the proofs of the models
        return
    for table in description.tables(results):
        path = FOLDER / "tables" / f"{table.name}.md"
        assert path.read_text() == f"# {table.title}\n\n{markdown(table)}"


def test_the_report_is_of_every_figure() -> None:
    assert SETTINGS.keys() == all_descriptions().keys()
    assert Settings() in SETTINGS.values()

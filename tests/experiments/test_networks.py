"""The comparison networks: jobs, a trial that is kept, the machine on the same inputs, and the report."""

import json
from pathlib import Path

import pytest

from nhc.baselines.longer import Score
from nhc.errors import ConfigError
from nhc.experiments import networks
from nhc.experiments.networks import (
    NetworkJob,
    Trial,
    kept_trial,
    machine_scores,
    network_config,
    network_jobs,
    right_symbols,
    run_network,
    usual_verdict,
)
from nhc.experiments.networks_report import RECORDS, REPORT, percent, spread, write_comparison
from tests.cli.command import Command


def test_both_networks_are_trained_on_the_lengths_of_the_algorithm(tmp_path: Path) -> None:
    jobs = network_jobs(["brackets", "copy"], [3, 5], tmp_path, 130)
    assert [job.path.name for job in jobs] == [
        f"{task}-{model}-seed{seed}"
        for task in ("copy", "brackets")
        for model in ("dnc", "stack-rnn")
        for seed in (3, 5)
    ]
    assert {(job.config.task, job.config.sequence.length) for job in jobs} == {("copy", 10), ("brackets", 8)}
    assert {(job.config.iterations, job.config.round, job.config.runs) for job in jobs} == {(130, 10, 1)}
    assert jobs[1].name == "copy, DNC, seed 5"
    with pytest.raises(ConfigError, match=r"copy, reverse, brackets.*sort.*suite\.networks"):
        network_jobs(["copy", "sort"], [0], tmp_path)


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> NetworkJob:
    """A tiny network."""
    config = network_config("brackets", "stack-rnn", 2, updates=4)
    small = config.model_copy(update={"hidden": 6, "word": 2, "batch": 3, "round": 2})
    return NetworkJob(small, tmp_path_factory.mktemp("networks") / "run", (2, 20), 5)


def test_a_trial_is_kept_and_made_anew_only_for_other_tests(
    job: NetworkJob, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept_trial(job) is None
    made = run_network(job)
    assert (made.task, made.learner, made.seed, made.updates) == ("brackets", "stack-rnn", 2, 4)
    assert [(score.length, score.inputs) for score in made.scores] == [(2, 5), (20, 5)]
    assert made.name == "brackets, stack RNN, seed 2" and made.seconds > 0
    assert kept_trial(job) == made
    calls = list[str]()
    run_in_directory, scores = networks.run_in_directory, networks.scores

    def trained(*given: object, **named: object) -> object:
        calls.append("trained")
        return run_in_directory(*given, **named)

    def tested(*given: object) -> object:
        calls.append("tested")
        return scores(*given)

    monkeypatch.setattr(networks, "run_in_directory", trained)
    monkeypatch.setattr(networks, "scores", tested)
    assert run_network(job) == made and calls == []
    other = run_network(job._replace(lengths=(20,)))
    assert calls == ["trained", "tested"] and other.scores == made.scores[1:]
    assert (other.seconds, other.trained) == (made.seconds, made.trained)  # it was not trained again
    with pytest.raises(ConfigError, match=r"run\.config"):
        run_network(job._replace(config=job.config.model_copy(update={"learning_rate": 1.0})))
    (job.path / networks.RESULT).write_text("{")
    with pytest.raises(ConfigError, match=r"run\.damaged"):
        kept_trial(job)


@pytest.mark.parametrize("name", networks.NAMES)
def test_the_machine_is_right_on_the_inputs_of_the_networks(name: networks.SequenceName) -> None:
    assert machine_scores(name, (4, 40), 6) == [Score(4, 6, 100, 100), Score(40, 6, 100, 100)]


@pytest.mark.parametrize(
    ("result", "wanted", "share"),
    [
        ((4, 5, 6), (4, 5, 6), 1),
        ((4, 6, 5), (4, 5, 6), 1 / 3),
        ((4, 5), (4, 5, 6), 2 / 3),
        ((4, 5, 6, 7), (4, 5, 6), 0),
        (None, (4,), 0),
        (None, (0,), 0),
        (True, (1,), 1),
        (False, (1,), 0),
        (False, (0,), 1),
    ],
)
def test_symbols_count_in_their_places(result: object, wanted: tuple[int, ...], share: float) -> None:
    assert right_symbols(result, wanted) == pytest.approx(share)


def test_who_always_says_the_same_is_right_about_more_than_half() -> None:
    assert usual_verdict((5,), 10) == [100.0]  # of odd length is never right
    [share] = usual_verdict((20,), 100)
    assert 50 <= share <= 75


def test_percentages_are_rounded_down() -> None:
    assert [percent(value) for value in (99.99, 100, 97.25, 0, 28.999999999)] == [
        *("99.9", "100", "97.2", "0", "29"),
    ]
    assert spread([100, 90, 98]) == "96 (90 to 100)" and spread([5.04, 5.0]) == "5"


def test_the_report_has_all_learners_and_the_records_everything(tmp_path: Path) -> None:
    def trial(model: str, seed: int, right: float) -> Trial:
        own = (Score(4, 50, 100, 100), Score(12, 50, right, right + 1))
        return Trial("copy", model, seed, 70, 2.0 * seed, 99.5, own)

    trials = [
        trial(model, seed, right) for model, right in (("dnc", 30), ("stack-rnn", 8)) for seed in (1, 2)
    ]
    trials[1] = trial("dnc", 2, 40)
    made = write_comparison(trials, (4, 12), 50, tmp_path)
    lines = (tmp_path / REPORT).read_text().splitlines()
    assert "| task | learner | of | 4 | 12 |" in lines
    assert "| copy | DNC | 1 to 10 | 70 | 99.5 | 3 |" in lines
    start = lines.index("| --- | --- | --- | ---: | ---: |") + 1
    assert lines[start:] == [
        "| copy | `zoo:copy`, proved | whole answers | 100 | 100 |",
        "| copy | `zoo:copy`, proved | symbols | 100 | 100 |",
        "| copy | DNC | whole answers | 100 | 35 (30 to 40) |",
        "| copy | DNC | symbols | 100 | 36 (31 to 41) |",
        "| copy | stack RNN | whole answers | 100 | 8 |",
        "| copy | stack RNN | symbols | 100 | 9 |",
    ]
    text = " ".join(lines)
    assert "22,531 weights" in text and "What they learn from differs" in text
    records = [json.loads(line) for line in (tmp_path / RECORDS).read_text().splitlines()]
    assert records == json.loads(json.dumps(made.records())) and len(records) == 5
    assert records[1]["scores"][1] == {"length": 12, "inputs": 50, "answers": 40, "symbols": 41}
    assert records[-1]["learner"] == "zoo:copy"


def test_the_command_refuses_what_networks_are_not_compared_on(capsys: pytest.CaptureFixture[str]) -> None:
    done = Command(capsys)("suite", "sort", "--networks")
    assert (done.code, done.error_code) == (2, "suite.networks")

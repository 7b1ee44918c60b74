"""`nhc eval` with machines that take inputs."""

from dataclasses import replace
from pathlib import Path

import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.model import load_model, save_model
from tests.cli.command import Command

KEYS = ("length", "inputs", "failures", "ticks", "longest_run", "first_failure", "failure_rate_bound")


def test_the_table_and_the_claim(nhc: Command) -> None:
    done = nhc("eval", "zoo:copy", "--lengths", "1..3,2000", "--n", 4, "--jobs", 1, "--quiet")
    assert (done.code, done.err) == (0, "")
    rows = [line.split()[:3] for line in done.out.splitlines()[3:7]]
    assert rows == [["1", "4", "0"], ["2", "4", "0"], ["3", "4", "0"], ["2,000", "4", "0"]]
    last = done.out.splitlines()[-1]
    assert last.startswith("Lengths 1..3, 2,000, sampled: 0 of 16 failed, failure rate <= 18 %")


def test_lengths_that_take_too_many_ticks_are_told(nhc: Command) -> None:
    options = ("--lengths", "1..12", "--n", 2, "--jobs", 1, "--max-ticks", 100, "--json", "--quiet")
    done = nhc("eval", "zoo:sort", *options)
    assert done.code == 0
    assert [line["length"] for line in done.data] == [*range(1, 8)], "8 symbols take 108 ticks"
    assert done.err == "at most 100 ticks a run: 5 longer lengths left out\n"


def test_a_wrong_machine_ends_with_one_and_its_first_failure(nhc: Command, tmp_path: Path) -> None:
    """Two processes find what one does."""
    wrong = tmp_path / "wrong"
    save_model(wrong, replace(load_model("zoo:copy"), algorithm=ALGORITHMS["every-second"]))
    options = ("eval", wrong, "--lengths", "1..4", "--n", 250, "--seed", 3, "--json", "--quiet")
    one, two = (nhc(*options, "--jobs", jobs) for jobs in (1, 2))
    assert one.code == two.code == 1 and one.err == two.err
    lines = [[{key: line[key] for key in KEYS} for line in done.data] for done in (one, two)]
    assert lines[0] == lines[1] and [line["failures"] for line in lines[0]] == [0, 250, 250, 250]
    told = one.err.splitlines()
    assert told[0] == "The first failure: length 2, input 0, 5 ticks"
    values = {line.split()[0]: line.split()[1:] for line in told[1:]}
    assert values["found"] == values["input"] and values["expected"] == values["input"][:1]


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("zoo:copy", "--levels", "1..3"), "eval.range"),
        (("zoo:copy", "--domain", "stacking"), "eval.range"),
        (("zoo:copy", "--all"), "eval.range"),
        (("zoo:copy", "--lengths", "0..3"), "eval.range"),
        (("zoo:copy", "--lengths", "1000001"), "eval.range"),
        (("zoo:copy", "--lengths", "3..1"), "cli.numbers"),
        (("zoo:copy", "--n", "0"), "eval.range"),
        (("zoo:copy", "--jobs", "0"), "config.value"),
        (("zoo:copy", "--max-ticks", "0"), "program.ticks"),
        (("zoo:copy", "--max-memory", "0"), "program.memory"),
        (("zoo:hanoi", "--max-ticks", "2"), "eval.range"),
        (("zoo:plan", "--lengths", "3"), "eval.range"),
        (("zoo:graph-plan", "--engine", "network"), "eval.range"),
    ],
)
def test_options_that_mean_nothing_are_refused(nhc: Command, options: tuple[str, ...], code: str) -> None:
    done = nhc("eval", *options)
    assert (done.code, done.error_code, done.out) == (2, code, "")

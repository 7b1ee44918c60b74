"""Options that cannot be used, with their codes, and that nothing is begun because of them."""

import errno
import os
from pathlib import Path

import pytest

from tests.cli.command import Command


def assert_refused(nhc: Command, code: str, *arguments: object) -> str:
    """The command ends with 2 and the code, prints no data and makes no file; returns its message."""
    before = sorted(Path.cwd().rglob("*"))
    done = nhc(*arguments)
    assert (done.code, done.out, done.error_code) == (2, "", code), done.err
    assert sorted(Path.cwd().rglob("*")) == before
    return done.err


FILES = {
    "nan": ("[es]\nsigma = nan\n", "config.value", "es.sigma"),
    "infinite": ("[es]\nlearning_rate = inf\n", "config.value", "es.learning_rate"),
    "a truth as a number": ("budget = true\n", "config.value", "budget"),
    "a text as a number": ('budget = "20"\n', "config.value", "budget"),
    "out of range": ("budget = 0\n", "config.value", "budget"),
    "unknown key": ("sygma = 1\n", "config.key", "sygma"),
    "unknown key inside": ("[es]\nsygma = 1\n", "config.key", "es.sygma"),
    "unknown table": ("[evolution]\nsigma = 1\n", "config.key", "evolution"),
    "a table as a number": ("es = 1\n", "config.value", "es"),
    "no TOML": ("seed = \n", "config.toml", ":1:8"),
    "twice": ("seed = 1\nseed = 2\n", "config.toml", ":2:"),
    "another task": ('task = "search"\n', "config.value", "signals"),
}


@pytest.mark.parametrize("name", FILES)
def test_configuration_files(nhc: Command, tmp_path: Path, name: str) -> None:
    text, code, named = FILES[name]
    path = tmp_path / "some.toml"
    path.write_text(text)
    message = assert_refused(nhc, code, "train", "plan", "--config", path)
    assert message.startswith(f"error: {path}") and named in message
    assert path.read_text() == text


def test_a_configuration_file_that_is_missing_or_no_text(nhc: Command, tmp_path: Path) -> None:
    assert_refused(nhc, "config.missing", "train", "plan", "--config", "none.toml")
    (tmp_path / "some.toml").write_bytes(b"seed = 1\n# \xff\n")
    assert ":2:3" in assert_refused(nhc, "config.toml", "train", "plan", "--config", "some.toml")


@pytest.mark.parametrize(
    "options",
    [
        ("--es.sigma", "nan"),
        ("--es.sigma", "inf"),
        ("--es.sigma", "-1"),
        ("--es.sigma", "much"),
        ("--es.sygma", "1"),
        ("--sigma", "1"),
        ("--seed", "1.5"),
        ("--preset", "best"),
        ("--fitness", "best"),
        ("--curriculum.levels", "0"),
        ("--machine.words", "letters"),
        ("--machine.signals", "0"),
        ("--budget",),
        ("more",),
    ],
)
def test_options_of_training_that_the_parser_refuses(nhc: Command, options: tuple[str, ...]) -> None:
    message = assert_refused(nhc, "cli.options", "train", "plan", *options)
    assert options[0].removeprefix("--").partition(".")[0] in message
    assert "pydantic" not in message and "https:" not in message


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--seed", "-1"), "config.value"),
        (("--seed", "4294967296"), "config.value"),
        (("--budget", "0"), "config.value"),
        (("--batch", "0"), "config.value"),
        (("--machine.signals", "2"), "config.value"),
        (("--machine.ops", "4"), "config.value"),
        (("--domain", "stacking", "--sampling", "exact"), "config.value"),
        (("--fitness", "outcome", "--domain", "sokoban-6x6"), "config.value"),
        (("--domain", "chess"), "domain.unknown"),
        (("--domain", "sokoban"), "domain.unknown"),
        (("--domain", "sokoban-2x6"), "board.size"),
        (("--domain", "sokoban-3x3"), "board.size"),
        (("--domain", "sokoban-9x9"), "board.size"),
        (("--seeds", "x"), "cli.numbers"),
        (("--seeds", "3..1"), "cli.numbers"),
        (("--seeds", "1,"), "cli.numbers"),
        (("--seeds", ""), "cli.numbers"),
        (("--seeds", "0..1", "--domain", "chess"), "domain.unknown"),
        (("--seeds", "4294967296"), "config.value"),
        (("--seeds", "0,0"), "cli.numbers"),
        (("--seeds", "0..999999999"), "cli.numbers"),
        (("--seeds", "0..9999999999999999999"), "cli.numbers"),
        (("--resume", "none"), "run.missing"),
        (("--resume", "latest"), "run.missing"),
    ],
)
def test_options_of_training_that_do_not_fit(nhc: Command, options: tuple[str, ...], code: str) -> None:
    short = () if "--budget" in options else ("--budget", "1")
    assert_refused(nhc, code, "train", "plan", *short, *options)


def test_a_negative_number_of_jobs_is_refused(nhc: Command) -> None:
    assert nhc("train", "plan", "--seeds", "0", "--jobs", "-1", "--domain", "free-tree").code == 2


@pytest.mark.parametrize("arguments", [(), ("shuffle",), ("plan", "search")])
def test_training_needs_one_task(nhc: Command, arguments: tuple[str, ...]) -> None:
    assert_refused(nhc, "cli.options", "train", *arguments)


OTHER_SAMPLES = ["level=0", "level=-1", "level=", "level", "node=0", "node=x", "3", "", "level=3 ", "level=³"]


@pytest.mark.parametrize("sample", OTHER_SAMPLES)
def test_samples_have_two_forms(nhc: Command, sample: str) -> None:
    assert repr(sample) in assert_refused(nhc, "solve.sample", "solve", "zoo:plan", "--sample", sample)


def test_solving_needs_a_file_or_a_sample(nhc: Command, tmp_path: Path) -> None:
    (tmp_path / "level.xsb").write_text("######\n#@$ .#\n######\n")
    assert_refused(nhc, "solve.task", "solve", "zoo:plan")
    assert_refused(nhc, "solve.task", "solve", "zoo:plan", "level.xsb", "--sample", "level=1")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--sample", "level=3", "--domain", "chess"), "domain.unknown"),
        (("--sample", "level=3", "--domain", "sokoban-2x2"), "board.size"),
        (("--sample", "level=3", "--domain", "sokoban-9x9"), "board.size"),
        (("--sample", "node=29", "--max-worlds", "2000"), "task.node"),
        (("--sample", "level=121"), "task.level"),
        (("--sample", "level=3", "--max-ticks", "0"), "solve.budget"),
        (("--sample", "level=3", "--max-ticks", "-5"), "solve.budget"),
        (("--sample", "level=3", "--max-memory", "10"), "solve.budget"),
        (("--sample", "level=3", "--legend", "mine"), "cli.options"),
    ],
)
def test_options_of_solving_that_do_not_fit(nhc: Command, options: tuple[str, ...], code: str) -> None:
    assert_refused(nhc, code, "solve", "zoo:plan", *options)


@pytest.mark.parametrize(
    "command", [("solve", "zoo:plan", "--sample", "level=3"), ("eval", "zoo:plan"), ("demo",)]
)
def test_a_seed_is_not_negative(nhc: Command, command: tuple[str, ...]) -> None:
    done = nhc(*command, "--seed", "-1")
    assert (done.code, done.error_code is not None) == (2, True)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--domain", "chess"), "domain.unknown"),
        (("--levels", "5..3"), "cli.numbers"),
        (("--levels", ""), "cli.numbers"),
        (("--levels", "0"), "eval.range"),
        (("--levels", "1,201"), "eval.range"),
        (("--levels", "1", "--n", "0"), "eval.range"),
        (("--levels", "1", "--n", "-3"), "eval.range"),
        (("--levels", "121"), "task.level"),
        (("--n", "x"), "cli.options"),
    ],
)
def test_options_of_evaluation_that_do_not_fit(nhc: Command, options: tuple[str, ...], code: str) -> None:
    assert_refused(nhc, code, "eval", "zoo:plan", "--quiet", *options)


def test_a_full_disk_when_a_task_is_saved(
    nhc: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What stood there is untouched and nothing else is left."""

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "task.txt"
    path.write_text("old")
    monkeypatch.setattr(os, "fsync", full)
    done = nhc("solve", "zoo:plan", "--sample", "level=3", "--save", path)
    assert (done.code, done.out, done.error_code) == (1, "", "storage.write")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["task.txt"]


def test_a_folder_that_is_none(nhc: Command) -> None:
    done = nhc("solve", "zoo:plan", "--sample", "level=3", "--save", "no/task.txt")
    assert (done.code, done.error_code) == (1, "storage.write")


def test_benchmarks_have_names(nhc: Command) -> None:
    assert_refused(nhc, "cli.options", "bench", "walk")
    assert_refused(nhc, "cli.options", "bench")

"""Worker processes: they die, fail, are stopped, and end with the process that began them."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from nhc.errors import WorkError
from nhc.runs import pool
from nhc.runs.pool import Outcome, outcomes
from tests.runs.pool_work import die, once, square
from tests.training.processes import ROOT


def test_items_are_handed_over_when_a_worker_is_free() -> None:
    begun: list[int] = []
    flags = os.environ.get("XLA_FLAGS")
    found = {each.number: each for each in outcomes(square, range(5), 2, started=begun.append)}
    assert [found[number].result[0] for number in range(5)] == [0, 1, 4, 9, 16]
    assert begun == list(range(5)) and {found[number].result[2] for number in range(5)} == {1}
    processes = {each.result[1] for each in found.values()}
    assert 1 <= len(processes) <= 2 and os.getpid() not in processes
    assert os.environ.get("XLA_FLAGS") == flags and not list(outcomes(square, [], 2))


def test_an_error_is_an_outcome_and_the_others_go_on() -> None:
    found = {each.number: each for each in outcomes(square, [2, -1, 3], 1)}
    assert isinstance(found[1].error, ValueError) and found[1].result is None
    assert [found[number].result[0] for number in (0, 2)] == [4, 9]


def test_results_come_in_the_order_of_the_items(monkeypatch: pytest.MonkeyPatch) -> None:
    given = list[int]()

    def early(function: object, items: list[str], workers: int) -> Iterator[Outcome[str, int]]:
        for number in (1, 3, 0, 2, 5, 4):
            given.append(number)
            yield Outcome(number, "item", 10 * number, ValueError("four") if number == 4 else None)

    monkeypatch.setattr(pool, "outcomes", early)
    results = pool.in_order(len, ["item"] * 6, 2)
    assert (next(results), given) == (0, [1, 3, 0])
    assert (next(results), next(results), next(results), given) == (10, 20, 30, [1, 3, 0, 2])
    with pytest.raises(ValueError, match="four"):
        next(results)


def test_the_item_of_a_dead_worker_begins_again(tmp_path: Path) -> None:
    lost: list[str] = []

    def again(folder: str) -> str:
        lost.append(folder)
        return folder

    (done,) = outcomes(once, [str(tmp_path)], 1, lost=again)
    assert (done.result, lost) == ("attempt 2", [str(tmp_path)])


def test_an_item_that_takes_every_worker_with_it_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nhc.runs.pool.RETRIES", 1)
    found = {each.number: each for each in outcomes(die, [0, 1], 1)}
    assert isinstance(found[0].error, WorkError) and found[0].error.code == "run.worker"
    assert "lost 2 times" in found[0].error.message and found[1].result == 1


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_workers_keep_what_they_have_and_end_with_their_parent(tmp_path: Path, sign: signal.Signals) -> None:
    """Ctrl-C reaches the group, SIGKILL the parent only."""
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder in folders:
        folder.mkdir()
    parent = subprocess.Popen(
        [sys.executable, "-m", "tests.runs.pool_work", *map(str, folders)],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.PIPE,
    )
    wait_for(lambda: len(list(tmp_path.glob("*/begun-*"))) == 2)
    (os.killpg if sign == signal.SIGINT else os.kill)(parent.pid, sign)
    _, err = parent.communicate(timeout=30)
    wait_for(lambda: len(list(tmp_path.glob("*/kept-*"))) == 2)
    workers = [int(path.name.split("-")[1]) for path in tmp_path.glob("*/begun-*")]
    wait_for(lambda: not any(map(is_alive, workers)))
    assert err.count(b"Traceback") == (sign == signal.SIGINT), err  # that of the parent itself


def wait_for(condition: object) -> None:
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def is_alive(process: int) -> bool:
    status = Path(f"/proc/{process}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"

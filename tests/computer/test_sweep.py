"""Machines on random inputs of many lengths: what is wrong is found, and nothing else."""

from dataclasses import replace
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.brackets import Brackets
from nhc.algorithms.sequence.family import SEQUENCES
from nhc.algorithms.sequence.hanoi import Hanoi
from nhc.algorithms.sequence.sort import Sort
from nhc.computer import sweep
from nhc.computer.sweep import LengthResult, Sweep, by_length, lengths_that_fit, merged, portions, swept
from nhc.errors import ConfigError
from nhc.model import load_model, save_model

PLENTY = 1_000_000


def results(model: str | Path, lengths: list[int], inputs: int = 5, **others: object) -> list[LengthResult]:
    asked = Sweep(str(model), "program", 7, PLENTY)._replace(**others)  # type: ignore[arg-type]
    return by_length([*swept(asked, portions(lengths, inputs), 1)])


def in_disguise(path: Path, name: str, other: str) -> Path:
    """A machine that does another thing than its file says; signals and operations are the same."""
    save_model(path, replace(load_model(f"zoo:{other}"), algorithm=ALGORITHMS[name]))
    return path


def test_right_machines_fail_nowhere_and_both_engines_take_the_same_ticks() -> None:
    lengths = [1, 2, 7, 20]
    by_table, by_network = (results("zoo:duplicate", lengths, engine=e) for e in ("program", "network"))
    assert [each.length for each in by_table] == lengths
    for one, other in zip(by_table, by_network, strict=True):
        assert one._replace(seconds=0) == other._replace(seconds=0)
        assert (one.inputs, one.failures, one.longest_run) == (5, 0, 3 * one.length + 1)
        assert one.ticks == 5 * one.longest_run and one.first_failure is None


def test_a_wrong_answer_is_found_with_its_smallest_input(tmp_path: Path) -> None:
    """Copying is reversing where there is one word; of two words, where they are equal."""
    found = results(in_disguise(tmp_path / "copies", "reverse", "copy"), [1, 2, 3], inputs=30)
    draws = [sweep.drawn(sweep.machine_of("zoo:reverse", "program").algorithm, 7, 2, n) for n in range(30)]
    unequal = [n for n, (a, b) in enumerate(draws) if a != b]  # type: ignore[misc]
    assert 0 < len(unequal) < 30, "inputs of both kinds are drawn"
    assert found[0].failures == 0 and found[1].failures == len(unequal)
    wrong = merged(found).first_failure
    assert wrong is not None and wrong.number == unequal[0]
    assert wrong.input == wrong.found == " ".join(map(str, draws[unequal[0]]))  # type: ignore[arg-type]
    assert wrong.expected == " ".join(wrong.input.split()[::-1])
    assert found[1].bound > len(unequal) / 30


def test_an_input_that_cannot_be_written_is_shown_by_its_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brackets of more types than there are signs; with weights of 0 a machine does nothing for ever."""
    right = load_model("zoo:brackets")
    idle = replace(right, parameters=jax.tree.map(jnp.zeros_like, right.parameters))
    save_model(tmp_path / "idle", idle)
    monkeypatch.setattr(Brackets, "random", lambda self, size, rng: tuple(range(1, size + 1)))
    wrong = merged(results(tmp_path / "idle", [14, 15], inputs=1, most_ticks=99)).first_failure
    assert wrong is not None and wrong.input == "([{<«‹⟨⟦⟪「『【〈《"
    wrong = merged(results(tmp_path / "idle", [15], inputs=1, most_ticks=99)).first_failure
    assert wrong is not None and wrong.input == str(tuple(range(1, 16)))


def test_a_run_without_an_end_is_wrong(tmp_path: Path) -> None:
    found = results(in_disguise(tmp_path / "counts", "copy", "hanoi"), [30], inputs=2)[0]
    assert found.failures == 2 and found.first_failure is not None
    assert found.first_failure.found == f"no end after {sweep.PLENTY * 31:,} ticks"


def test_the_budget_of_a_run_ends_it() -> None:
    assert [each.failures for each in results("zoo:copy", [1, 10], most_ticks=20)] == [0, 5]


def test_who_takes_many_ticks_is_measured_by_the_teacher(monkeypatch: pytest.MonkeyPatch) -> None:
    """An algorithm that does not say how many ticks it takes, and takes more than were thought plenty."""
    monkeypatch.setattr(sweep, "PLENTY", 1)
    monkeypatch.setattr(Sort, "ticks", SequenceAlgorithm.ticks)
    sweep.machine_of.cache_clear()
    found = results("zoo:sort", [12], inputs=2)[0]
    assert (found.failures, found.longest_run) == (0, 12 * 12 + 5 * 12 + 4)


@pytest.mark.parametrize("algorithm", SEQUENCES, ids=lambda each: each.name)
def test_ticks_are_the_teachers(algorithm: SequenceAlgorithm[object]) -> None:
    rng = np.random.default_rng(0)
    for size in range(1, 13):
        for _ in range(5):
            needed, said = len(algorithm.teacher(algorithm.random(size, rng))), algorithm.ticks(size)
            assert needed == said if said is not None else needed <= sweep.PLENTY * (size + 1)


def test_the_longest_length_that_fits_stands_for_longer_ones() -> None:
    assert lengths_that_fit(Sort(), [5, 10**6, 3, 10**4], 1_000_000) == ([3, 5, 997], 2)  # type: ignore[arg-type]
    assert lengths_that_fit(Sort(), [5, 6], Sort().ticks(6)) == ([5, 6], 0)  # type: ignore[arg-type]
    assert lengths_that_fit(Hanoi(), [*range(1, 301)], 600)[0] == [*range(1, 9)]  # type: ignore[arg-type]
    assert lengths_that_fit(Hanoi(), [4], 3) == ([], 1)  # type: ignore[arg-type]
    assert lengths_that_fit(sweep.machine_of("zoo:copy", "program").algorithm, [10**6], 3) == ([10**6], 0)


def test_portions_do_not_change_results(monkeypatch: pytest.MonkeyPatch) -> None:
    once = results("zoo:brackets", [3, 8], inputs=9)
    monkeypatch.setattr(sweep, "TOGETHER", 4)
    again = results("zoo:brackets", [3, 8], inputs=9)
    assert [len(portions([3, 2000], 9)), len(once)] == [3 + 9, 2]
    assert [each._replace(seconds=0) for each in once] == [each._replace(seconds=0) for each in again]
    assert results("zoo:brackets", [8], inputs=9, seed=8)[0].ticks != once[1].ticks, "seeds differ"


def test_budgets_in_memory_become_ticks() -> None:
    whole = sweep.most_ticks_of("zoo:sort", "program", None, 2**30)
    assert sweep.most_ticks_of("zoo:sort", "program", None, 2**29) == whole // 2
    assert sweep.most_ticks_of("zoo:sort", "program", 1000, 2**29) == 1000
    assert sweep.most_ticks_of("zoo:sort", "network", None, 1) == sweep.DEFAULT_TICKS["network"]
    with pytest.raises(ConfigError, match=r"program\.ticks"):
        sweep.most_ticks_of("zoo:sort", "program", 0, None)


def test_long_texts_are_cut() -> None:
    assert sweep.cut("x" * 1000) == "x" * 1000 and sweep.cut("x" * 1001) == "x" * 1000 + " ..."

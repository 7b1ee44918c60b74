"""`nhc run` with inputs, `nhc algorithms`, and `nhc program` of machines on sequences."""

from pathlib import Path

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks
from nhc.machine.parameters import Parameters
from nhc.model import Model, save_model
from tests.cli.command import Command
from tests.computer.sequence_machines import random_machine

LARGE = 3.0


@pytest.fixture(scope="module")
def stopper(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sorter that writes each word as it comes, and stops when no more come: right for what is sorted."""
    algorithm = ALGORITHMS["sort"]
    config = MachineConfig(signals=len(algorithm.signals), ops=len(algorithm.ops))
    zeros = {f"{b.name}.w": np.zeros((b.rows, b.inputs), np.float32) for b in blocks(config)}
    weights = zeros | {f"{b.name}.b": np.zeros(b.rows, np.float32) for b in blocks(config)}
    ops = {name: number for number, name in enumerate(algorithm.ops)}
    weights["interface.read.modes.b"][3] = LARGE  # usage forward: the cell that is new
    weights["controller.w"][0, config.signals + 0] = LARGE  # has a word been read?
    weights["interface.read.key.b"][:] = 2.0 ** np.arange(8)  # no two words are equally good
    weights["interface.write.word.b"][:] = weights["interface.constrained.word.b"][:] = 1.0
    weights["transform_c.w"][ops["emit"], 0] = LARGE
    weights["transform_c.w"][ops["stop"], config.hidden + config.word_size] = 3 * LARGE  # ended
    weights["transform_c.b"][ops["nop"]] = 1.0
    path = tmp_path_factory.mktemp("models") / "sort.safetensors"
    save_model(path, Model(Parameters.from_blocks(weights, config), config, algorithm, {}))
    return path


def test_an_answer_is_printed_and_checked(nhc: Command, stopper: Path) -> None:
    right = nhc("run", stopper, 1, 3, 9)
    assert (
        (right.code, right.out) == (0, "1 3 9\n") and "5 ticks" in right.err and "as specified" in right.err
    )
    wrong = nhc("run", stopper, "ba")
    assert (wrong.code, wrong.out) == (1, "ba\n") and "NOT as specified" in wrong.err


def test_json_and_both_engines_agree(nhc: Command, stopper: Path) -> None:
    rows = [nhc("run", stopper, 4, 4, 7, "--json", "--engine", e).data[0] for e in ("program", "network")]
    for row, engine in zip(rows, ("program", "network"), strict=True):
        assert row.pop("engine") == engine and isinstance(row.pop("wall_s"), float)
    assert rows[0] == rows[1]
    wanted = {"algorithm": "sort", "ending": "ended", "answer": "4 4 7", "correct": True, "ticks": 5}
    assert rows[0] == wanted


def test_the_trace_is_a_table_with_words_by_name(nhc: Command, stopper: Path) -> None:
    lines = nhc("run", stopper, "ab", "--trace").out.splitlines()
    assert lines[0].split()[:3] == ["tick", "read", "written"]
    assert [line.split()[-1] for line in lines[1:5]] == ["start", "a", "b", "blank"]
    assert [line.split()[3] for line in lines[1:5]] == ["nop", "emit", "emit", "stop"]
    assert lines[5] == "ab"


def test_long_inputs_come_from_files(nhc: Command, stopper: Path, tmp_path: Path) -> None:
    file = tmp_path / "numbers.txt"
    numbers = [str(number) for number in range(20_500)]
    file.write_text("\n".join(numbers))
    done = nhc("run", stopper, "--file", file)
    assert done.code == 0 and done.out.split() == numbers and "; not checked" in done.err
    assert "as specified" in nhc("run", stopper, "--file", file, "--check").err
    short = nhc("run", stopper, "--file", file, "--max-ticks", 100)
    assert (short.code, short.out) == (1, "") and "budget is exhausted after 100 ticks" in short.err
    small = nhc("run", stopper, "--file", file, "--max-memory", 50_000, "--json")
    assert small.code == 1 and small.data[0]["ending"] == "budget exhausted"
    file.write_text("1 2\n3 99999999999999999999")
    fault = nhc("run", stopper, "--file", file)
    assert (fault.code, fault.error_code) == (2, "input.number") and "numbers.txt:2:3: expected" in fault.err


def test_what_is_no_input_is_refused(nhc: Command, stopper: Path, tmp_path: Path) -> None:
    for arguments in ((), (1, "--file", tmp_path / "x")):
        done = nhc("run", stopper, *arguments)
        assert (done.code, done.error_code) == (2, "run.input") and "for example 5 3 9 1" in done.err
    assert nhc("run", stopper, "--file", tmp_path / "none").error_code == "input.file"
    for arguments in ((7,), ("--trace",), ("--file", tmp_path / "x")):
        assert nhc("run", "zoo:plan", *arguments).error_code == "run.input"


def test_the_picture_of_a_run(nhc: Command, stopper: Path, tmp_path: Path) -> None:
    done = nhc("run", stopper, "abc", "--picture", tmp_path / "reads.png")
    assert done.code == 0 and done.out == "abc\n"
    assert {path.name for path in tmp_path.iterdir()} == {"reads.png", "reads.svg"}
    assert "sort: 5 ticks" in (tmp_path / "reads.svg").read_text() or "reads.png" in done.err


def test_every_algorithm_is_listed(nhc: Command) -> None:
    rows = nhc("algorithms", "--json").data
    assert [row["algorithm"] for row in rows] == [*ALGORITHMS]
    for row in rows:
        algorithm = ALGORITHMS[str(row["algorithm"])]
        assert row["signals"] == [*algorithm.signals] and row["operations"] == [*algorithm.ops]
        assert all(row[key] for key in ("control", "alu", "input"))
    table = nhc("algorithms").out
    assert all(name in table for name in ALGORITHMS)


def test_programs_are_printed_and_compared(nhc: Command, stopper: Path, tmp_path: Path) -> None:
    text = nhc("program", stopper, "--minimize").out
    assert text.startswith("program sort\n") and "read child" in text and "do stop" in text
    assert len(nhc("program", stopper, "--format", "json").data[0]["rules"]) >= 3  # type: ignore[arg-type]
    assert nhc("program", stopper, "--format", "dot").out.startswith('digraph "sort"')
    assert nhc("program", stopper, "--format", "svg").error_code == "program.options"
    others = []
    for name, seed in (("sort", 0), ("copy", 0)):
        others.append(tmp_path / f"{name}.other.safetensors")
        save_model(others[-1], random_machine(name, seed))
    again = tmp_path / "again.safetensors"
    again.write_bytes(stopper.read_bytes())
    assert nhc("program", stopper, again).out == "the same program\n"
    differ = nhc("program", stopper, others[0])
    assert differ.code == 1 and differ.out.startswith("different programs; first difference: shown ")
    assert nhc("program", stopper, others[0], "--format", "json").data[0]["same"] is False
    assert nhc("program", stopper, others[1]).error_code == "program.models"
    assert "2 different programs" in nhc("program", stopper, again, others[0]).out
    groups = nhc("program", stopper, again, others[0], "--format", "json").data
    assert [len(group["models"]) for group in groups] == [2, 1]  # type: ignore[arg-type]


def test_an_algorithm_without_a_notation(
    monkeypatch: pytest.MonkeyPatch, nhc: Command, stopper: Path
) -> None:
    monkeypatch.setattr("nhc.algorithms.sequence.grammar.NOTATIONS", {})
    assert nhc("run", stopper, 1).error_code == "run.input"

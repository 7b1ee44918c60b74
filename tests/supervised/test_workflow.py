"""The workflow picture, and the commands that check and show modules."""

import json
from pathlib import Path
from xml.etree import ElementTree

import jax
import numpy as np
import pytest

from nhc.cli.main import run
from nhc.data.networks import Dense, initial_dense
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.supervised.check.report import load_report
from nhc.supervised.config import ends
from nhc.supervised.files import DataModel, encoding_hash, save_modules
from nhc.supervised.workflow import svg_of, text_of, workflow
from tests.supervised.fitted import passage_modules
from tests.supervised.passage import Passage, Walk


def test_a_state_on_its_way_through_right_modules() -> None:
    networks = passage_modules().networks
    # floor stone floor walker stone floor floor; the walker steps onto the stone
    flow = workflow(Passage(), networks, Walk(np.int64(3), np.int64(0b0010010)), 1, 7)
    assert flow.faults == ()
    signs = ["".join(board.signs) for board in flow.boards]
    assert signs == ["rerrerr", "  rre  ", "   rr  ", "rerrrrr"]
    assert [sorted(board.marked) for board in flow.boards] == [[], [2, 3, 4], [3, 4], [3, 4]]
    rows = {row.name: " ".join(row.groups) for row in flow.bits}
    assert rows["d_m"] == "001 010 001 100 010 001 001"
    assert rows["d_f"] == "1000 0010 0100"
    assert (rows["c_a"], rows["d_a"], rows["c_o"]) == ("1", "0100 0010 1000", "1")
    assert rows["d_o"] == "001 010 001 001 100 001 001"
    assert "as the rules have it" in text_of(flow)
    picture = ElementTree.fromstring(svg_of(flow))
    squares = picture.findall("{http://www.w3.org/2000/svg}rect")
    assert len(squares) == 1 + 4 * 7 + (3 + 2 + 2) + (21 + 12 + 1 + 12 + 1 + 21)
    still = workflow(Passage(), networks, Walk(np.int64(0), np.int64(0)), 4, 7)
    assert still.faults == () and still.boards[3].marked == frozenset()


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Small networks for Sokoban with weights as they are drawn."""
    world = Sokoban(Board(6, 6))
    networks: dict[str, Dense] = {}
    for number, (name, (before, after)) in enumerate(ends(world.form).items()):
        networks[name] = initial_dense((before, 8, after), key=jax.random.key(number))
    path = tmp_path_factory.mktemp("model") / "modules.safetensors"
    save_modules(path, DataModel(networks, world.form, world.name, encoding_hash(world), {}))
    return path


def test_the_check_command_reports_and_keeps_a_record(
    model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    out = tmp_path / "record.json"
    arguments = ["modules", "check", str(model), "--samples", "300", "--quiet"]
    assert run([*arguments, "--out", str(out)]) == 1
    text = capsys.readouterr().out
    assert "4,909,088 by formula, not enumerated" in text
    assert "sampled" in text and "undecided" in text
    report = load_report(out)
    assert report.checked == 300 and report.tallies["alu"].cases == 32_805
    arguments = ["modules", "check", str(model), "--quiet", "--module"]
    assert run([*arguments, "alu", "--json", "--out", str(tmp_path / "alu")]) == 1
    printed = json.loads(capsys.readouterr().out)
    assert printed["input"] is None and list(printed["check"]["tallies"]) == ["alu"]
    assert run([*arguments, "input"]) == 1


def test_the_show_command_draws_task_files_and_samples(
    model: Path, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    picture = tmp_path / "flow.svg"
    assert run(["modules", "show", str(model), "--sample", "3", "--svg", str(picture)]) == 1
    first = capsys.readouterr().out
    assert "sokoban-6x6, right" in first and "wrong by the rules" in first
    assert ElementTree.parse(picture).getroot().tag.endswith("svg")
    assert run(["modules", "show", str(model), "--sample", "3"]) == 1
    assert capsys.readouterr().out == first
    board = "######\n#@   #\n# $  #\n#    #\n#    #\n######"
    goal = board.replace("#@   #", "# @  #")
    task = tmp_path / "task.json"
    task.write_text(json.dumps({"domain": "sokoban-6x6", "start": board, "goal": goal}))
    assert run(["modules", "show", str(model), "--state", str(task), "--op", "down"]) == 1
    assert "# @ . . . #" in capsys.readouterr().out
    assert run(["modules", "show", str(model), "--state", str(task), "--sample", "1"]) == 2

"""Which data modules a task gets, what is said about them, and that they do what exact ones do."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from nhc.certify.learned_data import check_learned_modules
from nhc.certify.prove import prove
from nhc.computer.run import run
from nhc.data.exact import ExactLocal
from nhc.data.learned import LearnedModules
from nhc.domains.local import FiniteWorld
from nhc.domains.sokoban import Board, Sokoban, State
from nhc.errors import ConfigError, InputError, ModelError
from nhc.planning.engines import NetworkEngine, TreeEngine, chosen_engine
from nhc.planning.sample import task_of_level
from nhc.planning.solution import Ending
from nhc.planning.solve import solve
from nhc.planning.states import chosen_modules, computer_for, decoded_states, problem_for
from nhc.supervised.check.report import record_path
from nhc.zoo import EXACT, LEARNED, modules_path, shipped_path, shipped_worlds
from tests.computer.machines import hand_made, world, zoo

STACKING = "stacking"


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    """The shipped modules of stacking and their record, elsewhere."""
    for path in (modules_path("zoo:stacking"), record_path(modules_path("zoo:stacking"))):
        shutil.copy(path, tmp_path / path.name)
    return tmp_path / "stacking.safetensors"


def test_every_world_of_the_paper_has_modules_with_a_record() -> None:
    assert {*shipped_worlds()} == {"sokoban-6x6", "sokoban-8x8", "sokoban-permuted", "sliding-3x3", STACKING}
    for name in shipped_worlds():
        chosen = chosen_modules(LEARNED, world(name))
        assert chosen.kind == LEARNED
        assert ("proved for every state" if name == "sokoban-8x8" else "0 errors in") in chosen.note
        assert isinstance(chosen.modules, LearnedModules)
        assert chosen.modules.world == name


def test_exact_modules_are_there_for_the_asking() -> None:
    assert isinstance(chosen_modules(EXACT, world("sokoban-6x6")).modules, ExactLocal)
    assert isinstance(chosen_modules(EXACT, world(STACKING)).modules, ExactLocal)


@pytest.mark.parametrize("name", ["free-tree", "sokoban-5x6", "stacking-2"])
def test_worlds_without_learned_modules_get_exact_ones_and_it_is_said(name: str) -> None:
    chosen = chosen_modules(LEARNED, world(name))
    assert chosen.kind == EXACT
    assert chosen.note == "exact data modules (no learned ones ship for this world)"


def test_a_start_outside_the_family_gets_exact_modules_and_a_file_is_refused() -> None:
    """Six boxes are one too many."""
    board = Board(6, 6)
    inner = board.inner_cells()
    start = State(board.rim, board.mask(inner[1:7]), 1 << inner[0])
    chosen = chosen_modules(LEARNED, world("sokoban-6x6"), start)
    assert chosen.kind == EXACT
    assert "(the start is outside the family of the learned ones)" in chosen.note
    with pytest.raises(ModelError) as caught:
        chosen_modules("zoo:sokoban-6x6", world("sokoban-6x6"), start)
    assert caught.value.code == "modules.family"


def test_the_family_of_a_board_is_what_the_sampler_draws() -> None:
    board = Board(6, 6)
    states = Sokoban(board).sample(np.random.default_rng(1), 300)
    for walls, boxes, agent in zip(*(field.tolist() for field in states), strict=True):
        assert Sokoban(board).in_family(State(walls, boxes, agent))
    inner = board.inner_cells()
    box, agent = board.mask(inner[:1]), 1 << inner[1]
    assert Sokoban(board).in_family(State(board.rim | board.mask(inner[2:4]), box, agent))
    for walls, boxes in (
        (board.rim | board.mask(inner[2:5]), box),
        (board.rim & ~1, box),
        (board.rim, 0),
        (board.rim, board.mask(inner[2:8])),
    ):
        assert not Sokoban(board).in_family(State(walls, boxes, agent))


@pytest.mark.parametrize(("kind", "engine"), [("plan", "network"), ("search", "auto")])
def test_learned_modules_solve_what_exact_ones_solve(kind: str, engine: str) -> None:
    model = zoo(kind)
    for level in (2, 9):
        task = task_of_level(world(STACKING), level, seed=level)
        chosen = chosen_modules(LEARNED, world(STACKING), task.start)
        ahead = chosen_engine(engine, model, prove(model), task, chosen)
        assert isinstance(ahead, TreeEngine)
        found, wanted = (
            solve(model, task, engine=ahead),
            solve(model, task, engine="network", modules="exact"),
        )
        assert (found.ending, found.ticks, found.ops) == (wanted.ending, wanted.ticks, wanted.ops)
        assert found.ending == (Ending.SOLVED if kind == "plan" else Ending.FOUND)


def test_all_networks_in_the_loop_tick_by_tick() -> None:
    task = task_of_level(world(STACKING), 5, seed=3)
    chosen = chosen_modules(LEARNED, world(STACKING))
    outcome = run(computer_for(zoo("plan"), world(STACKING), chosen.modules), problem_for(task), max_ticks=64)
    wanted = solve(zoo("plan"), task, engine="network", modules="exact")
    assert outcome.ticks == wanted.ticks
    assert tuple(reversed(decoded_states(world(STACKING), outcome.emitted))) == wanted.states


def test_a_machine_that_is_not_proved_runs_with_data_in_the_loop() -> None:
    model = hand_made("plan", "stops at 2")
    task = task_of_level(world(STACKING), 1, seed=0)
    chosen = chosen_modules(LEARNED, world(STACKING))
    assert isinstance(chosen_engine("auto", model, prove(model), task, chosen), NetworkEngine)
    with pytest.raises(ConfigError) as caught:
        chosen_engine("program", model, prove(model), task, chosen)
    assert caught.value.code == "engine.unproved"


def test_modules_of_another_world_are_refused(copied: Path) -> None:
    with pytest.raises(ModelError) as caught:
        chosen_modules(str(copied), world("sliding-3x3"))
    assert caught.value.code == "model.encoding"
    with pytest.raises(ConfigError) as other:
        chosen_modules(str(copied), world("free-tree"))
    assert other.value.code == "domain.modules"
    with pytest.raises(ModelError) as missing:
        modules_path("zoo:chess")
    assert missing.value.code == "model.zoo"
    assert shipped_path("chess") is None


def stacking() -> FiniteWorld[tuple[object, ...]]:
    domain = world(STACKING)
    assert isinstance(domain, FiniteWorld)
    return domain


def test_a_certificate_takes_the_record_of_a_complete_check(copied: Path) -> None:
    check = check_learned_modules(copied, stacking())
    assert check.passed
    assert (check.states, check.expected_states, check.cases) == (8520, 8520, 42600)
    assert "Input proved" in check.evidence


@pytest.mark.parametrize("spoilt", ["missing", "altered", "other weights", "slice"])
def test_a_record_that_says_too_little_is_refused(copied: Path, spoilt: str) -> None:
    path = record_path(copied)
    record = json.loads(path.read_text())
    if spoilt == "missing":
        path.unlink()
    elif spoilt == "altered":
        path.write_text(json.dumps(record | {"enumerated": 8521}))
    elif spoilt == "other weights":
        shutil.copy(record_path(modules_path("zoo:sliding-3x3")), path)
    else:
        from nhc.supervised.check.report import load_report, save_report

        report = load_report(path)
        report.slice = "1/2"
        save_report(path, report)
    with pytest.raises(InputError) as caught:
        check_learned_modules(copied, stacking())
    assert caught.value.code == "check.record"

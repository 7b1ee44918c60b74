"""The weights that a run keeps of its way: which, how many, and the same after a kill at any moment."""

from dataclasses import replace
from functools import cache
from itertools import pairwise
from pathlib import Path

import jax
import numpy as np
import pytest

from nhc.errors import ModelError
from nhc.evolve.state import TrainState, initial_train_state
from nhc.training import learning
from nhc.training.learning import GROWTH, MOST, Learning, read_learning
from nhc.training.session import course_of
from tests.training.small import config

CONFIG = config()
MACHINE = CONFIG.machine
LEVELS = {60: 2, 61: 3, 130: 1, 200: 2, 215: 3, 390: 4, 391: 5}
"""Iterations that change the level; at 130 a lineage is given up."""


@cache
def run_states() -> list[TrainState]:
    """What a run may go through; it learns in all iterations but those just after a new level."""
    state = initial_train_state(course_of(CONFIG))
    state = replace(state, parameters=jax.tree.map(np.asarray, state.parameters))
    found = [state]
    for iteration in range(1, 400):
        level, restarted = LEVELS.get(iteration, state.level), iteration == 130
        learns = not restarted and iteration not in LEVELS
        state = replace(
            state,
            parameters=jax.tree.map(
                lambda leaf, step=learns / 100: leaf + np.float32(step), state.parameters
            ),
            iteration=iteration,
            level=level,
            restarts=state.restarts + restarted,
            learning_iterations=state.learning_iterations + learns,
        )
        found.append(state)
    return found


def kept(path: Path, of: list[TrainState]) -> bytes:
    """What a process leaves that begins or resumes with the first of these states and sees the others."""
    noted = Learning(path, MACHINE, of[0])
    for state in of[1:]:
        noted.note(state)
    return path.read_bytes()


def test_the_way_to_every_level_is_kept(tmp_path: Path) -> None:
    of = run_states()
    kept(tmp_path / "learning", of)
    snapshots = read_learning(tmp_path / "learning", MACHINE)
    marks = [each.mark for each in snapshots]
    assert len(marks) <= MOST and {mark.restarts for mark in marks} == {1}
    assert {(mark.iteration, mark.level) for mark in marks} >= {(130, 1), (200, 2), (215, 3), (390, 5)}
    began = marks[0].updates
    assert [mark.updates - began for mark in marks[:7]] == [0, 1, 2, 3, 4, 5, 7]
    for before, after in pairwise(marks):
        grown = after.updates - began >= GROWTH * (before.updates - began)
        assert before.iteration < after.iteration and (grown or after.level > before.level)
    by_iteration = {state.iteration: state for state in of}
    for mark, blocks in snapshots:
        wanted = by_iteration[mark.iteration].parameters.named_blocks(MACHINE)
        assert all(np.array_equal(blocks[name], array) for name, array in wanted.items())


@pytest.mark.parametrize("most", [MOST, 6])
def test_a_resumed_run_keeps_the_same(most: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(learning, "MOST", most)
    of = run_states()
    whole = kept(tmp_path / "whole", of)
    assert len(read_learning(tmp_path / "whole", MACHINE)) <= most
    for killed in range(20, len(of), len(of) // 4):
        path = tmp_path / f"{killed}"
        kept(path, of[:killed])
        assert kept(path, of[killed - 5 :]) == whole, "its file may be ahead of the checkpoint"


def test_a_file_that_cannot_be_read_is_begun_anew(tmp_path: Path) -> None:
    path, of = tmp_path / "learning", run_states()
    path.write_bytes(b"damaged")
    kept(path, of[-3:])
    assert len(read_learning(path, MACHINE)) == 3
    with pytest.raises(ModelError) as refused:
        read_learning(path, MACHINE.model_copy(update={"word_size": 5}))
    assert refused.value.code == "model.shape"

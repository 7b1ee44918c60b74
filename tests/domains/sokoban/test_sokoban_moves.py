"""LURD notation, replay, and the independent referee."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.domains.sokoban import (
    Board,
    Sokoban,
    State,
    check_plan,
    read_levels,
    read_moves,
    replay,
    step,
    write_moves,
)
from nhc.errors import InputError
from tests.domains.sokoban.sokoban_twin import random_state

UP, RIGHT, DOWN, LEFT = range(4)
(LEVEL,) = read_levels("######\n#@ $.#\n#    #\n######")


@pytest.mark.parametrize(
    ("text", "ops"),
    [
        ("lurd", [LEFT, UP, RIGHT, DOWN]),
        ("LuRd", [LEFT, UP, RIGHT, DOWN]),
        (" l u\r\n\tr d\n", [LEFT, UP, RIGHT, DOWN]),
        ("\ufeff2r*3D", [RIGHT] * 2 + [DOWN] * 3),
        ("2(u2(lr))d", [UP, LEFT, RIGHT, LEFT, RIGHT] * 2 + [DOWN]),
        ("1 2 u", [UP] * 12),
        ("", []),
    ],
)
def test_reading_moves(text, ops):
    assert read_moves(text) == ops


@pytest.mark.parametrize(
    ("text", "code", "line", "column"),
    [
        ("lu\nr[3,4]", "moves.reverse", 2, 2),
        ("lu]", "moves.reverse", 1, 3),
        ("{0}lu", "moves.players", 1, 1),
        ("lu}", "moves.players", 1, 3),
        ("lurx", "moves.character", 1, 4),
        ("lu#", "moves.character", 1, 3),
        ("r\n\nlu3", "moves.run_length", 3, 3),
        ("(lu", "moves.run_length", 1, 1),
        ("lu 0r", "moves.run_length", 1, 4),
        ("9(9999(9999l))", "moves.run_length", 1, 13),
    ],
)
def test_faults_in_moves(text, code, line, column):
    with pytest.raises(InputError) as caught:
        read_moves(text, "s.txt")
    assert caught.value.code == code
    place = caught.value.place
    assert (place.file, place.line, place.column) == ("s.txt", line, column)


def test_pushes_are_written_as_capitals():
    assert write_moves(LEVEL.board, LEVEL.state, [RIGHT, RIGHT, DOWN, LEFT, UP]) == "rRdlu"
    assert write_moves(LEVEL.board, LEVEL.state, []) == ""


def test_replay_keeps_every_state_the_start_first():
    path = replay(LEVEL.board, LEVEL.state, [RIGHT, RIGHT, UP])
    assert [state.agent for state in path] == [1 << 7, 1 << 8, 1 << 9, 1 << 9]
    assert [state.boxes for state in path] == [1 << 9, 1 << 9, 1 << 10, 1 << 10]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 3), max_size=40))
def test_written_moves_read_the_same(seed, ops):
    world = Sokoban(Board(6, 7))
    state = State(*(int(field[0]) for field in world.sample(np.random.default_rng(seed), 1)))
    assert read_moves(write_moves(world.board, state, ops)) == ops


def verdict(ops, goal=LEVEL.goals):
    return check_plan(LEVEL.board, LEVEL.state, ops, goal)


def test_a_valid_plan_for_goal_cells():
    assert verdict([RIGHT, RIGHT]) == (True, 2, 1, None)
    assert verdict([DOWN, UP, RIGHT, RIGHT, LEFT]).valid


def test_the_first_fault_is_named():
    assert verdict([RIGHT, UP, LEFT, LEFT]) == (False, 1, 0, "move 2: up runs into a wall")
    assert verdict([RIGHT, RIGHT, RIGHT]) == (False, 2, 1, "move 3: right pushes a box into a wall")
    assert verdict([RIGHT, 4]) == (False, 1, 0, "move 2: there is no operation 4")
    assert verdict([-1]).fault == "move 1: there is no operation -1"
    assert verdict([RIGHT]) == (False, 1, 0, "at the end the box at row 1, column 3 is on no goal")
    (two,) = read_levels("######\n#@$$.#\n#   .#\n######")
    fault = check_plan(two.board, two.state, [RIGHT], two.goals).fault
    assert fault == "move 1: right pushes a box into a box"


def test_a_full_configuration_must_be_met_cell_by_cell():
    end = replay(LEVEL.board, LEVEL.state, [RIGHT, RIGHT])[-1]
    assert verdict([RIGHT, RIGHT], end).valid
    assert (
        verdict([RIGHT, RIGHT, DOWN], end).fault == "at the end row 1, column 3 holds ' ', the goal has '@'"
    )
    assert not verdict([RIGHT], end).valid
    assert verdict([], LEVEL.state).valid


@pytest.mark.parametrize("size", [(6, 6), (5, 7), (11, 9)])
def test_referee_and_rules_agree(size):
    """A random plan is valid for the configuration it leads to exactly if each of its moves has an effect."""
    board, rng = Board(*size), np.random.default_rng(31)
    valid = 0
    for _ in range(300):
        state = random_state(board, rng)
        ops = rng.integers(4, size=3).tolist()
        path = replay(board, state, ops)
        effective = all(a != b for a, b in pairwise(path))
        judged = check_plan(board, state, ops, path[-1])
        assert judged.valid == effective
        if effective:
            pushes = sum(a.boxes != b.boxes for a, b in pairwise(path))
            assert (judged.moves, judged.pushes) == (3, pushes)
            later = step(board, path[-1], int(rng.integers(4)))
            assert check_plan(board, state, ops, later).valid == (later == path[-1])
        valid += effective
    assert valid > 20

"""The family of states: its size by formula and by counting, closed and without duplicates; and its check."""

from math import comb

import numpy as np
import pytest

from nhc.certify import data_check
from nhc.certify.data_check import DataCheck, check_exact_modules
from nhc.domains.sokoban import rules
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.states import joined, picked

BOARDS = (Board(6, 4), Board(4, 6), Board(10, 3), Board(5, 5))
SMALL = Board(6, 4)


def all_states(board: Board) -> rules.State:
    return joined([*Sokoban(board).family_states()])


def rows_of(state: rules.State) -> set[tuple[int, int, int]]:
    return {*zip(*(np.asarray(column).tolist() for column in state), strict=True)}


def counted(board: Board) -> int:
    """Every way to give each inner cell a wall, a box, the agent or nothing, cell by cell."""
    ways = {(0, 0, 0): 1}
    for _ in board.inner_cells():
        after: dict[tuple[int, int, int], int] = {}
        for (walls, boxes, agents), number in ways.items():
            for put in ((0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)):
                key = (walls + put[0], boxes + put[1], agents + put[2])
                after[key] = after.get(key, 0) + number
        ways = after
    return sum(
        n for (walls, boxes, agents), n in ways.items() if walls <= 2 and 1 <= boxes <= 5 and agents == 1
    )


def test_the_size_by_formula() -> None:
    assert Sokoban(Board(6, 6)).family_size == 4_909_088
    for board in (*BOARDS, Board(6, 6), Board(8, 8), Board(7, 4)):
        assert Sokoban(board).family_size == counted(board), board


@pytest.mark.parametrize("board", [Board(3, 3), Board(3, 4), Board(4, 4), Board(5, 4)])
def test_boards_without_room_for_all_counts(board: Board) -> None:
    assert Sokoban(board).family_size == counted(board)
    assert sum(len(np.asarray(batch.agent)) for batch in Sokoban(board).family_states()) == counted(board)


@pytest.mark.parametrize("board", BOARDS)
def test_every_state_is_there_once_and_is_one(board: Board) -> None:
    states = all_states(board)
    seen = rows_of(states)
    assert len(seen) == len(np.asarray(states.agent)) == Sokoban(board).family_size
    for walls, boxes, agent in list(seen)[:: max(1, len(seen) // 500)]:
        inner = walls ^ board.rim
        assert walls & board.rim == board.rim
        assert inner.bit_count() <= 2
        assert 1 <= boxes.bit_count() <= 5
        assert agent.bit_count() == 1
        assert not inner & boxes and not (walls | boxes) & agent
        assert (inner | boxes | agent) & ~(board.full ^ board.rim) == 0


@pytest.mark.parametrize("board", BOARDS)
def test_the_family_is_closed_under_every_operation(board: Board) -> None:
    states = all_states(board)
    seen = rows_of(states)
    for op in range(4):
        assert rows_of(Sokoban(board).step(states, op)) <= seen


def test_samples_belong_to_the_family() -> None:
    board = Board(5, 5)
    assert rows_of(Sokoban(board).sample(np.random.default_rng(3), 300)) <= rows_of(all_states(board))


def test_batches_have_one_choice_of_walls_and_one_number_of_boxes() -> None:
    batches = [*Sokoban(SMALL).family_states()]
    kinds = []
    for batch in batches:
        walls = {*np.asarray(batch.walls).tolist()}
        boxes = {int(b).bit_count() for b in np.asarray(batch.boxes).tolist()}
        assert len(walls) <= 1
        assert len(boxes) <= 1
        if walls:
            kinds.append((walls.pop(), boxes.pop()))
    assert len(kinds) == len({*kinds})
    assert len(kinds) == 5 * (1 + 8 + comb(8, 2))


def test_the_exact_modules_are_right_on_a_whole_small_family(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_check, "ROWS", 1 << 9)
    shares: list[float] = []
    found = check_exact_modules(SMALL, shares.append)
    states = Sokoban(SMALL).family_size
    assert found == DataCheck("sokoban-6x4", states, states, 5 * states, 0)
    assert found.passed
    assert shares == sorted(shares)
    assert shares[-1] == 1.0
    assert len(shares) == -(-states // 512)


@pytest.mark.parametrize("op", range(4))
def test_a_wrong_rule_is_counted(op: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rules lie about one operation in every state where it has an effect."""
    board = SMALL
    states = all_states(board)
    honest = Sokoban.step

    def lying(self: Sokoban, state: rules.State, chosen: int) -> rules.State:
        return state if chosen == op else honest(self, state, chosen)

    moved = honest(Sokoban(board), states, op)
    effective = sum(
        tuple(map(int, picked(states, i))) != tuple(map(int, picked(moved, i)))
        for i in range(Sokoban(board).family_size)
    )
    monkeypatch.setattr(data_check, "ROWS", 1 << 9)
    monkeypatch.setattr(Sokoban, "step", lying)
    found = check_exact_modules(board)
    assert found.errors == effective > 0
    assert not found.passed


def test_a_family_that_is_not_all_there_does_not_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_check, "ROWS", 1 << 9)
    most = [*Sokoban(SMALL).family_states()][:-1]
    monkeypatch.setattr(Sokoban, "family_states", lambda world: most)
    found = check_exact_modules(SMALL)
    assert found.errors == 0
    assert found.states < found.expected_states
    assert not found.passed

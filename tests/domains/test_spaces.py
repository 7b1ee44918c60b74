"""Packed states and their rules, against the rules of the worlds; pushes, against a search on a drawing."""

from collections import deque

import numpy as np
import pytest

from nhc.domains.sliding import Sliding, Tiles
from nhc.domains.sokoban import Board, State, check_plan, read_levels, step
from nhc.domains.sokoban.pushes import Push, moves_for, push_of
from nhc.domains.sokoban.spaces import WORD_BITS, Packing, move_space, push_space
from nhc.domains.space import Space
from nhc.domains.stacking import Stacking, Stacks
from nhc.domains.states import picked, plain
from nhc.domains.world_spaces import sliding_space, stacking_space, table_space
from nhc.errors import InputError
from nhc.planning.closed import explore
from tests.domains.sokoban.sokoban_twin import MOVES, SIZES, Grid, random_state, to_grid
from tests.domains.test_small import WORLD as FROGS
from tests.domains.test_small import step as jump
from tests.domains.worlds import grip, rows_of, slide, stacks, tiles
from tests.planning.made_up_spaces import slow_search, slow_successors

HALL = """
##############
#      #     #
# $ ## # ##  #
#  #   $   # #
# .#  .#     #
#    @       #
##############
"""
ONE_BOX = HALL.replace("$   #", "    #").replace("# .#", "#  #", 1)
ROOM = """
#######
#. #  #
# $$  #
#  #@ #
#.    #
#######
"""


def level(text: str) -> tuple[Board, State, int]:
    read = read_levels(text.encode())[0]
    return read.board, plain(read.state), int(read.goals)


def successors(space: Space, row: np.ndarray) -> list[tuple[int, np.ndarray]]:
    return [(label, np.array(made)) for label, made in slow_successors(space, tuple(row.tolist()))]


@pytest.mark.parametrize("size", SIZES)
def test_moves_are_those_of_the_rules(size: tuple[int, int]) -> None:
    board, rng = Board(*size), np.random.default_rng(sum(size))
    for _ in range(20):
        state = random_state(board, rng)
        space, packing = move_space(board, state, 0), Packing(board, int(state.walls))
        for _ in range(10):
            row = packing.state_row(state)
            assert len(row) == packing.words and row.min() >= 0 and row.max() < 2**WORD_BITS
            assert packing.state(row) == state
            made = successors(space, row)
            assert [label for label, _ in made] == [0, 1, 2, 3]
            after = [step(board, state, op) for op in range(4)]
            assert [packing.state(row) for _, row in made] == after
            state = after[rng.integers(4)]


def test_rows_take_as_many_words_as_cells_need() -> None:
    for size in SIZES:
        space = move_space(Board(*size), random_state(Board(*size), np.random.default_rng(0)), 0)
        assert len(space.start) == (2 if size == (12, 11) else 1)
    huge = Board(40, 30)
    state = State(huge.rim, 1 << huge.index(20, 20), 1 << huge.index(28, 38))
    packing = Packing(huge, state.walls)
    assert packing.words == -(-(28 * 38 + 11) // 62) and packing.state(packing.state_row(state)) == state


@pytest.mark.parametrize("size", [(6, 6), (12, 11)])
def test_goals_by_moves_are_cells_or_a_state(size: tuple[int, int]) -> None:
    board, rng = Board(*size), np.random.default_rng(3)
    state = random_state(board, rng)
    packing = Packing(board, int(state.walls))
    other = step(board, state, 1)
    while other.boxes == state.boxes:
        other = step(board, other, int(rng.integers(4)))
    by_state, by_cells = move_space(board, state, other), move_space(board, state, int(other.boxes))
    met = [[s.at_goal(s.facts, packing.state_row(x)) for x in (other, state)] for s in (by_state, by_cells)]
    assert met == [[1, 0], [1, 0]]
    moved = other._replace(agent=next(s.agent for op in range(4) if (s := step(board, other, op)) != other))
    assert by_state.at_goal(by_state.facts, packing.state_row(moved)) == 0
    assert by_cells.at_goal(by_cells.facts, packing.state_row(moved)) == 1
    more = move_space(board, state, int(other.boxes) | 1 << packing.cells[0])
    assert more.at_goal(more.facts, packing.state_row(other)) == 1
    free = min(cell for cell in packing.cells if not (other.boxes | other.agent) >> cell & 1)
    walled = move_space(board, state, other._replace(walls=other.walls | 1 << free))
    assert walled.at_goal(walled.facts, packing.state_row(other)) == 0


def layers_by_steps(board: Board, start: State) -> list[int]:
    seen, layer, sizes = {start}, [start], []
    while layer:
        sizes.append(len(layer))
        made = {step(board, state, op) for state in layer for op in range(4)} - seen
        seen |= made
        layer = [*made]
    return sizes


@pytest.mark.parametrize("text", [ROOM, ONE_BOX])
def test_a_search_by_moves_finds_all_states(text: str) -> None:
    board, start, _ = level(text)
    found = explore(move_space(board, start, State(0, 0, 0)))
    assert found.ended and list(found.layers) == layers_by_steps(board, start)


Place = tuple[int, int]
Pushed = tuple[frozenset[Place], frozenset[Place]]
"""The places of the boxes, and all places where the agent can walk to."""


def region(grid: Grid, boxes: frozenset[Place], agent: Place) -> frozenset[Place]:
    seen, queue = {agent}, deque([agent])
    while queue:
        row, column = queue.popleft()
        for down, right in MOVES:
            place = (row + down, column + right)
            if place not in seen and place not in boxes and grid[place[0]][place[1]] != "W":
                seen.add(place)
                queue.append(place)
    return frozenset(seen)


def pushed(grid: Grid, state: Pushed) -> dict[tuple[Place, int], Pushed]:
    """All pushes: a box beside a place that the agent can be at, and nothing behind it."""
    boxes, around = state
    made = {}
    for box in boxes:
        for op, (down, right) in enumerate(MOVES):
            before, after = (box[0] - down, box[1] - right), (box[0] + down, box[1] + right)
            if before in around and after not in boxes and grid[after[0]][after[1]] != "W":
                moved = boxes - {box} | {after}
                made[box, op] = (moved, region(grid, moved, box))
    return made


def drawn(board: Board, state: State) -> tuple[Grid, Pushed]:
    grid = to_grid(board, state)
    at = {
        sign: [(r, c) for r, line in enumerate(grid) for c, x in enumerate(line) if x == sign]
        for sign in "AB"
    }
    boxes = frozenset(at["B"])
    return grid, (boxes, region(grid, boxes, at["A"][0]))


def packed(board: Board, packing: Packing, state: Pushed) -> np.ndarray:
    boxes = sum(1 << board.index(*place) for place in state[0])
    return packing.row(boxes, min(packing.number[board.index(*place)] for place in state[1]))


@pytest.mark.parametrize("size", SIZES)
def test_pushes_are_those_of_a_drawing(size: tuple[int, int]) -> None:
    board, rng = Board(*size), np.random.default_rng(sum(size))
    counts = set()
    for _ in range(15):
        start = random_state(board, rng)
        space, packing = push_space(board, start, 0), Packing(board, int(start.walls))
        grid, state = drawn(board, start)
        for _ in range(8):
            row = packed(board, packing, state)
            slow = pushed(grid, state)
            fast = successors(space, row)
            assert len(fast) == len(slow) <= space.most_actions
            for label, made in fast:
                push = push_of(label)
                assert push.label == label
                after = slow[board.place(push.cell), push.op]
                assert made.tolist() == packed(board, packing, after).tolist()
            counts.add(len(slow))
            if not slow:
                break
            state = [*slow.values()][rng.integers(len(slow))]
        assert space.start.tolist() == packed(board, packing, drawn(board, start)[1]).tolist()
    assert len(counts) > 3


def test_a_plan_of_pushes_has_the_fewest_and_can_be_played() -> None:
    for text in (ROOM, HALL):
        board, start, goals = level(text)
        grid, state = drawn(board, start)
        targets = {board.place(cell) for cell in range(board.cells) if goals >> cell & 1}
        depth, layer, seen, sizes = 0, [state], {state}, []
        while not any(boxes <= targets for boxes, _ in layer):
            depth, sizes = depth + 1, [*sizes, len(layer)]
            layer = [
                *{made: None for one in layer for made in pushed(grid, one).values() if made not in seen}
            ]
            seen.update(layer)
        found = explore(push_space(board, start, goals))
        assert found.goal is not None and found.depth(found.goal) == depth > 3
        assert list(found.layers[:depth]) == sizes
        labels = found.labels_to(found.goal)
        moves = moves_for(board, start, labels)
        verdict = check_plan(board, start, moves, goals)
        assert (verdict.fault, verdict.pushes) == (None, depth)
        fewest = explore(move_space(board, start, goals))
        assert fewest.goal is not None and fewest.depth(fewest.goal) <= len(moves)


def test_pushes_that_cannot_be_played_are_refused() -> None:
    board, start, _ = level("######\n#@$ .#\n######\n")
    box = board.index(1, 2)
    wrong = {Push(box + 1, 1): "no box", Push(box, 0): "no box", Push(box, 3): "cannot walk"}
    for push, fault in wrong.items():
        with pytest.raises(ValueError, match=f"push 2: .*{fault}"):
            moves_for(board, start, [Push(box, 1).label, push._replace(cell=push.cell + 1).label])
    assert moves_for(board, start, [Push(box, 1).label, Push(box + 1, 1).label]) == [1, 1]


def test_the_sliding_puzzle_is_that_of_lists() -> None:
    world = Sliding()
    boards = world.sample(np.random.default_rng(0), 200)
    space = sliding_space(plain(picked(boards, 0)), Tiles(0))
    for number in range(200):
        code = int(np.asarray(boards.code)[number])
        made = successors(space, np.array([code]))
        assert [(op, int(tiles(slide(rows_of(code), op)).code)) for op in range(4)] == [
            (label, int(row[0])) for label, row in made
        ]


def test_half_of_all_boards_can_be_reached() -> None:
    rows = [[1, 2, 3], [4, 5, 6], [7, 8, 0]]
    swapped = [[2, 1, 3], [4, 5, 6], [7, 8, 0]]
    found = explore(sliding_space(tiles(rows), tiles(swapped)))
    assert found.ended and len(found.states) == 181_440 and len(found.layers) == 32
    assert found.layers[-1] == 2  # known from the literature, as is the depth
    assert explore(sliding_space(tiles(rows), tiles(slide(rows, 0)))).goal is None  # up has no effect
    assert explore(sliding_space(tiles(rows), tiles(slide(rows, 1)))).depth(1) == 1


@pytest.mark.parametrize("boxes", [1, 5, 9])
def test_stacking_is_that_of_lists(boxes: int) -> None:
    world = Stacking(boxes)
    drawn_states = world.sample(np.random.default_rng(boxes), 100)
    space = stacking_space(plain(picked(drawn_states, 0)), Stacks(0))
    for number in range(100):
        state = plain(picked(drawn_states, number))
        form = world.state_to_json(state)
        assert isinstance(form, dict)
        made = successors(space, np.array([state.code]))
        slow = [int(stacks(*grip(form["places"], form["held"], op)).code) for op in range(4)]
        assert [int(row[0]) for _, row in made] == slow


def test_a_table_is_the_same_graph() -> None:
    world = Stacking(3)
    start = world.state_from_json({"places": [[1, 2, 3], [], [], []], "held": None})
    fast, table = explore(stacking_space(start, Stacks(0))), explore(table_space(world, start, start))
    assert fast.ended and table.ended and fast.layers == table.layers
    assert np.array_equal(fast.successors, table.successors)


def test_small_worlds_become_tables() -> None:
    first = FROGS.state_from_json("rr.gg")
    space = table_space(FROGS, first, FROGS.state_from_json("gg.rr"))
    found = explore(space)
    assert found.goal is not None
    text = "rr.gg"
    for label in found.labels_to(found.goal):
        text = jump(text, label)
    assert text == "gg.rr" and slow_search(space).goal == found.goal


def test_what_is_no_state_of_the_family_is_refused() -> None:
    first = FROGS.state_from_json("rr.gg")
    with pytest.raises(InputError, match="family"):
        table_space(FROGS, first, type(first)(-1))
    many = Stacking(9)
    with pytest.raises(InputError, match="at most"):
        table_space(many, plain(picked(many.sample(np.random.default_rng(0), 1), 0)), Stacks(0))

"""Breadth-first search with a closed list in plain Python: a dictionary, a deque, and rules."""

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, NamedTuple, TypeVar

from nhc.domains.protocol import BRANCHING
from nhc.domains.sokoban.rules import Board as Field
from nhc.domains.sokoban.rules import State
from nhc.pddl import PddlTask
from nhc.planning.puzzle_boards import Board, slid

NodeT = TypeVar("NodeT", bound=Hashable)


class Rules(NamedTuple, Generic[NodeT]):
    """A task for a plain search."""

    start: NodeT
    successors: Callable[[NodeT], Iterable[NodeT]]
    is_goal: Callable[[NodeT], bool]


class Found(NamedTuple):
    """What a search did."""

    states: int
    generated: int
    plan: int | None
    """The length of a shortest plan, None if there is none."""


def search(rules: Rules[NodeT]) -> Found:
    """Search up to the first goal that is made; the start is none."""
    start, successors, is_goal = rules
    made_of: dict[NodeT, NodeT | None] = {start: None}
    queue, generated = deque([start]), 0
    while queue:
        before = queue.popleft()
        for after in successors(before):
            generated += 1
            if after not in made_of:
                made_of[after] = before
                if is_goal(after):
                    return Found(len(made_of), generated, _length(made_of, after))
                queue.append(after)
    return Found(len(made_of), generated, None)


def _length(made_of: dict[NodeT, NodeT | None], node: NodeT) -> int:
    length, above = 0, made_of[node]
    while above is not None:
        length, above = length + 1, made_of[above]
    return length


def sokoban_rules(board: Field, start: State, goal: int) -> Rules[tuple[int, int]]:
    """Boxes and agent as bit boards; four successors, as in the machine's data: without effect, the same."""
    walls, boxes, agent = map(int, start)
    shifts = ((0, board.width), (1, 0), (board.width, 0), (0, 1))

    def successors(state: tuple[int, int]) -> Iterable[tuple[int, int]]:
        boxes, agent = state
        for left, right in shifts:
            ahead = agent << left >> right
            if ahead & walls:
                yield state
            elif ahead & boxes:
                beyond = ahead << left >> right
                yield state if beyond & (walls | boxes) else (boxes ^ ahead ^ beyond, ahead)
            else:
                yield boxes, ahead

    return Rules((boxes, agent), successors, lambda state: not state[0] & ~goal)


def reachable(board: Field, start: State) -> Found:
    """All of a Sokoban world, by the moves and pushes that change something; it has no goal."""
    rules = sokoban_rules(board, start, goal=0)

    def successors(state: tuple[int, int]) -> Iterable[tuple[int, int]]:
        return (after for after in rules.successors(state) if after != state)

    return search(Rules(rules.start, successors, lambda state: False))


def sliding_rules(start: Board, goal: Board) -> Rules[Board]:
    """A board row by row, 0 for the hole; four successors, those without effect the same."""

    def successors(board: Board) -> Iterable[Board]:
        made = [*slid(board)]
        return made + [board] * (BRANCHING - len(made))

    return Rules(start, successors, lambda board: board == goal)


def pddl_rules(task: PddlTask) -> Rules[int]:
    """Sets of facts as integers; all ground actions are tried on every state."""
    ground = task.ground
    assert ground.goal is not None, "a task that the grounding does not refute"
    actions = [tuple(map(_bits, (a.needs, a.denies, a.deletes, a.adds))) for a in ground.actions]
    wanted, unwanted = map(_bits, ground.goal)

    def successors(state: int) -> Iterable[int]:
        for needs, denies, deletes, adds in actions:
            if state & needs == needs and not state & denies:
                yield state & ~deletes | adds

    return Rules(
        _bits(ground.start), successors, lambda state: state & wanted == wanted and not state & unwanted
    )


def _bits(facts: Iterable[int]) -> int:
    return sum(1 << fact for fact in facts)

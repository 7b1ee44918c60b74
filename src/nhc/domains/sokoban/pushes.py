"""Plans of pushes as plans of moves: shortest walks are put between the pushes. One state, plain integers."""

from collections import deque
from typing import NamedTuple, cast

from nhc.domains.sokoban.rules import STEPS, Board, State


class Push(NamedTuple):
    """The box on a cell of the board is pushed in direction 0..3."""

    cell: int
    op: int

    @property
    def label(self) -> int:
        """The number that the graph of pushes gives it."""
        return len(STEPS) * self.cell + self.op


def push_of(label: int) -> Push:
    """The push with this label."""
    return Push(*divmod(label, len(STEPS)))


def walks_from(board: Board, blocked: int, agent: int) -> dict[int, list[int]]:
    """The operations of a shortest walk to each cell that can be reached without entering blocked ones."""
    walks: dict[int, list[int]] = {agent: []}
    queue = deque([agent])
    while queue:
        cell = queue.popleft()
        for op in range(len(STEPS)):
            other = board.neighbour(cell, op)
            if other is not None and other not in walks and not blocked >> other & 1:
                walks[other] = [*walks[cell], op]
                queue.append(other)
    return walks


def reachable(board: Board, blocked: int, agent: int) -> int:
    """The bit board of the cells that can be walked to. As in the rules, walls must enclose the agent."""
    before, reached = 0, agent
    while before != reached:
        before = reached
        around = reached << 1 | reached >> 1 | reached << board.width | reached >> board.width
        reached |= around & ~blocked
    return reached


def after_pushes(board: Board, state: State) -> dict[Push, State]:
    """Every push that the agent can walk to, with the state after it."""
    walls, boxes, agent = cast("tuple[int, int, int]", state)
    reached, made = reachable(board, walls | boxes, agent), dict[Push, State]()
    for cell in range(board.cells):
        for op in range(len(STEPS) if boxes >> cell & 1 else 0):
            behind, ahead = (board.neighbour(cell, way) for way in ((op + 2) % 4, op))
            if behind is None or ahead is None:
                continue
            if reached >> behind & 1 and not (walls | boxes) >> ahead & 1:
                made[Push(cell, op)] = State(walls, boxes ^ (1 << cell | 1 << ahead), 1 << cell)
    return made


def moves_for(board: Board, start: State, labels: list[int]) -> list[int]:
    """The operations 0..3 that make these pushes, each after a shortest walk.

    Raises ValueError for a push of no box, one that cannot be walked to, and one against a wall or a box.
    """
    walls, boxes, agent = cast("tuple[int, int, int]", start)
    cell, moves = agent.bit_length() - 1, list[int]()
    for number, label in enumerate(labels, start=1):
        push = push_of(label)
        behind, ahead = (board.neighbour(push.cell, op) for op in ((push.op + 2) % 4, push.op))
        if not boxes >> push.cell & 1 or ahead is None or (walls | boxes) >> ahead & 1:
            raise ValueError(f"push {number}: no box on cell {push.cell} can be pushed there")
        walks = walks_from(board, walls | boxes, cell)
        if behind not in walks:
            raise ValueError(f"push {number}: the agent cannot walk to the box on cell {push.cell}")
        moves += [*walks[behind], push.op]
        boxes ^= 1 << push.cell | 1 << ahead
        cell = push.cell
    return moves

"""The Sokoban world of the paper as a domain: sampler, family, identity of states, words, local view.

The paper, section "Learning Algorithmic Solutions": small boards with a walled rim, few inner walls and
boxes. Every cell is a one-hot vector over agent, box, wall and empty; cells follow in row-major order. The
paper, section "Data-dependent Modules": a move can change only the agent's cell and the next two in its
direction.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from math import comb

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import CellWorld, Numbers, WordCase, WordForm, held_in, namespace, require
from nhc.domains.protocol import BRANCHING, NOP
from nhc.domains.sokoban.levels import state_from_text
from nhc.domains.sokoban.rules import ARRAY_CELLS, Bits, Board, State, step
from nhc.domains.sokoban.text import to_text, write_moves
from nhc.errors import ConfigError

SYMBOLS = ("agent", "box", "wall", "empty")
AGENT, BOX, WALL, EMPTY = range(4)
REACH = tuple((0, 1 + 2 * op, 2 + 2 * op) for op in range(BRANCHING))
SLOTS = 1 + 2 * BRANCHING
"""The agent's cell and the next two in each direction; outside the board is wall."""

MAX_WALLS = 2
MAX_BOXES = 5


@dataclass(frozen=True)
class SokobanGame(CellWorld[State]):
    """Sokoban on a board with a walled rim; any board for steps and words, see `sample` for sampling.

    The protocols are `nhc.domains.local.FiniteWorld` and `nhc.domains.protocol.ReadableDomain`. States of the
    family differ in inner walls (0 to 2), boxes (1 to 5) and the agent, on distinct inner cells. An operation
    keeps walls and the number of boxes, so the family is closed under the rules.
    """

    board: Board

    @property
    def name(self) -> str:
        """`sokoban-WIDTHxHEIGHT`."""
        return f"sokoban-{self.board.width}x{self.board.height}"

    @property
    def family(self) -> str:
        """One sentence that says which states the sampler can draw."""
        return (
            f"{self.board.width}x{self.board.height} cells with a rim of walls, 0 to {MAX_WALLS} inner "
            f"walls, 1 to {MAX_BOXES} boxes and the agent on distinct inner cells"
        )

    @property
    def form(self) -> WordForm:
        """Four symbols a cell, nine slots, three changes."""
        return WordForm(SYMBOLS, self.board.cells, SLOTS, WALL, REACH)

    def sample(self, rng: np.random.Generator, count: int) -> State:
        """`count` independent start states, uint64 arrays; consumes `rng`.

        The number of inner walls is uniform in 0..2, the number of boxes uniform in 1..5; their places
        and the agent's are distinct inner cells, uniform. Raises ConfigError (code `board.size`) for
        boards of over 64 cells or with less than 8 inner cells.
        """
        require_arrays(self.board)
        inner = np.array(self.board.inner_cells(), dtype=np.uint64)
        pieces = MAX_WALLS + MAX_BOXES + 1
        if len(inner) < pieces:
            raise ConfigError(
                "board.size", f"sampling needs {pieces} inner cells, {self.name} has {len(inner)}"
            )
        walls = rng.integers(0, MAX_WALLS, size=count, endpoint=True)
        boxes = rng.integers(1, MAX_BOXES, size=count, endpoint=True)
        bits = np.uint64(1) << inner[_distinct(rng, count, len(inner), pieces)]
        return State(
            np.uint64(self.board.rim) | _first(bits[:, :MAX_WALLS], walls),
            _first(bits[:, MAX_WALLS:-1], boxes),
            bits[:, -1].copy(),
        )

    def step(self, state: State, op: int) -> State:
        """The state after the agent tried to move up, right, down or left (`op` 0..3)."""
        return step(self.board, state, op)

    def key(self, state: State) -> NDArray[np.uint64]:
        """Integers that are equal exactly if boxes and agent are equal; batches only.

        key = 64 * (boxes >> width) + agent's cell. No box is lost by the shift, because the first row is
        rim. It fits 64 bits on every board of at most 64 cells: the agent's cell is below 64, and the
        highest box stands on cell (height - 1) * width - 2 at most, so the highest bit of the key is
        cells - 2 * width - 2 + 6 <= 64 - 6 + 4 = 62, as width >= 3. Raises ConfigError (code
        `board.size`) for larger boards.
        """
        require_arrays(self.board)
        boxes = np.asarray(state.boxes, dtype=np.uint64)
        agent = np.asarray(state.agent, dtype=np.uint64)
        cell = np.bitwise_count(agent - np.uint64(1))
        key: NDArray[np.uint64] = boxes >> np.uint64(self.board.width) << np.uint64(6) | cell
        return key

    def contents(self, state: State) -> NDArray[np.uint8]:
        """The symbol number of each cell; fields with different leading shapes are broadcast."""
        agent, boxes, walls = (
            _cell_bits(self.board, bits) for bits in (state.agent, state.boxes, state.walls)
        )
        empty = np.uint8(EMPTY)
        return empty - (empty - AGENT) * agent - (empty - BOX) * boxes - (empty - WALL) * walls

    def from_contents(self, contents: NDArray[np.uint8]) -> State:
        """The inverse of `contents`: one board gives plain integers, a batch gives uint64 arrays.

        Raises InputError (code `word.invalid`) unless there is exactly one agent, and ConfigError (code
        `board.size`) for a batch of boards of over 64 cells.
        """
        if contents.ndim > 1:
            require_arrays(self.board)
        require((contents == AGENT).sum(axis=-1) == 1, "exactly one agent")
        return State(*(_from_cell_bits(contents == symbol) for symbol in (WALL, BOX, AGENT)))

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cells around the agent, -1 off the board."""
        xp = namespace(contents)
        agent = xp.argmax(xp.equal(contents, AGENT), axis=-1)
        cells: Numbers = xp.asarray(slot_table(self.board))[agent]
        return cells

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The agent moves onto an empty cell, or pushes a box whose next cell is empty."""
        xp = namespace(view)
        before = held_in(self.form, view, op)
        here, first, second = before[..., 0], before[..., 1], before[..., 2]
        tries = xp.not_equal(op, NOP)
        pushes = xp.equal(first, BOX) & xp.equal(second, EMPTY) & tries
        moves = pushes | (xp.equal(first, EMPTY) & tries)
        after = [xp.where(moves, EMPTY, here), xp.where(moves, AGENT, first), xp.where(pushes, BOX, second)]
        return moves, xp.stack(after, axis=-1).astype(before.dtype)

    @property
    def family_size(self) -> int:
        """Number of states by formula: 4,909,088 for 6x6."""
        cells = len(self.board.inner_cells())
        return sum(
            comb(cells, walls) * comb(cells - walls, boxes) * (cells - walls - boxes)
            for walls in range(MAX_WALLS + 1)
            for boxes in range(1, MAX_BOXES + 1)
            if walls + boxes < cells
        )

    def family_states(self) -> Iterator[State]:
        """Every state exactly once, in batches of one choice of walls and one number of boxes."""
        inner = self.board.inner_cells()
        for walls in range(MAX_WALLS + 1):
            for wall_cells in combinations(inner, walls):
                free = [cell for cell in inner if cell not in wall_cells]
                for boxes in range(1, min(MAX_BOXES, len(free) - 1) + 1):
                    yield _placed(self.board, wall_cells, free, boxes)

    def in_family(self, state: State) -> bool:
        """Does a single state have walls and boxes that the family allows?"""
        walls, rim = int(state.walls), self.board.rim
        few_walls = walls & rim == rim and (walls & ~rim).bit_count() <= MAX_WALLS
        return few_walls and 1 <= int(state.boxes).bit_count() <= MAX_BOXES

    def views(self) -> NDArray[np.uint8]:
        """The agent with box, wall or empty in each other slot: 6,561 views, some of which no board shows."""
        others = np.array([BOX, WALL, EMPTY], np.uint8)
        grid = np.stack(np.meshgrid(*[others] * (SLOTS - 1), indexing="ij"), axis=-1).reshape(-1, SLOTS - 1)
        return np.concatenate([np.full((len(grid), 1), AGENT, np.uint8), grid], axis=1)

    def draw(self, state: State) -> str:
        """The rows of the board in XSB signs."""
        return to_text(self.board, state)

    def plan_text(self, start: State, ops: list[int]) -> str:
        """The plan in LURD letters, pushes as capitals."""
        return write_moves(self.board, start, ops)

    def state_to_json(self, state: State) -> object:
        """The board as text in XSB signs."""
        return to_text(self.board, state)

    def state_from_json(self, value: object) -> State:
        """The inverse of `state_to_json`; raises the InputErrors of `state_from_text`."""
        return state_from_text(self.board, value)


class Sokoban(SokobanGame):
    """Sokoban in the paper's words; the protocol is `nhc.domains.local.CasedWorld`."""

    def word_cases(self) -> Iterator[WordCase]:
        """A case for each inner cell of the agent: walls on the rim, elsewhere anything else."""
        inner = list(self.board.inner_cells())
        for agent in inner:
            allowed = np.zeros((self.board.cells, len(SYMBOLS)), bool)
            allowed[:, WALL] = True
            allowed[np.ix_(inner, [BOX, WALL, EMPTY])] = True
            allowed[agent] = np.arange(len(SYMBOLS)) == AGENT
            yield WordCase(allowed, slot_table(self.board)[agent])


@lru_cache(maxsize=64)
def slot_table(board: Board) -> NDArray[np.int32]:
    """[agent's cell, slot] -> cell in view: agent, up 1, up 2, right 1, ..., left 2; -1 off the board."""
    table = np.full((board.cells, SLOTS), -1, dtype=np.int32)
    for cell in range(board.cells):
        table[cell, 0] = cell
        for slot in range(1, SLOTS):
            target = board.neighbour(cell, (slot - 1) // 2, (slot - 1) % 2 + 1)
            table[cell, slot] = -1 if target is None else target
    table.setflags(write=False)
    return table


def require_arrays(board: Board) -> None:
    """Raises ConfigError (code `board.size`) unless the board's states fit into uint64 arrays."""
    if board.cells > ARRAY_CELLS:
        raise ConfigError(
            "board.size",
            f"batches are for boards of up to {ARRAY_CELLS} cells, this one has {board.cells}",
        )


def _cell_bits(board: Board, bits: Bits) -> NDArray[np.uint8]:
    """One number of 0 and 1 a cell, shape (..., cells)."""
    if isinstance(bits, int):
        raw = np.frombuffer(bits.to_bytes(board.cells // 8 + 1, "little"), dtype=np.uint8)
    else:
        raw = np.ascontiguousarray(bits, dtype="<u8").reshape(*np.shape(bits), 1).view(np.uint8)
    return np.unpackbits(raw, axis=-1, count=board.cells, bitorder="little")


def _from_cell_bits(bits: NDArray[np.bool_]) -> Bits:
    """The inverse of `_cell_bits`; a batch has at most 64 cells."""
    raw = np.packbits(bits, axis=-1, bitorder="little")
    if bits.ndim == 1:
        return int.from_bytes(raw.tobytes(), "little")
    padded = np.zeros((*raw.shape[:-1], 8), dtype=np.uint8)
    padded[..., : raw.shape[-1]] = raw
    return padded.view("<u8")[..., 0].astype(np.uint64)


def _placed(board: Board, walls: tuple[int, ...], free: list[int], boxes: int) -> State:
    """All places of `boxes` boxes and the agent on the free cells."""
    chosen = np.array(list(combinations(range(len(free)), boxes)), np.intp)
    bits = np.uint64(1) << np.array(free, np.uint64)
    occupied = np.zeros((len(chosen), len(free)), bool)
    np.put_along_axis(occupied, chosen, True, axis=1)
    rows, agents = np.nonzero(~occupied)
    board_bits: NDArray[np.uint64] = np.bitwise_or.reduce(bits[chosen], axis=1)
    wall_bits = np.uint64(board.rim | sum(1 << cell for cell in walls))
    return State(np.full(len(rows), wall_bits), board_bits[rows], bits[agents])


def _distinct(rng: np.random.Generator, count: int, among: int, pieces: int) -> NDArray[np.int64]:
    """`count` rows of `pieces` distinct numbers below `among`: the first steps of a Fisher-Yates shuffle."""
    rows = np.arange(count)
    order = np.tile(np.arange(among), (count, 1))
    chosen = rng.integers(np.arange(pieces), among, size=(count, pieces))
    for column in range(pieces):
        other = chosen[:, column]
        here = order[:, column].copy()
        order[:, column] = order[rows, other]
        order[rows, other] = here
    return order[:, :pieces]


def _first(bits: NDArray[np.uint64], numbers: NDArray[np.int64]) -> NDArray[np.uint64]:
    """The union of the first `numbers[i]` bits of each row i."""
    wanted = np.arange(bits.shape[1]) < numbers[:, None]
    union: NDArray[np.uint64] = np.bitwise_or.reduce(np.where(wanted, bits, np.uint64(0)), axis=1)
    return union

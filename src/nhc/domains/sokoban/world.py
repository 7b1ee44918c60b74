"""The Sokoban world of the paper as a domain: sampler, step, identity of states, encoding.

The paper, section "Learning Algorithmic Solutions": small boards with a walled rim, few inner walls and
boxes. The protocol is `nhc.domains.protocol.Domain`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nhc.domains.local import Numbers, WordCase, WordForm
from nhc.domains.sokoban import encoding, family, local, rules
from nhc.domains.sokoban.board import Board
from nhc.domains.sokoban.configuration import state_from_text
from nhc.domains.sokoban.draw import to_text
from nhc.domains.sokoban.family import MAX_BOXES, MAX_WALLS
from nhc.domains.sokoban.moves import write_moves
from nhc.domains.sokoban.rules import State
from nhc.errors import ConfigError


@dataclass(frozen=True)
class Sokoban:
    """Sokoban on a board with a walled rim; any board for steps and words, see `sample` for sampling."""

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
    def word_bits(self) -> int:
        """Length of an encoded data word: four bits a cell."""
        return encoding.word_bits(self.board)

    def sample(self, rng: np.random.Generator, count: int) -> State:
        """`count` independent start states, uint64 arrays; consumes `rng`.

        The number of inner walls is uniform in 0..2, the number of boxes uniform in 1..5; their places
        and the agent's are distinct inner cells, uniform. Raises ConfigError (code `board.size`) for
        boards of over 64 cells or with less than 8 inner cells.
        """
        encoding.require_arrays(self.board)
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
        return rules.step(self.board, state, op)

    def key(self, state: State) -> NDArray[np.uint64]:
        """Integers that are equal exactly if boxes and agent are equal; batches only.

        key = 64 * (boxes >> width) + agent's cell. No box is lost by the shift, because the first row is
        rim. It fits 64 bits on every board of at most 64 cells: the agent's cell is below 64, and the
        highest box stands on cell (height - 1) * width - 2 at most, so the highest bit of the key is
        cells - 2 * width - 2 + 6 <= 64 - 6 + 4 = 62, as width >= 3. Raises ConfigError (code
        `board.size`) for larger boards.
        """
        encoding.require_arrays(self.board)
        boxes = np.asarray(state.boxes, dtype=np.uint64)
        agent = np.asarray(state.agent, dtype=np.uint64)
        cell = np.bitwise_count(agent - np.uint64(1))
        key: NDArray[np.uint64] = boxes >> np.uint64(self.board.width) << np.uint64(6) | cell
        return key

    @property
    def form(self) -> WordForm:
        """How words, views and changes are made of cells."""
        return local.word_form(self.board)

    def contents(self, state: State) -> NDArray[np.uint8]:
        """The symbol number of each cell."""
        return local.contents(self.board, state)

    def cells_in_view(self, contents: Numbers) -> Numbers:
        """The cells around the agent, -1 off the board."""
        return local.cells_in_view(self.board, contents)

    def act(self, view: Numbers, op: Numbers) -> tuple[Numbers, Numbers]:
        """The rule on views."""
        return local.act(self.board, view, op)

    @property
    def family_size(self) -> int:
        """Number of states by formula: 4,909,088 for 6x6."""
        return family.family_size(self.board)

    def family_states(self) -> Iterator[State]:
        """Every state exactly once, in batches."""
        return family.family_states(self.board)

    def views(self) -> NDArray[np.uint8]:
        """Every local view, and some that no board shows: 6,561."""
        return local.all_views()

    def word_cases(self) -> Iterator[WordCase]:
        """One for each cell of the agent."""
        return local.word_cases(self.board)

    def encode(self, state: State) -> NDArray[np.uint8]:
        """One-hot data words of 0 and 1, shape (..., word_bits)."""
        return encoding.encode(self.board, state)

    def decode(self, words: NDArray[np.uint8]) -> State:
        """The inverse of `encode`; raises InputError (code `word.invalid`) on a word that is no state."""
        return encoding.decode(self.board, words)

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

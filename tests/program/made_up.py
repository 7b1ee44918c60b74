"""Programs that no machine learned: random tables, and one that makes careless lookups slow."""

from functools import cache

import numpy as np

from nhc.certify.prove import Proof, extract_program, prove
from nhc.domains.registry import any_domain
from nhc.domains.sokoban.rules import Board
from nhc.domains.sokoban.world import Sokoban
from nhc.domains.states import picked, plain
from nhc.model import load_model
from nhc.program.compiled import CONTENT, FORWARD
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row
from nhc.tasks.planning import GoalCells, PlanningTask

BOARDS = (Board(6, 6), Board(8, 8), Board(5, 7), Board(12, 5), Board(4, 16))
LIKELY = (0, 1, 2, 3)


@cache
def zoo_program(name: str) -> Program:
    """The program of a zoo model."""
    model = load_model(f"zoo:{name}")
    proof = prove(model)
    assert isinstance(proof, Proof)
    return extract_program(model, proof)


def random_program(rng: np.random.Generator, *, gaps: float = 0.0, nops: float = 0.02) -> Program:
    """A table for every state of 2 to 6 words, less a share `gaps` of its rows, operations and words."""
    words = [int(w) for w in rng.choice(256, size=rng.integers(2, 7), replace=False)]
    states = [ControlState(phase, word, op) for phase in Phase for word in words for op in range(5)]
    first = (FIRST_STATE, FIRST_STATE._replace(phase=Phase.BACK))
    rows = {state: _random_row(rng, words, gaps, nops) for state in (*first, *states)}
    kept = {state: row for state, row in rows.items() if rng.random() >= gaps or state in first}
    return Program(str(rng.choice(["search", "plan"])), 8, kept)


def _random_row(rng: np.random.Generator, words: list[int], gaps: float, nops: float) -> Row:
    constrained, fresh = (int(word) for word in rng.choice(words, size=2))
    mechanisms = [int(m) for m in rng.permutation(5)]
    if rng.random() < 0.5:  # lookups need most care
        mechanisms.sort(key=lambda mechanism: mechanism != CONTENT)
    preference = tuple(int(word) for word in rng.permutation(words) if rng.random() >= gaps)
    ops = {word: 4 if rng.random() < nops else int(rng.integers(4)) for word in words if rng.random() >= gaps}
    return Row(constrained, fresh, tuple(mechanisms), preference, ops)


def alternating_program() -> Program:
    """Rewrites cell 0 with two words in turn, and looks each time for the one that is not there.

    The next cell that has it is ever farther away: every third tick looks it up and takes it away.
    """
    first, other, gone, fresh = 10, 20, 30, 10
    order = (CONTENT, FORWARD, 2, 3, 4)
    rows = {
        FIRST_STATE: Row(gone, fresh, order, (first,), {first: 0}),
        ControlState(Phase.SEARCH, first, 0): Row(other, fresh, order, (first,), {first: 1}),
        ControlState(Phase.SEARCH, first, 1): Row(gone, fresh, order, (other,), {other: 2}),
        ControlState(Phase.SEARCH, other, 2): Row(first, fresh, order, (first,), {first: 0}),
    }
    return Program("search", 8, rows)


def sokoban_task(rng: np.random.Generator, board: Board, moves: int) -> PlanningTask:
    """A random start, and as goal what some random moves make of it, whole or its boxes only."""
    domain = any_domain(Sokoban(board))
    start = plain(picked(domain.sample(rng, 1), 0))
    state = start
    for op in rng.integers(4, size=moves):
        state = domain.step(state, int(op))
    goal = GoalCells(int(state[1])) if rng.random() < 0.5 else state
    return PlanningTask(any_domain(domain), start, goal, "made up")

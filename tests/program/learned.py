"""Programs of proved machines, variants of them, and a slow run of a program's table as it stands."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import numpy as np

from nhc.algorithms.tree.algorithm import PLAN, SEARCH
from nhc.certify.prove import Proof, extract_program, prove
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.model import Model, load_model
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.teacher import search_weights

NAMES = ("plan", "search", "hand")
CONTENT, FORWARD, BACKWARD, CHILD, PARENT = range(5)
NEAR = (1997, 1998, 1999, 2000)
GOALS = (*range(1, 121), *NEAR)
FRESH, CURRENT, FINISHED, GOAL = 0, 255, 15, 99
"""Words of the machine made by hand, and one that it does not write."""


@cache
def model(name: str) -> Model:
    """`plan` and `search` of the zoo, or the machine made by hand."""
    if name != "hand":
        return load_model(f"zoo:{name}")
    config = MachineConfig(signals=3)
    return Model(Parameters.from_blocks(breadth_first_weights(), config), config, PLAN, {})


@cache
def proved(name: str) -> Program:
    """The program of a machine."""
    verdict = prove(model(name))
    assert isinstance(verdict, Proof)
    return extract_program(model(name), verdict)


def changed(program: Program, state: ControlState, row: Row) -> Program:
    """The program with another row for a state."""
    return Program(program.task, program.word_size, {**program.rows, state: row})


def looking_up() -> Program:
    """The machine made by hand, but it finds the next node by its word."""
    hand = proved("hand")
    state = next(s for s in hand.rows if s.phase is Phase.SEARCH and s.op == 3)
    row = hand.rows[state]
    words = (FRESH, row.constrained)
    return changed(hand, state, row._replace(mechanisms=(0, 1, 2, 3, 4), preference=words))


def two_kinds_of_nodes() -> Program:
    """The machine made by hand, but every fourth child is written and marked with words of its own.

    If the goal is met after the second operation on such a node, it is found by its word.
    """
    program, kind, marked = proved("hand"), 77, 200
    rows = program.rows
    last, after_one, found = (ControlState(Phase.SEARCH, CURRENT, op) for op in (3, 1, 1))
    found = found._replace(phase=Phase.BACK)
    by_word = rows[found]._replace(fresh=GOAL, mechanisms=(0, 1, 2, 3, 4), preference=(GOAL,), ops={GOAL: 4})
    first = ControlState(Phase.SEARCH, FRESH, 0)
    new = {
        last: rows[last]._replace(fresh=kind, ops={FRESH: 0, kind: 0}),
        first._replace(word=kind): rows[first]._replace(
            constrained=marked, preference=(marked,), ops={marked: 1}
        ),
        first._replace(word=kind, phase=Phase.BACK): rows[first._replace(phase=Phase.BACK)],
        after_one._replace(word=marked): rows[after_one],
        found._replace(word=marked): by_word,
        ControlState(Phase.BACK, GOAL, 4): rows[ControlState(Phase.BACK, FRESH, 4)],
    }
    return Program(program.task, program.word_size, {**rows, **new})


def two_words_for_new_nodes() -> Program:
    """Search made by hand, but every fourth child is written with a word of its own that means the same."""
    config = MachineConfig(signals=2)
    parameters = Parameters.from_blocks(search_weights(breadth_first_weights()), config)
    made = Model(parameters, config, SEARCH, {})
    verdict = prove(made)
    assert isinstance(verdict, Proof)
    program, kind = extract_program(made, verdict), 77
    rows, last = program.rows, ControlState(Phase.SEARCH, CURRENT, 3)
    new = {ControlState(phase, kind, 0): rows[ControlState(phase, FRESH, 0)] for phase in Phase}
    new[last] = rows[last]._replace(fresh=kind, ops={FRESH: 0, kind: 0})
    return Program(program.task, program.word_size, {**rows, **new})


def another_first_word(program: Program, *, by_word: bool) -> Program:
    """A word of its own for the first cell; if the goal is its first child, that may be found by its word."""
    word = 77
    row = program.rows[FIRST_STATE]
    program = changed(program, FIRST_STATE, row._replace(fresh=word, preference=(word,), ops={word: 0}))
    search, back = (ControlState(phase, FRESH, 0) for phase in Phase)
    program = changed(program, search._replace(word=word), program.rows[search])
    goal = program.rows[back]
    if by_word:
        goal = goal._replace(fresh=GOAL, mechanisms=(0, 1, 2, 3, 4), preference=(GOAL,), ops={GOAL: 4})
        end = ControlState(Phase.BACK, GOAL, 4)
        program = changed(program, end, program.rows[end._replace(word=FRESH)])
    return changed(program, back._replace(word=word), goal)


def other_goal_reads(name: str, rng: np.random.Generator) -> Program:
    """A Plan program that, in some states, finds the goal's cell by its word and in others as child."""
    program = proved(name)
    if name == "hand":
        program = changed(
            program, ControlState(Phase.BACK, GOAL, 4), program.rows[ControlState(Phase.BACK, FRESH, 4)]
        )
    for state, row in list(program.rows.items()):
        if state.phase is Phase.BACK and state.op < 4:
            goal = row if name != "hand" else row._replace(fresh=GOAL, ops={GOAL: 4})
            order = (CONTENT, 1, 2, 3, 4) if rng.random() < 0.15 else (CHILD, 0, 1, 2, 4)
            program = changed(program, state, goal._replace(mechanisms=order, preference=(goal.fresh,)))
    return program


def words_of(program: Program) -> list[int]:
    """Every control word that is ever written, in increasing order of code."""
    return sorted({word for row in program.rows.values() for word in (row.constrained, row.fresh)})


def parent_by_its_word(name: str) -> Program:
    """A Plan program whose goal's tick leaves a word of its own in the parent; that is found by it."""
    program, found = proved(name), 66
    assert found not in words_of(program)
    for state, row in proved(name).rows.items():
        if state.phase is Phase.BACK and state.op < 4:
            looking, parent = (ControlState(Phase.BACK, word, 4) for word in (row.fresh, row.constrained))
            by_word = program.rows[looking]._replace(
                mechanisms=(0, 1, 2, 3, 4), preference=(found,), ops={found: 4}
            )
            program = changed(program, state, row._replace(constrained=found))
            program = changed(program, parent._replace(word=found), proved(name).rows[parent])
            program = changed(program, looking, by_word)
    return program


def other_last_reads(rng: np.random.Generator) -> Program:
    """A Search program with other reads at its last tick, where every read is right."""
    program = proved("search")
    for state, row in list(program.rows.items()):
        if state.phase is Phase.BACK and rng.random() < 0.5:
            words = sorted({w for r in program.rows.values() for w in (r.constrained, r.fresh)})
            preference = tuple(int(word) for word in rng.permutation(words))
            order = tuple(int(m) for m in rng.permutation(5))
            new = Row(row.constrained, row.fresh, order, preference, dict.fromkeys(words, 4))
            program = changed(program, state, new)
    return program


def renamed(program: Program, rng: np.random.Generator) -> Program:
    """The program with other bits for every word."""
    codes = [int(code) for code in rng.permutation(256)]

    def new_row(row: Row) -> Row:
        ops = {codes[word]: op for word, op in row.ops.items()}
        preference = tuple(codes[word] for word in row.preference)
        return Row(codes[row.constrained], codes[row.fresh], row.mechanisms, preference, ops)

    rows = {
        state if state == FIRST_STATE else state._replace(word=codes[state.word]): new_row(row)
        for state, row in program.rows.items()
    }
    return Program(program.task, program.word_size, rows)


class Ticked(NamedTuple):
    """What a tick of a table did."""

    address: int
    op: int
    mechanism: int


def run_table(program: Program, goal: int) -> list[Ticked]:
    """The run to a goal node, decision by decision as the table has them. Raises KeyError if it has none."""
    depth, node = 0, goal
    while node > 0:
        depth, node = depth + 1, (node - 1) // 4
    back = depth + 1 if program.task == "plan" else 1
    return list(_ticks(program, [Phase.SEARCH] * goal + [Phase.BACK] * back))


def _ticks(program: Program, phases: list[Phase]) -> Iterator[Ticked]:
    words: list[int] = []
    parents: list[int] = []
    children: dict[int, int] = {}
    cursor, op = -1, -1
    for phase in phases:
        state = FIRST_STATE if cursor < 0 else ControlState(phase, words[cursor], op)
        row = program.rows[state]
        if cursor >= 0:
            words[cursor] = row.constrained
        words.append(row.fresh)
        parents.append(cursor)
        children[cursor] = len(words) - 1
        content = next((words.index(word) for word in row.preference if word in words), -1)
        found = [content, cursor + 1, cursor - 1, children[cursor], parents[cursor]]
        if cursor < 0:
            found[1:] = [-1] * 4
        mechanism = next(m for m in row.mechanisms if 0 <= found[m] < len(words))
        cursor = found[mechanism]
        op = row.ops[words[cursor]]
        yield Ticked(cursor, op, mechanism)

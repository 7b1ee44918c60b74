"""The extracted program against long runs of brute force: no state, word or operation is missing or wrong."""

from functools import cache
from itertools import islice

import pytest

from nhc.certify.prove import Proof, extract_program, prove
from nhc.program.table import FIRST_STATE, ControlState, Program
from tests.certify.mutants import BASES, base
from tests.certify.simulated import TICKS, ends, simulated
from tests.computer.machines import hand_made, model_of
from tests.oracles.brute_force import BACK, NOWHERE, SEARCH, USAGE_FORWARD, way_back
from tests.oracles.teacher import search_weights
from tests.program.learned import words_of


@cache
def program(name: str) -> Program:
    mutant = base(name)
    model = model_of(mutant.weights, mutant.algorithm)
    proof = prove(model)
    assert isinstance(proof, Proof)
    return extract_program(model, proof)


@pytest.mark.parametrize("name", BASES)
def test_every_state_visited_has_a_row_that_does_what_the_weights_do(name: str) -> None:
    rows, machine = program(name).rows, base(name).machine()
    visited = {(state, word) for state, word in simulated(name).reads} | {(s, w) for _, s, w, _ in ends(name)}
    assert len(simulated(name).fresh) == TICKS
    for state, word in visited:
        row, wanted = rows[ControlState(*state)], machine.row(state)
        assert (row.constrained, row.fresh) == (wanted.constrained, wanted.fresh)
        assert [*row.mechanisms] == wanted.order
        assert row.ops[word] == wanted.ops[word]


@pytest.mark.parametrize("name", BASES)
def test_every_row_is_visited_or_at_least_true(name: str) -> None:
    """The rows are what the proof says can be reached; runs reach nearly all."""
    rows, machine = program(name).rows, base(name).machine()
    visited = {state for state, _ in simulated(name).reads} | {state for _, state, _, _ in ends(name)}
    assert visited == {tuple(state) for state in rows}
    for state, row in rows.items():
        wanted = machine.row(tuple(state))
        assert row.ops == {word: wanted.ops[word] for word in row.ops}
        scores = [wanted.score[word] for word in row.preference]
        assert scores == sorted(scores, reverse=True)
        assert len({*row.preference}) == len(row.preference)


@pytest.mark.parametrize("name", BASES)
def test_a_lookup_knows_every_word_in_memory(name: str) -> None:
    """In the search, and at the goal of early and late nodes."""
    rows, mutant = program(name).rows, base(name)
    machine = mutant.machine()
    for goal in (1, 2, 3, 4, 5, 8, 21, 40, 85, 341):
        length = len(way_back(goal)) if mutant.plan else 1
        for tick, run in islice(machine.ticks(goal), goal + length):
            row = rows[ControlState(*tick.state)]
            present = {word for word in range(256) if run.lowest[word] < NOWHERE}
            if row.preference and tick.state.op != 4:
                assert present <= {*row.preference}


@pytest.mark.parametrize("name", BASES)
def test_the_first_row_and_the_words(name: str) -> None:
    found = program(name)
    assert found.task == base(name).algorithm
    assert found.word_size == 8
    assert found.first == found.rows[FIRST_STATE]
    assert found.first.ops == {simulated(name).fresh[0]: 0}
    assert [*found.rows] == sorted(found.rows)
    phases = {state.phase for state in found.rows}
    assert phases == {SEARCH, BACK}
    written = {*simulated(name).fresh, *simulated(name).final}
    assert written <= {*words_of(found)}


def test_rows_of_a_machine_without_usage_links_name_none() -> None:
    weights = search_weights({**hand_made().parameters.named_blocks(hand_made().config)})
    weights["interface.read.modes.b"][3:] = 10.0  # strongest, if they were there
    model = model_of(weights, "search", usage_link=False)
    proof = prove(model)
    assert isinstance(proof, Proof)
    for row in extract_program(model, proof).rows.values():
        assert max(row.mechanisms) < USAGE_FORWARD

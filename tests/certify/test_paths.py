"""Proofs on the paths of an environment: trained machines, changed ones, and such that fail far out only."""

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.certify import mutants
from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network, Seen
from nhc.certify.environment import Environment, Refused, read_environment
from nhc.certify.order import Order
from nhc.certify.paths import (
    Counterexample,
    PathProof,
    failing_instance,
    prove_paths,
    verdict_label,
    verdict_on,
)
from nhc.certify.prove import Undecided
from nhc.certify.replay import replayed
from nhc.certify.stack import Stack
from nhc.model import Model
from nhc.program.compiled import CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE
from tests.certify.abstracted import followed, reached_by
from tests.certify.path_machines import TRAINED, Row, Table, blank, trained
from tests.computer.machines import zoo

MOST = 5_000


def environment_of(name: str) -> Environment:
    algorithm = ALGORITHMS[name]
    abstraction = algorithm.abstraction()
    assert abstraction is not None
    return read_environment(algorithm, abstraction.rules)


@pytest.mark.parametrize("name", TRAINED)
def test_trained_machines_are_proved(name: str) -> None:
    verdict = prove_paths(trained(name))
    assert isinstance(verdict, PathProof)
    assert all(margin.ratio > 2 for margin in verdict.margins.smallest.values())
    assert verdict_label(verdict_on(trained(name))) == "proved"


@pytest.mark.parametrize("name", ["plan", "search"])
def test_search_and_planning_are_proved_a_second_way(name: str) -> None:
    assert isinstance(prove_paths(zoo(name)), PathProof)


@pytest.mark.parametrize("name", ["copy", "brackets"])
def test_verdicts_agree_with_brute_force(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mutants, "TICKS", 3_000)
    found = mutants.drill(trained(name), count=6)
    assert found["proved, right"] > 0
    assert found["refuted, wrong"] > 0
    assert found["proved, wrong"] + found["refuted, right"] == 0


def test_a_plan_with_one_wrong_word_is_not_proved() -> None:
    weights = mutants.blocks_of(zoo("plan"))
    weights["interface.constrained.word.b"] = -weights["interface.constrained.word.b"]
    assert isinstance(prove_paths(mutants.with_blocks(zoo("plan"), weights)), Counterexample | Undecided)


def test_the_smallest_input_that_is_wrong_is_found() -> None:
    weights = mutants.blocks_of(trained("reverse"))
    weights["transform_c.b"][ALGORITHMS["reverse"].ops.index("stop")] += 50
    verdict = verdict_on(mutants.with_blocks(trained("reverse"), weights))
    assert isinstance(verdict, Counterexample)
    assert failing_instance(verdict) == (1,)
    assert not verdict.run.correct
    assert "instead of (1,)" in str(verdict.run)


def test_no_environment_is_no_verdict() -> None:
    class Silent(type(ALGORITHMS["copy"])):
        def abstraction(self) -> None:
            return None

    model = trained("copy")
    silent = Model(model.parameters, model.config, Silent(), {})
    assert prove_paths(silent) == Undecided("no environment is stated")


PREFIX, PERIOD, END_WORD, DONE = 8, 3, 250, 251
NOP, EMIT, STOP = range(3)


def numbered_copy(defect: str = "", place: int = NONE) -> Table:
    """Copies by links; its input words are numbered up to `PREFIX`, then repeat. One place may be wrong."""

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, 0, (CONTENT,))
        if seen.signals == (0,):
            after = seen.word + 1 if seen.word + 1 < PREFIX + PERIOD else PREFIX
            return Row(seen.word, after, (USAGE_FORWARD,))
        if seen.op == NOP:
            worse = (place, 0) if defect == "lookup" else (0,)
            return Row(seen.word, END_WORD, (CONTENT,), worse)
        return Row(DONE, DONE, (USAGE_FORWARD,) if (defect, place) == ("link", seen.word) else (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        if seen.signals == (0,):
            return NOP
        return STOP if word == END_WORD or (defect, place) == ("op", word) else EMIT

    return Table("copy", row, op)


def first_wrong(table: Table, sizes: range) -> int | None:
    """The first length at which a table's run is wrong."""
    for size in sizes:
        if not replayed(table, ALGORITHMS["copy"], tuple(range(1, size + 1))).correct:
            return size
    return None


def test_a_copy_that_numbers_its_input_is_proved() -> None:
    table = numbered_copy()
    assert first_wrong(table, range(1, 30)) is None
    reached_by(Order(table, environment_of("copy"), tracks=False), MOST)


@pytest.mark.parametrize(
    ("defect", "place", "length"), [("op", 7, 8), ("lookup", 6, 7), ("link", 5, 6), ("op", 9, 10)]
)
def test_a_copy_that_is_wrong_from_far_on_is_refused(defect: str, place: int, length: int) -> None:
    table = numbered_copy(defect, place)
    assert first_wrong(table, range(1, 30)) == length
    with pytest.raises(Refused):
        reached_by(Order(table, environment_of("copy"), tracks=False), MOST)


def counting_brackets(depth: int, wrong: int = NONE) -> Table:
    """A stack whose words count up to a depth; at the end of a string the word `wrong` is accepted too."""

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, 0, (CONTENT,))
        if seen.signals == (1, 0, 0, 0):
            return Row(seen.word, min(seen.word + 1, depth), (USAGE_FORWARD,))
        return Row(seen.word, 255, (USAGE_BACKWARD,))

    def op(seen: Seen, word: int) -> int:
        if seen.signals == (0, 0, 1, 0):
            return 1 if seen.word in (0, wrong) else 2
        return 2 if seen.signals == (0, 1, 0, 0) else 0

    return Table("brackets", row, op)


def test_brackets_that_count_their_depth() -> None:
    reached_by(Stack(counting_brackets(12), environment_of("brackets")), MOST)
    with pytest.raises(Refused, match="reject"):
        reached_by(Stack(counting_brackets(12, wrong=12), environment_of("brackets")), MOST)


def test_a_machine_that_is_right_by_accident_is_not_refuted() -> None:
    """It stops without having to be told: right, but not tick by tick what the environment says."""
    verdict = prove_paths(blank("copy"))
    assert isinstance(verdict, Undecided | Counterexample)
    assert verdict_label(verdict) != "proved"


@pytest.mark.parametrize("name", TRAINED)
def test_every_concrete_run_stays_among_the_states_reached(name: str) -> None:
    proof = prove_paths(trained(name))
    assert isinstance(proof, PathProof)
    decisions = Decisions(Network(trained(name)), Margins())
    rng = np.random.default_rng(3)
    for _ in range(20):
        assert followed(decisions, environment_of(name), proof, rng, ticks=40) > 1

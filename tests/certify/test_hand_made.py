"""Machines made by hand for algorithms that are hard to learn: proved as they are, refused with one fault."""

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from nhc.certify.enclosure import Seen
from nhc.certify.environment import Refused, read_environment
from nhc.certify.order import Order
from nhc.certify.paths import PathProof
from nhc.certify.replay import replayed
from nhc.certify.stack import Stack
from nhc.program.compiled import CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.shapes import NONE
from tests.certify.abstracted import followed, reached_by
from tests.certify.path_machines import Row, Table

MOST = 3_000


START, A, B, C, LAST = range(1, 6)
NOP, ACCEPT, TOO_MANY, TOO_FEW = range(4)


def counts(fault: str = "") -> Table:
    """Stays at START while a comes, then goes forward; the words tell a, b and c."""

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, START, (CONTENT,))
        if seen.signals == (1, 0, 0, 0):
            return Row(seen.word, A, (CONTENT,), (START,))
        fresh = {(0, 1, 0, 0): B, (0, 0, 1, 0): C, (0, 0, 0, 1): LAST}[seen.signals]
        return Row(seen.word, fresh, (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        if seen.word == NONE:
            return NOP
        if seen.signals == (1, 0, 0, 0):
            return NOP if seen.word == START else TOO_MANY
        if seen.signals == (0, 0, 0, 1):
            fair = (seen.word, word) in ((START, LAST), (B, C))
            return ACCEPT if fair or (fault == "early end" and (seen.word, word) == (A, B)) else TOO_FEW
        right = A if seen.signals == (0, 1, 0, 0) else B
        more = {"more b": (A, B), "more c": (B, C)}.get(fault)
        if word == right or (right, word) == more:
            return NOP
        return TOO_FEW if (right, word) == (B, A) else TOO_MANY

    return Table("counts", row, op)


AFTER, BEHIND = 10, 11
"""The first cell after the input, and the others."""
NEWER, SYMBOL, RARE = 12, 13, 14


def intersect(fault: str = "") -> Table:
    """From START forward to the first cell after the input, or until one is equal."""
    to_start = (CONTENT,), (START,)

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, START, (CONTENT,))
        if not seen.signals[0]:
            return Row(SYMBOL if seen.word == NEWER else START, NEWER, (USAGE_FORWARD,))
        if seen.word == NEWER:
            return Row(SYMBOL, AFTER, *to_start)
        if seen.word == AFTER or seen.signals[1]:
            return Row(seen.word, BEHIND, *to_start)
        return Row(seen.word, BEHIND, (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        emit, skip, stop = 1, 2, 3
        if not seen.signals[0] or seen.word == NEWER:
            return NOP
        if seen.signals[2]:
            return stop
        if seen.word == AFTER:
            return emit if fault == "finds all" else skip
        return emit if seen.signals[1] else NOP

    return remembering(Table("intersect", row, op)) if fault == "remembers" else Table("intersect", row, op)


def remembering(table: Table) -> Table:
    """Looks for a word that is there only if a query was found before, where none is found."""

    def row(seen: Seen) -> Row:
        made = table.row(seen)
        if seen.signals[1]:
            return made._replace(fresh=RARE)
        return made._replace(liked=(RARE, START)) if seen.word == AFTER else made

    return Table("intersect", row, table.chosen)


NEW_KEY, NEW_VALUE, KEY, VALUE = range(20, 24)


def recall(fault: str = "") -> Table:
    """The same with keys and values by turns; what equals the query is a key if a key was read."""
    old = {NEW_KEY: KEY, NEW_VALUE: VALUE}

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, START, (CONTENT,))
        mark = old.get(seen.word, seen.word)
        if not seen.signals[0]:
            return Row(mark, NEW_VALUE if seen.word == NEW_KEY else NEW_KEY, (USAGE_FORWARD,))
        if seen.word in (NEW_VALUE, AFTER) or (seen.word == VALUE and seen.op != NOP):
            return Row(mark, AFTER if seen.word == NEW_VALUE else BEHIND, (CONTENT,), (START,))
        return Row(mark, BEHIND, (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        emit, fail, stop = 1, 2, 3
        if seen.signals[:1] == (0,):
            return NOP
        if seen.signals[2]:
            return stop
        is_key = seen.word == KEY or (fault == "any word" and seen.word == VALUE and seen.op == NOP)
        if word == AFTER:
            return fail
        return emit if seen.signals[1] and is_key else NOP

    return Table("recall", row, op)


ODD, EVEN, PASSED_ODD, PASSED_EVEN = range(30, 34)
"""Cells of the input are odd and even ones, and other ones after the first pass."""


def odds_first(fault: str = "") -> Table:
    """Goes through the input twice, forward; the newest cell tells that the input still comes."""
    passed = {ODD: PASSED_ODD, EVEN: PASSED_EVEN}
    starts = {ODD: 40, EVEN: 41}
    ends = {40: ODD, 41: EVEN}

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, starts[ODD], (CONTENT,))
        here = ends.get(seen.word, seen.word)
        if seen.signals == (0,):
            return Row(here, starts[EVEN if here == ODD else ODD], (USAGE_FORWARD,))
        if seen.word in ends:
            return Row(here, AFTER, (CONTENT,), (ODD,))
        if seen.word == AFTER:
            return Row(AFTER, BEHIND, (CONTENT,), (PASSED_ODD,))
        return Row(passed.get(here, here), BEHIND, (FORWARD,))

    def op(seen: Seen, word: int) -> int:
        emit, stop = 1, 2
        if seen.signals == (0,):
            return NOP
        if word == AFTER:
            return stop if seen.word in (PASSED_ODD, PASSED_EVEN) else NOP
        return emit if word in (ODD, PASSED_ODD if fault == "same pass" else PASSED_EVEN) else NOP

    return Table("odds-first", row, op)


ROOT, NODE, NIL_WORD, USED = 50, 53, 56, 57
"""A node's word, then that of one whose left side is entered, then of one whose right side is."""


def preorder(fault: str = "") -> Table:
    """A stack by usage links; the word of a node says which side was entered."""
    left, right, up, stop = range(4)

    def row(seen: Seen) -> Row:
        if seen.word == NONE:
            return Row(0, ROOT, (CONTENT,))
        entered = {(ROOT, left), (ROOT + 1, right), (NODE, left), (NODE + 1, right)}
        old = seen.word + ((seen.word, seen.op) in entered)
        if seen.op == up:
            return Row(old, USED, (USAGE_BACKWARD,))
        return Row(old, NIL_WORD if seen.signals[0] else NODE, (USAGE_FORWARD,))

    def op(seen: Seen, word: int) -> int:
        if seen.op != up:
            return up if seen.signals[0] else left
        if word == ROOT + 2 or (fault == "deep" and seen.word == word == NODE + 2):
            return stop
        return right if word in (ROOT + 1, NODE + 1) else up

    return Table("preorder", row, op)


MADE = {
    "counts": counts,
    "intersect": intersect,
    "recall": recall,
    "odds-first": odds_first,
    "preorder": preorder,
}


def domain(table: Table, name: str) -> Order | Stack:
    abstraction = ALGORITHMS[name].abstraction()
    assert abstraction is not None
    environment = read_environment(ALGORITHMS[name], abstraction.rules)
    if abstraction.memory == "stack":
        return Stack(table, environment)
    return Order(table, environment, tracks=False)


@pytest.mark.parametrize("name", MADE)
def test_they_are_proved(name: str) -> None:
    algorithm, table = ALGORITHMS[name], MADE[name]()
    for level in range(1, 4):
        assert all(replayed(table, algorithm, instance).correct for instance in algorithm.tasks(level) or ())
    assert len(reached_by(domain(table, name), MOST)) > 10


@pytest.mark.parametrize(
    ("name", "fault", "wrong"),
    [
        ("counts", "early end", "ab"),
        ("counts", "more b", "abbc"),
        ("intersect", "finds all", ((1, 2), (3,))),
        ("intersect", "remembers", ((1, 2), (1, 3, 3))),
        ("recall", "any word", (((1, 2), (2, 3)), (2,))),
        ("odds-first", "same pass", (1, 2, 3)),
        ("preorder", "deep", ((1, 4), (-1, 2), (-1, 3), (-1, -1), (-1, -1))),
    ],
)
def test_with_a_fault_they_are_refused(name: str, fault: str, wrong: object) -> None:
    table = MADE[name](fault)
    assert not replayed(table, ALGORITHMS[name], wrong).correct
    with pytest.raises(Refused):
        reached_by(domain(table, name), MOST)


@pytest.mark.parametrize("name", MADE)
def test_every_concrete_run_stays_among_the_states_reached(name: str) -> None:
    table, rng = MADE[name](), np.random.default_rng(3)
    made, abstraction = domain(table, name), ALGORITHMS[name].abstraction()
    assert abstraction is not None
    reached = reached_by(made, MOST)
    under = made.under if isinstance(made, Stack) else {}
    proof = PathProof(abstraction, False, reached, under, table.margins)
    for _ in range(30):
        assert followed(table, made.environment, proof, rng, ticks=40) > 1


def test_right_in_another_way_than_taught_is_refused_too() -> None:
    """A c too many is not rejected at once, but at the end."""
    table = counts("more c")
    run = replayed(table, ALGORITHMS["counts"], "abcc")
    assert (run.correct, run.off_at) == (True, 5)
    with pytest.raises(Refused):
        reached_by(domain(table, "counts"), MOST)

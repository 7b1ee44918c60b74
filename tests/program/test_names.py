"""Names of words: by role, unique, and independent of everything but the program."""

import numpy as np
import pytest

from nhc.program.listing import listing
from nhc.program.names import Role, added_role, letters, marked_role, variants, walk, word_names
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program
from tests.program.learned import CURRENT, FINISHED, FRESH, NAMES, changed, proved, renamed
from tests.program.made_up import random_program


def mentioned(program: Program) -> set[int]:
    """Every word that is anywhere in a program."""
    words = {state.word for state in program.rows} - {-1}
    for row in program.rows.values():
        words |= {row.constrained, row.fresh, *row.preference, *row.ops}
    return words


def test_the_words_of_the_machine_made_by_hand() -> None:
    """Its word CURRENT serves while any of three ops was done, and has the first one's name."""
    names = word_names(proved("hand"))
    assert names == {FRESH: "FRESH", CURRENT: "EXPANDING-1", FINISHED: "DONE"}


@pytest.mark.parametrize("name", NAMES)
def test_every_word_has_a_name_of_its_own(name: str) -> None:
    names = word_names(proved(name))
    assert names.keys() == mentioned(proved(name))
    assert len(set(names.values())) == len(names)


@pytest.mark.parametrize("name", NAMES)
def test_names_say_what_cells_hold_on_a_run(name: str) -> None:
    """After 4n + p ticks: finished cells, the cursor's with p - 1 children, and fresh ones."""
    program, names = proved(name), word_names(proved(name))
    words: list[int] = []
    state, cursor = FIRST_STATE, -1
    for tick in range(1, 90):
        row = program.rows[state]
        if cursor >= 0:
            words[cursor] = row.constrained
        words.append(row.fresh)
        cursor, op = divmod(tick - 1, 4)
        state = ControlState(Phase.SEARCH, words[cursor], op)
        roles = [names[word].rstrip("ab").removesuffix("-1").removesuffix("-2") for word in words]
        assert all(names[word].startswith("DONE") for word in words[:cursor])
        assert all(names[word].startswith("FRESH") for word in words[cursor + 1 :])
        if name != "hand":
            assert names[words[cursor]].startswith(f"EXPANDING-{op}" if op else "FRESH"), roles


def test_numbers_are_the_order_in_which_words_are_met() -> None:
    names = word_names(proved("plan"))
    program = proved("plan")
    assert names[program.first.fresh] in ("FRESH", "FRESH-1")
    # The names of the words written at ticks 1, 2, ... appear in the order of their numbers.
    met = list(dict.fromkeys(names[program.rows[s].fresh] for s in walk(program) if s.phase is Phase.SEARCH))
    fresh = [name for name in met if name.startswith("FRESH")]
    assert fresh == sorted(fresh)
    assert [*names.values()] == sorted(names.values(), key=lambda n: [r.label in n for r in Role].index(True))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", [3, 4])
def test_other_bits_give_the_same_names(name: str, seed: int) -> None:
    """As far as no tick reads one of several words that were not met before, which these do not."""
    other = renamed(proved(name), np.random.default_rng(seed))
    assert listing(other) == listing(proved(name))


def test_a_word_with_two_roles_has_the_name_of_the_first() -> None:
    hand = proved("hand")
    state = next(s for s in hand.rows if s.phase is Phase.BACK and s.op == 2)
    other = changed(hand, state, hand.rows[state]._replace(fresh=FINISHED, constrained=88))
    assert word_names(other)[FINISHED] == "DONE"
    assert word_names(other)[88] == "FOUND-AT"


def test_words_without_a_role_are_numbered() -> None:
    hand = proved("hand")
    row = hand.rows[FIRST_STATE]
    first = changed(hand, FIRST_STATE, row._replace(constrained=7))
    assert word_names(first)[7] == "WORD-1"
    state = next(s for s in hand.rows if s.phase is Phase.SEARCH and s.op == 1)
    row = hand.rows[state]
    assert word_names(changed(first, state, row._replace(preference=(*row.preference, 5, 3)))) == {
        **word_names(hand),
        7: "WORD-1",
        3: "WORD-2",
        5: "WORD-3",
    }


def test_any_table_gets_names() -> None:
    rng = np.random.default_rng(2)
    for _ in range(60):
        program = random_program(rng, gaps=0.3)
        names = word_names(program)
        assert names.keys() == mentioned(program)
        assert len(set(names.values())) == len(names)
        assert sorted(walk(program)) == sorted(program.rows)


@pytest.mark.parametrize(
    ("phase", "op", "marked", "added"),
    [
        (Phase.SEARCH, 0, Role.EXPANDING_1, Role.FRESH),
        (Phase.SEARCH, 1, Role.EXPANDING_2, Role.FRESH),
        (Phase.SEARCH, 2, Role.EXPANDING_3, Role.FRESH),
        (Phase.SEARCH, 3, Role.DONE, Role.FRESH),
        (Phase.SEARCH, 4, Role.WORD, Role.WORD),
        (Phase.BACK, 0, Role.FOUND_AT, Role.GOAL),
        (Phase.BACK, 3, Role.FOUND_AT, Role.GOAL),
        (Phase.BACK, 4, Role.PATH, Role.SPARE),
    ],
)
def test_roles(phase: Phase, op: int, marked: Role, added: Role) -> None:
    assert marked_role(phase, op) is marked
    assert added_role(phase, op) is added


def test_names_of_several_words_of_a_role() -> None:
    assert variants(Role.FOUND_AT, 1) == ["FOUND-AT"]
    assert variants(Role.FOUND_AT, 2) == ["FOUND-AT-1", "FOUND-AT-2"]
    assert variants(Role.EXPANDING_2, 1) == ["EXPANDING-2"]
    assert variants(Role.EXPANDING_2, 3) == ["EXPANDING-2a", "EXPANDING-2b", "EXPANDING-2c"]
    assert variants(Role.WORD, 1) == ["WORD-1"]
    assert variants(Role.GOAL, 0) == []
    assert [letters(number) for number in (0, 25, 26, 27, 51, 52)] == ["a", "z", "ba", "bb", "bz", "ca"]
    for role in Role:
        assert len(set(variants(role, 256))) == 256


@pytest.mark.parametrize("name", NAMES)
def test_the_walk_searches_before_it_goes_back(name: str) -> None:
    order = walk(proved(name))
    assert [state.op for state in order][:5] == [-1, 0, 1, 2, 3]
    phases = [state.phase for state in order]
    assert phases == sorted(phases)

"""Minimised programs against slow runs of the tables they come from, and what counts as the same program."""

from collections.abc import Callable

import numpy as np
import pytest

from nhc.errors import InputError
from nhc.program.compiled import FORWARD
from nhc.program.listing import START, Situation, Source, listing, sought
from nhc.program.minimize import (
    CHECKED_GOALS,
    canonical,
    first_difference,
    minimized,
    minimized_search,
)
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row
from tests.program.learned import (
    CONTENT,
    FINISHED,
    FRESH,
    GOALS,
    NAMES,
    NEAR,
    Ticked,
    another_first_word,
    changed,
    looking_up,
    other_goal_reads,
    other_last_reads,
    parent_by_its_word,
    proved,
    renamed,
    run_table,
    two_kinds_of_nodes,
    two_words_for_new_nodes,
    words_of,
)
from tests.program.reader import parse_text, run_to_goal


def same_program(a: Program, b: Program) -> bool:
    """Do two proved programs do the same in the same way?"""
    return minimized(a) == minimized(b)


SHORT = (*range(1, 31), 97, 218)


def runs(program: Program, goals: tuple[int, ...] = SHORT) -> list[list[Ticked]]:
    """The runs of a table to some goals."""
    return [run_table(program, goal) for goal in goals]


def reads_and_ops(program: Program, goals: tuple[int, ...] = SHORT) -> list[list[tuple[int, int]]]:
    return [[tick[:2] for tick in ticks] for ticks in runs(program, goals)]


def test_the_goals_parent_may_be_found_by_its_word() -> None:
    """By the word that the goal's tick left there, and by no word that nothing ever writes."""
    program = parent_by_its_word("plan")
    rules = minimized(program)
    assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(program)
    assert reads_and_ops(program) == reads_and_ops(proved("plan"))
    (source,) = {
        source
        for situation, rule in rules.rules.items()
        if (situation.phase, situation.op) == (Phase.BACK, 4)
        for source in rule.sources
        if source.words
    }
    assert all(word.startswith("FOUND-AT") for word in source.words)
    assert not same_program(program, proved("plan"))
    assert same_program(program, renamed(program, np.random.default_rng(3)))


def variants(kind: str, count: int) -> list[Program]:
    """Programs that are right, with reads drawn at random where several are."""
    rng = np.random.default_rng(5)
    makers: dict[str, Callable[[], Program]] = {
        "search": lambda: other_last_reads(rng),
        "plan": lambda: other_goal_reads("plan", rng),
        "hand": lambda: other_goal_reads("hand", rng),
    }
    return [makers[kind]() for _ in range(count)]


@pytest.mark.parametrize("name", NAMES)
def test_a_minimal_program_reads_and_chooses_the_same_on_long_runs(name: str) -> None:
    rules = minimized(proved(name))
    for goal in (*GOALS[:120:17], NEAR[0]):
        assert run_to_goal(rules, goal) == [tick[:2] for tick in run_table(proved(name), goal)]


@pytest.mark.parametrize(("kind", "count"), [("search", 20), ("plan", 6), ("hand", 4)])
def test_so_does_that_of_any_right_program(kind: str, count: int) -> None:
    classes = set()
    for program in variants(kind, count):
        rules = minimized(program)
        assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(program)
        classes.add(canonical(program))
        assert rules.rules[START].add in ("FRESH", "FRESH-1")
    assert len(classes) > 1 or kind == "hand"


@pytest.mark.parametrize("name", NAMES)
def test_the_mechanism_that_wins_is_kept(name: str) -> None:
    """At each tick the rule's first source that finds a cell is of the mechanism that won in the table."""
    rules = minimized(proved(name)).rules
    wins = {tick.mechanism for ticks in runs(proved(name)) for tick in ticks}
    assert {source.mechanism for rule in rules.values() for source in rule.sources} == wins


@pytest.mark.parametrize("name", ["plan", "search"])
def test_names_of_words_do_not_matter(name: str) -> None:
    rng = np.random.default_rng(1)
    for program in (proved(name), *variants("search" if name == "search" else "plan", 3)):
        other = renamed(program, rng)
        assert same_program(program, other)
        assert canonical(other) == canonical(program)


def test_the_zoo_planner_learned_the_textbook_program() -> None:
    assert len(words_of(proved("plan"))) > 3 * len(words_of(proved("hand")))
    assert same_program(proved("plan"), proved("hand"))
    assert not same_program(proved("plan"), proved("search"))


def test_the_textbook_program_has_twelve_rules_over_nine_words() -> None:
    rules = minimized(proved("hand")).rules
    words = {word for rule in rules.values() for word in (rule.mark, rule.add)} - {""}
    expanding = {f"EXPANDING-{number}" for number in (1, 2, 3)}
    assert words == {"FRESH", "DONE", "GOAL", "FOUND-AT", "PATH", "SPARE"} | expanding
    assert len(rules) == 12


@pytest.mark.parametrize("name", NAMES)
def test_minimal_programs_are_small(name: str) -> None:
    assert len(minimized(proved(name)).rules) <= min(13, len(proved(name).rows))


def test_another_mechanism_is_another_program() -> None:
    """The next node by its link or by its word, with the same reads and operations."""
    assert reads_and_ops(looking_up()) == reads_and_ops(proved("hand"))
    assert not same_program(looking_up(), proved("hand"))
    assert minimized_search(looking_up()) != minimized_search(proved("hand"))
    found = first_difference(minimized(proved("hand")), minimized(looking_up()))
    assert found is not None
    assert found.where == "search, on EXPANDING-3 after left"
    assert found.first == "mark DONE  add FRESH  read next  do up"
    assert found.second == "mark DONE  add FRESH  read first FRESH  do up"


def test_the_search_part_alone_can_be_the_same() -> None:
    first, *others = variants("search", 6)
    assert any(not same_program(first, other) for other in others)
    for other in (*others, proved("plan"), proved("hand")):
        assert minimized_search(first) == minimized_search(other)
    assert {situation.phase for situation in minimized_search(first).rules} == {Phase.SEARCH}


@pytest.mark.parametrize(("kind", "count"), [("plan", 10), ("hand", 6)])
def test_plans_are_the_same_exactly_if_the_same_mechanisms_win(kind: str, count: int) -> None:
    programs = variants(kind, count)
    texts = [canonical(program) for program in programs]
    wins = [runs(program, tuple(range(1, 40))) for program in programs]
    for i in range(count):
        for j in range(i):
            assert (texts[i] == texts[j]) == (wins[i] == wins[j])
    equal = [wins[i] == wins[j] for i in range(count) for j in range(i)]
    assert 0 < sum(equal) < len(equal)


@pytest.mark.parametrize("program", [proved("hand"), looking_up()], ids=["by link", "by word"])
def test_a_word_of_the_first_cell_alone_is_merged(program: Program) -> None:
    """Unless it makes a difference; then the next node is the first cell with any of the fresh words."""
    other = another_first_word(program, by_word=False)
    assert reads_and_ops(other) == reads_and_ops(program)
    assert len(listing(other).rules) == len(listing(program).rules) + 2
    assert same_program(other, program)
    different = another_first_word(program, by_word=True)
    assert reads_and_ops(different) == reads_and_ops(program)
    assert not same_program(different, program)
    rules = minimized(different)
    assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(program)
    advance = rules.rules[Situation(Phase.SEARCH, "EXPANDING-3", 3)].sources
    assert advance in ((Source(CONTENT, ("FRESH-1", "FRESH-2")),), (Source(FORWARD),))


def test_words_are_apart_if_what_they_lead_to_is() -> None:
    """The marks of two kinds of nodes differ in one read at the goal: the nodes differ too."""
    rules = minimized(two_kinds_of_nodes())
    assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(two_kinds_of_nodes())
    mark = {s.word: rule.mark for s, rule in rules.rules.items() if s.phase is Phase.SEARCH and s.op == 0}
    assert mark == {"FRESH-1": "EXPANDING-1a", "FRESH-2": "EXPANDING-1b"}
    assert [rules.rules[Situation(Phase.BACK, word, 1)].sources[0].mechanism for word in mark.values()] == [
        3,
        0,
    ]
    add = {rule.add for s, rule in rules.rules.items() if s.phase is Phase.SEARCH and s.op == 3}
    assert add == {"FRESH-2"}


def test_a_lookup_at_the_end_keeps_its_words_apart() -> None:
    """Two fresh words with the same rules, one of which is looked for after the second operation."""
    search = two_words_for_new_nodes()
    state = next(s for s in search.rows if s.phase is Phase.BACK and s.op == 1)
    fresh = sorted({row.fresh for s, row in search.rows.items() if s.phase is Phase.SEARCH})
    assert len(fresh) > 1
    split = 0
    for word in fresh:
        row = search.rows[state]
        ops = {word: 4, row.constrained: 4}
        row = row._replace(mechanisms=(0, 1, 2, 3, 4), preference=tuple(ops), ops=ops)
        other = changed(search, state, row)
        rules = minimized(other)
        assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(other)
        split += len(rules.rules) > len(minimized(search).rules)
    assert split > 0


def test_each_of_several_lookups_keeps_its_words_apart() -> None:
    """Every fresh word looks for itself: the words do the same, each with another lookup."""
    other = search = proved("search")
    fresh = {row.fresh for state, row in search.rows.items() if state.phase is Phase.SEARCH}
    for word in fresh:
        state = ControlState(Phase.BACK, word, 0)
        ops = {word: 4, search.rows[state].constrained: 4}
        row = search.rows[state]._replace(mechanisms=(0, 1, 2, 3, 4), preference=tuple(ops), ops=ops)
        other = changed(other, state, row)
    rules = minimized(other)
    assert [run_to_goal(rules, goal) for goal in SHORT] == reads_and_ops(other)
    assert len({s.word for s in rules.rules if s.op == 0}) == len(fresh)
    assert same_program(other, renamed(other, np.random.default_rng(2)))


def test_a_lookup_ends_with_what_is_surely_there() -> None:
    row = Row(constrained=4, fresh=5, mechanisms=(0,), preference=(9, 8, 4, 7, 5), ops={8: 0, 4: 0, 7: 0})
    state = ControlState(Phase.BACK, 3, 2)
    assert sought(state, row) == (9, 8, 4)
    assert sought(state, row._replace(constrained=1)) == (9, 8, 4, 7)
    assert sought(state, row._replace(constrained=1, fresh=8)) == (9, 8)
    assert sought(state, row._replace(constrained=1, ops={8: 0})) == (9, 8)
    assert sought(FIRST_STATE, row) == (5,)


def test_what_no_run_meets_does_not_matter() -> None:
    hand, minimal = proved("hand"), minimized(proved("hand"))
    for state, row in hand.rows.items():
        weaker = row._replace(mechanisms=(row.mechanisms[0], *reversed(row.mechanisms[1:])))
        assert minimized(changed(hand, state, weaker)) == minimal


def test_programs_that_are_not_the_algorithm_are_refused() -> None:
    hand = proved("hand")
    state = ControlState(Phase.SEARCH, FRESH, 0)
    wrong = changed(hand, state, hand.rows[state]._replace(fresh=FINISHED))
    for use in (minimized, minimized_search, canonical):
        with pytest.raises(InputError) as caught:
            use(wrong)
        assert caught.value.code == "program.run"
    assert CHECKED_GOALS >= 4 * 33, "the first nodes can behave differently"


@pytest.mark.parametrize("name", NAMES)
def test_the_canonical_text_is_a_program(name: str) -> None:
    assert parse_text(canonical(proved(name))) == minimized(proved(name))
    assert "#" not in canonical(proved(name))


def test_the_first_difference_names_what_one_lacks() -> None:
    hand, search = minimized(proved("hand")), minimized(proved("search"))
    assert first_difference(hand, hand) is None
    assert first_difference(hand, search) == ("task", "plan", "search")
    back, *_ = [situation for situation in hand.rules if situation.phase is Phase.BACK]
    fewer = {situation: rule for situation, rule in hand.rules.items() if situation != back}
    short = type(hand)(hand.task, fewer)
    found = first_difference(hand, short)
    assert found is not None
    assert found == (
        "back, on FRESH after up",
        "mark FOUND-AT  add GOAL  read child  do nop",
        "no such situation",
    )
    assert first_difference(short, hand) == (found.where, found.second, found.first)
    other = type(hand)(hand.task, {**hand.rules, back: hand.rules[back]._replace(sources=(Source(FORWARD),))})
    assert first_difference(hand, other) is not None

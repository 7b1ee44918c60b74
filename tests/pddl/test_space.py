"""Packed states and the search for actions that apply, against plain sets and all possible objects."""

from collections import deque
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.domains.space import GraphTask, Row
from nhc.errors import InputError
from nhc.jit import compiled
from nhc.pddl import Limits, PddlTask, packed, parse_pddl, read_pddl
from nhc.pddl.model import Fact
from nhc.pddl.packed import FACTS, MODULUS
from nhc.planning.closed_loop import expand_once
from nhc.planning.explored import room_for, rules_of
from tests.pddl.naive import is_goal, successors
from tests.pddl.small import random_tasks, texts

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "pddl"


def expanded(task: PddlTask, state: Row) -> list[tuple[int, Row]]:
    """Labels and successors, by the rules as they stand."""
    space = task.space
    made = np.full((space.most_actions, len(space.start)), -1)
    labels = np.full(space.most_actions, -1)
    space.scratch[:] = -1  # whatever was left there
    count = space.expand(space.facts, space.scratch, state, made, labels)
    return [(int(label), row) for label, row in zip(labels[:count], made[:count], strict=True)]


def unpacked(row: Row, count: int) -> set[int]:
    """Which of so many facts hold in a state."""
    places = [(fact, *divmod(fact, packed.FACTS)) for fact in range(count)]
    return {fact for fact, word, bit in places if int(row[word]) >> bit & 1}


def assert_same_graph(task: PddlTask, most: int) -> None:
    """The first states in breadth-first order, with all that leaves them."""
    facts = task.ground.facts
    start = frozenset(task.problem.init)
    seen, queue = {start}, deque([(task.space.start, start)])
    while queue and most:
        most -= 1
        row, state = queue.popleft()
        assert {facts[number] for number in unpacked(row, len(facts))} == state & set(facts)
        assert task.space.at_goal(task.space.facts, row) == is_goal(task.problem, state)
        made = expanded(task, row)
        expected = list(successors(task.problem, state))
        assert task.steps([label for label, _ in made]) == [step for step, _ in expected]
        for (_, successor), (_, after) in zip(made, expected, strict=True):
            if after not in seen:
                seen.add(after)
                queue.append((successor, after))


@settings(max_examples=150, deadline=None)
@given(random_tasks(), st.sampled_from([2, 5, FACTS]))
def test_random_tasks_are_the_same_graphs(pair: tuple[str, str], facts_a_word: int) -> None:
    """With few facts a word, states and marks have many words."""
    with mock.patch.object(packed, "FACTS", facts_a_word):
        assert_same_graph(parse_pddl(*pair), 25)


@pytest.mark.parametrize("name", sorted(path.name for path in EXAMPLES.iterdir()))
def test_examples_are_the_same_graphs(name: str) -> None:
    assert_same_graph(read_pddl(EXAMPLES / name / "domain.pddl", EXAMPLES / name / "problem-1.pddl"), 15)


def test_the_rules_compile_as_pointers_and_say_the_same() -> None:
    """Over more than one word: the sliding puzzle has 81 facts."""
    task = read_pddl(EXAMPLES / "sliding" / "domain.pddl", EXAMPLES / "sliding" / "problem-3.pddl")
    space = task.space
    assert len(space.start) == 2
    rules, (made, labels) = rules_of(space), room_for(space, space.most_actions)
    row = space.start
    for step in range(30):
        count = compiled(expand_once)(rules, row, made, labels)
        plain = expanded(task, row)
        assert [label for label, _ in plain] == labels[:count].tolist()
        assert np.array_equal([after for _, after in plain], made[:count])
        row = made[step % count].copy()


def test_powers_of_two_leave_different_rests() -> None:
    assert len({2**bit % MODULUS for bit in range(FACTS)}) == FACTS


def test_a_task_is_a_graph_task() -> None:
    task = parse_pddl(*texts())
    assert isinstance(task, GraphTask)
    assert (task.name, task.unit) == ("toy try", "action")


def test_what_does_not_change_or_is_not_read_is_no_bit() -> None:
    """`q` is added and, but for the goal, never read; `p b` cannot come to hold."""
    task = parse_pddl(*texts())
    assert task.ground.facts == [("p", "a"), ("q", "a", "b")]
    assert task.size == (2, 2, 4, 0, 1)
    assert "2 of 4 ground actions, 2 facts" in str(task.size)
    constant = parse_pddl(*texts(effect="(q ?x ?y)"))
    assert constant.ground.facts == [("q", "a", "b")]
    assert constant.size.constant_facts == 1


def test_names_that_look_alike_when_joined_are_kept_apart() -> None:
    objects = {
        "objects": "a o oa b ob aob",
        "init": "(p o) (p oa)",
        "goal": "(and (q o aob) (q oa ob))",
    }
    facts = parse_pddl(*texts(**objects)).ground.facts
    assert {("q", "o", "aob"), ("q", "oa", "ob")} <= set(facts)
    assert len(facts) == len(set(facts))


def reached_goal(**parts: str) -> list[Fact] | None:
    """A shortest plan."""
    task = parse_pddl(*texts(**parts))
    queue: deque[tuple[Row, list[int]]] = deque([(task.space.start, [])])
    seen = {task.space.start.tobytes()}
    while queue:
        row, path = queue.popleft()
        if task.space.at_goal(task.space.facts, row):
            assert task.plan_fault(path) is None
            return task.steps(path)
        for label, after in expanded(task, row):
            if after.tobytes() not in seen:
                seen.add(after.tobytes())
                queue.append((after, [*path, label]))
    return None


def test_negative_conditions_equality_and_constants_count() -> None:
    assert reached_goal() == [("go", "a", "b")]
    assert reached_goal(condition="(and (p ?x) (not (p ?y)))", goal="(q a a)") is None
    assert reached_goal(condition="(and (p ?x) (= ?x ?y))", goal="(q a a)") == [("go", "a", "a")]
    assert reached_goal(condition="(and (p ?x) (not (= ?x ?y)))", goal="(q a a)") is None
    only = {"later": "(:constants k - block)", "condition": "(and (p ?x) (= ?y k))"}
    assert reached_goal(**only, goal="(q a k)") == [("go", "a", "k")]
    assert reached_goal(**only, goal="(q a b)") is None
    assert reached_goal(goal="(and (p a) (not (q a b)))") == []
    assert reached_goal(goal="()") == []
    assert reached_goal(effect="()") is None
    assert reached_goal(effect="(and (p ?x) (not (p ?x)) (q ?x ?y))", goal="(and (p a) (q a b))") is not None


@pytest.mark.parametrize("limits", [Limits(facts=5), Limits(actions=5), Limits(matches=5)])
def test_limits_end_grounding(limits: Limits) -> None:
    pair = texts(objects="a b c d e f g", init="(p b) (p c) (p d)", effect="(q ?x ?y)")
    with pytest.raises(InputError, match=r"`go` leads to more than 5 .* has 49 ground actions") as caught:
        parse_pddl(*pair, limits)
    assert caught.value.code == "pddl.limit"
    assert caught.value.place is not None and caught.value.place.line == 7
    assert len(parse_pddl(*pair, Limits(28, 28, 200)).ground.actions) == 28

"""Plans as text, and the referee, who shares nothing with grounding."""

import pytest

from nhc.errors import InputError
from nhc.pddl import fault_of_plan, parse_pddl, read_plan, write_plan
from tests.pddl.small import texts

TASK = parse_pddl(*texts(objects="a b", init="(p b)", goal="(and (q a b) (q b a))"))


def test_a_plan_is_written_and_read_back() -> None:
    names = [action.name for action in TASK.ground.actions]
    labels = [names.index(("go", "a", "b")), names.index(("go", "b", "a"))]
    text = TASK.plan_text(labels)
    assert text == "(go a b)\n(go b a)\n"
    assert read_plan(text) == TASK.steps(labels)
    assert write_plan([]) == "" and read_plan("") == []
    assert TASK.plan_fault(labels) is None


def test_plans_of_other_planners_are_read() -> None:
    assert read_plan(b"\xef\xbb\xbf(GO A b )\r\n; cost = 2 (unit cost)\r\n(go b a)") == [
        ("go", "a", "b"),
        ("go", "b", "a"),
    ]


@pytest.mark.parametrize(
    ("text", "code", "place"),
    [
        ("go a b", "pddl.plan", "plan:1:1"),
        ("(go a b)\n0: (go b a)", "pddl.plan", "plan:2:1"),
        ("(go (a) b)", "pddl.plan", "plan:1:5"),
        ("()", "pddl.plan", "plan:1:1"),
        ("(go a b", "pddl.truncated", "plan:1:8"),
        ("(go a b))", "pddl.bracket", "plan:1:9"),
    ],
)
def test_what_is_no_plan_is_refused(text: str, code: str, place: str) -> None:
    with pytest.raises(InputError) as caught:
        read_plan(text, "plan")
    assert (caught.value.code, str(caught.value.place)) == (code, place)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("(go a b)", "after the last step (q b a) of the goal does not hold"),
        ("(go a b) (go a a)", "step 2, (go a a): (p a) does not hold"),
        ("(fly a b)", "step 1: there is no action `fly`"),
        ("(go a)", "step 1, (go a): expected 2 objects, found 1"),
        ("(go a c)", "step 1, (go a c): there is no object `c`"),
    ],
)
def test_the_referee_names_what_is_wrong(text: str, fault: str) -> None:
    assert fault_of_plan(TASK.problem, read_plan(text)) == fault


def test_the_referee_sees_types_negations_and_equality() -> None:
    parts = {"sections": "(:constants k)", "condition": "(and (not (p ?y)) (not (= ?x ?y)))"}
    problem = parse_pddl(*texts(**parts)).problem
    assert fault_of_plan(problem, read_plan("(go a b)")) is None
    assert fault_of_plan(problem, read_plan("(go b a)")) == "step 1, (go b a): (not (p a)) does not hold"
    assert fault_of_plan(problem, read_plan("(go b b)")) == "step 1, (go b b): (not (= b b)) does not hold"
    assert fault_of_plan(problem, read_plan("(go a k)")) == "step 1, (go a k): `k` is no `block`, as ?y is"

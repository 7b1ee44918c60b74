"""What is read, what is refused under which code and where, and that nothing else happens to any text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.errors import InputError
from nhc.pddl import Limits, PddlTask, parse_pddl, read_pddl
from tests.pddl.small import texts

DOMAIN, PROBLEM = texts()


def fault(domain: str | bytes, problem: str | bytes) -> tuple[str, str]:
    """Code and place of the error."""
    with pytest.raises(InputError) as caught:
        parse_pddl(domain, problem)
    assert caught.value.place is not None
    return caught.value.code, str(caught.value.place)


def codes(task: PddlTask) -> list[str]:
    return [note.code for note in task.warnings]


@pytest.mark.parametrize(
    "parts",
    [
        {"condition": "(and (and (and (p ?x))))"},
        {"condition": "()", "init": "(not (p b))"},
        {"condition": "(and)", "goal": "(and (and) (q a b))"},
        {"condition": "(and (p ?x) (not (p ?y)) (= ?x ?x) (not (= ?x ?y)))"},
        {"sections": "(:constants k - block)", "condition": "(and (p ?x) (not (p k)))"},
        {"later": "(:constants k - block)", "condition": "(and (p ?x) (not (p k)))"},
        {"condition": "(and (P ?X) ; capitals, and a comment: ä (\n)"},
    ],
)
def test_accepted_without_a_word(parts: dict[str, str]) -> None:
    task = parse_pddl(*texts(**parts))
    assert codes(task) == []
    assert task.ground.actions


def test_byte_order_mark_and_all_line_ends() -> None:
    task = parse_pddl(DOMAIN, PROBLEM)
    for end in ("\r\n", "\r"):
        domain, problem = (b"\xef\xbb\xbf" + text.replace("\n", end).encode() for text in (DOMAIN, PROBLEM))
        assert parse_pddl(domain, problem).ground == task.ground
        assert fault(domain.replace(b"(p ?x)", b"(p ?z)"), problem) == ("pddl.variable", "domain:9:22")
    assert parse_pddl(DOMAIN.upper(), "\ufeff" + PROBLEM.upper()).ground == task.ground


def test_latin_1_in_comments_is_read_with_a_warning() -> None:
    task = parse_pddl(DOMAIN.encode() + b"; caf\xe9\n", PROBLEM)
    assert codes(task) == ["pddl.encoding"]
    assert str(task.warnings[0].place) == "domain:11:6"
    assert fault("; caf\u00e9\n".encode("utf-16"), PROBLEM) == ("pddl.encoding", "domain:1:1")


CONDITION, EFFECT, GOAL, INIT, SECTION = "9:19", "10:13", "5:10", "4:16", "4:3"
REFUSED = [
    ("condition", "(or (p ?x) (p ?y))", "pddl.disjunction", CONDITION),
    ("condition", "(and (p ?x) (imply (p ?x) (p ?y)))", "pddl.disjunction", "9:31"),
    ("condition", "(not (and (p ?x) (p ?y)))", "pddl.disjunction", "9:24"),
    ("condition", "(not (not (p ?x)))", "pddl.disjunction", "9:24"),
    ("condition", "(not (or (p ?x) (p ?y)))", "pddl.disjunction", "9:24"),
    ("condition", "(forall (?z - block) (p ?z))", "pddl.quantifier", CONDITION),
    ("condition", "(exists (?z - block) (p ?z))", "pddl.quantifier", CONDITION),
    ("condition", "(preference x (p ?x))", "pddl.preference", CONDITION),
    ("condition", "(> (fuel ?x) 3)", "pddl.numeric", CONDITION),
    ("condition", "(= (fuel ?x) 3)", "pddl.numeric", CONDITION),
    ("condition", "(and (p ?x ?y))", "pddl.arity", "9:25"),
    ("condition", "(= ?x)", "pddl.arity", "9:20"),
    ("condition", "(on ?x ?y)", "pddl.predicate", "9:20"),
    ("condition", "(p ?z)", "pddl.variable", "9:22"),
    ("condition", "(p a)", "pddl.object", "9:22"),
    ("condition", "(p (p ?x))", "pddl.form", "9:22"),
    ("condition", "p", "pddl.form", CONDITION),
    ("condition", "((p ?x))", "pddl.form", "9:20"),
    ("condition", "(not)", "pddl.form", CONDITION),
    ("condition", "(p ?x) :vars ()", "pddl.section", "9:26"),
    ("condition", "(p ?x) :parameters ()", "pddl.section", "9:26"),
    ("condition", "(p ä)", "pddl.character", "9:22"),
    ("effect", "(when (p ?x) (q ?x ?y))", "pddl.conditional", EFFECT),
    ("effect", "(and (q ?x ?y) (forall (?z - block) (p ?z)))", "pddl.quantifier", "10:28"),
    ("effect", "(increase (fuel ?x) 3)", "pddl.numeric", EFFECT),
    ("effect", "(increase (total-cost) 3)", "pddl.numeric", "10:24"),
    ("effect", "(assign (fuel ?x) 3)", "pddl.numeric", EFFECT),
    ("effect", "(= ?x ?y)", "pddl.form", "10:14"),
    ("sections", "(:derived (p ?x) (q ?x ?x))", "pddl.derived", SECTION),
    ("sections", "(:durative-action fly)", "pddl.durative", SECTION),
    ("sections", "(:constraints (always (p a)))", "pddl.constraint", SECTION),
    ("sections", "(:functions (fuel ?x - block) - block)", "pddl.numeric", "4:35"),
    ("sections", "(:constants k - (either block object))", "pddl.either", "4:19"),
    ("sections", "(:constants k - brick)", "pddl.type", "4:19"),
    ("sections", "(:constants k K - block)", "pddl.duplicate", "4:17"),
    ("sections", "(:constants ?k - block)", "pddl.name", "4:15"),
    ("sections", "(:constants k - )", "pddl.form", "4:17"),
    ("sections", "(:constants - block)", "pddl.form", "4:15"),
    ("sections", "(:types brick)", "pddl.section", SECTION),
    ("sections", "(:sorts brick)", "pddl.section", SECTION),
    ("sections", "(:action go :effect ())", "pddl.duplicate", "7:12"),
    ("sections", "(:action)", "pddl.form", SECTION),
    ("sections", "(:action stay :effect)", "pddl.form", "4:17"),
    ("sections", "()", "pddl.form", SECTION),
    ("objects", "O a b o", "pddl.duplicate", "3:19"),
    ("objects", "k a b", "pddl.duplicate", "3:13"),
    ("objects", "a b - brick c", "pddl.type", "3:19"),
    ("domain", "boy", "pddl.domain", "2:12"),
    ("init", "(p c)", "pddl.object", "4:19"),
    ("init", "(p ?x)", "pddl.variable", "4:19"),
    ("init", "(q a)", "pddl.arity", "4:17"),
    ("init", "(not (p a))", "pddl.init", INIT),
    ("init", "(at 5 (p b))", "pddl.durative", INIT),
    ("init", "(= (fuel a) 3)", "pddl.numeric", "4:20"),
    ("init", "(= a b)", "pddl.form", INIT),
    ("init", "(and (p a))", "pddl.form", INIT),
    ("goal", "(or (p a) (p b))", "pddl.disjunction", GOAL),
    ("goal", "(p a) (p b)", "pddl.form", "5:3"),
    ("goal", "(p a)) (:metric minimize (fuel a)", "pddl.numeric", "5:17"),
    ("goal", "(p a)) (:metric maximize (total-cost)", "pddl.numeric", "5:17"),
]


@pytest.mark.parametrize(("part", "text", "code", "place"), REFUSED)
def test_refused_by_name_and_place(part: str, text: str, code: str, place: str) -> None:
    file = "problem" if part in ("objects", "domain", "init", "goal") else "domain"
    constants = {"later": "(:constants k - block)"} if part == "objects" else {}
    assert fault(*texts(**constants | {part: text})) == (code, f"{file}:{place}")


def test_other_faults_of_whole_files() -> None:
    assert fault("", PROBLEM) == ("pddl.form", "domain:1:1")
    assert fault(DOMAIN + DOMAIN, PROBLEM) == ("pddl.form", "domain:11:1")
    assert fault(DOMAIN, DOMAIN) == ("pddl.form", "problem:1:9")
    assert fault("(define)", PROBLEM) == ("pddl.form", "domain:1:1")
    assert fault(DOMAIN + ")", PROBLEM) == ("pddl.bracket", "domain:11:1")
    with pytest.raises(InputError, match=r"10:42: this `\)` closes nothing; all was closed at 4:3 "):
        parse_pddl(*texts(sections=")"))
    assert fault(DOMAIN[:-4], PROBLEM) == ("pddl.truncated", "domain:10:40")
    assert fault(DOMAIN, PROBLEM.replace("(:init", "(:objects")) == ("pddl.section", "problem:4:3")
    assert fault(DOMAIN, "(define (problem x) (:domain toy))") == ("pddl.section", "problem:1:1")
    assert fault(DOMAIN.replace(":strips", ":magic"), PROBLEM) == ("pddl.requirement", "domain:2:18")
    assert fault(DOMAIN.replace("block - object", "block - cube cube - block"), PROBLEM)[0] == "pddl.cycle"
    assert fault(DOMAIN.replace("block - object", "block object - block"), PROBLEM)[0] == "pddl.cycle"
    with pytest.raises(InputError, match=r"cannot be read: No such file.*\[pddl.file\]"):
        read_pddl("no/domain.pddl", "no/problem.pddl")


COSTS = {
    "sections": "(:functions (total-cost) - number (toll ?x - block) - number)",
    "effect": "(and (q ?x ?y) (increase (total-cost) (toll ?y)))",
    "init": "(= (toll a) 2.5) (= (total-cost) 0)",
    "goal": "(q a b)) (:metric minimize (total-cost)",
}


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (COSTS, ["pddl.requirement", "pddl.costs"]),
        ({"effect": "(and (p ?x) (q ?x ?y) (not (p ?x)))"}, ["pddl.add_wins"]),
        ({"effect": "(and (p ?x) (q ?x ?y) (not (p ?y)))"}, ["pddl.add_wins"]),
        ({"init": "(P A)"}, ["pddl.repeated"]),
        ({"goal": "(p b)"}, ["pddl.goal"]),
        ({"goal": "(and (p a) (not (p a)))"}, ["pddl.goal"]),
        ({"goal": "(q a b)) (:length (:serial 5)"}, ["pddl.length"]),
        ({"sections": "(:constants k)", "init": "(p k)"}, ["pddl.argument"]),
    ],
)
def test_accepted_with_a_warning(parts: dict[str, str], expected: list[str]) -> None:
    assert codes(parse_pddl(*texts(**parts))) == expected


def test_requirements_are_inferred_or_let_pass() -> None:
    bare = DOMAIN.replace("(:requirements :strips :typing :negative-preconditions :equality)", "")
    (note,) = parse_pddl(bare, PROBLEM).warnings
    assert str(note) == (
        "domain:3:3: :typing is used, and not among the requirements; read as if it were [pddl.requirement]"
    )
    (note,) = parse_pddl(DOMAIN.replace(":strips", ":adl :strips"), PROBLEM).warnings
    assert note.code == "pddl.requirement" and ":adl" in note.message
    (note,) = parse_pddl(DOMAIN.replace("block - object", "block - thing"), PROBLEM).warnings
    assert note.code == "pddl.type"


SMALL = Limits(facts=200, actions=200, matches=2000)


def assert_read_or_refused(domain: str | bytes, problem: str | bytes) -> None:
    try:
        parse_pddl(domain, problem, SMALL)
    except InputError as error:
        assert error.code.startswith("pddl.")
        assert error.place is not None and error.place.line is not None and error.place.column is not None


@given(st.binary(max_size=60) | st.text("() -?:;andtp\n", max_size=60), st.booleans())
def test_any_text_is_read_or_refused(junk: str | bytes, first: bool) -> None:
    assert_read_or_refused(*((junk, PROBLEM) if first else (DOMAIN, junk)))


CONDITION_OF_ALL = "(and (p ?x) (not (= ?x ?y)) (and (not (p ?y))))"
FULL = texts(**COSTS | {"condition": CONDITION_OF_ALL, "later": "(:constants k)"})
WORDS = ["(", ")", "-", "?x", "?", ":", "=", "and", "p", "a", "block", ":typing", "when", "(=", ":action"]


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_mutated_files_are_read_or_refused(data: st.DataObject) -> None:
    pair = list(FULL)
    which = data.draw(st.integers(0, 1))
    text = pair[which]
    start = data.draw(st.integers(0, len(text)))
    stop = data.draw(st.integers(start, min(len(text), start + 12)))
    put = data.draw(st.sampled_from([*WORDS, ""]) | st.text(max_size=3))
    pair[which] = f"{text[:start]} {put} {text[stop:]}" if data.draw(st.booleans()) else text[:start] + put
    assert_read_or_refused(*pair)


def test_every_truncation_is_refused() -> None:
    for which in (0, 1):
        for stop in range(len(FULL[which].rstrip())):
            pair = list(FULL)
            pair[which] = pair[which][:stop]
            assert fault(*pair)[0] in ("pddl.truncated", "pddl.form")


def test_deep_brackets_do_no_harm() -> None:
    depth = 20_000
    nested = "(and " * depth + "(p ?x)" + ")" * depth
    assert parse_pddl(*texts(condition=nested)).ground == parse_pddl(DOMAIN, PROBLEM).ground
    assert fault(*texts(condition="(" * depth + ")" * depth))[0] == "pddl.form"

"""Notations: what is written is read again, answers are as a person would write them, faults have a place."""

import re
import string
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.sequence.family import SEQUENCES
from nhc.algorithms.sequence.grammar import NOTATIONS, PAIRS
from nhc.algorithms.sequence.notation import AnyAsked, Text, argument_text, file_text
from nhc.errors import InputError

quick = settings(max_examples=15, deadline=None)
words = st.text(st.characters(codec="utf-8", exclude_categories=["Z", "C"]), min_size=1, max_size=4).filter(
    lambda word: len(word.split()) == 1 and "/" not in word and "=" not in word
)


def asked(name: str, *arguments: str) -> AnyAsked:
    return NOTATIONS[name].read(argument_text(arguments))


def answered(name: str, *arguments: str) -> str:
    """The specification's answer as a person reads it."""
    found = asked(name, *arguments)
    return NOTATIONS[name].show(ALGORITHMS[name].spec(found.instance), found)


def test_every_sequence_algorithm_has_a_notation_with_an_example() -> None:
    assert NOTATIONS.keys() == {algorithm.name for algorithm in SEQUENCES}
    for name, notation in NOTATIONS.items():
        assert answered(name, *notation.example.split(" "))
        assert notation.usage


@pytest.mark.parametrize(
    "name, arguments, answer",
    [
        ("copy", ["hello world"], "hello world"),
        ("reverse", ["hello"], "olleh"),
        ("reverse", ["one", "two", "007"], "007 two one"),
        ("duplicate", ["abc"], "aabbcc"),
        ("every-second", ["a", "b", "a"], "a a"),
        ("odds-first", ["12345"], "13524"),
        ("repeat", ["3", "ab"], "ababab"),
        ("repeat", ["2", "x", "y"], "x y x y"),
        ("repeat", ["0", "x"], ""),
        ("sort", ["10", "-9", "10", "+2"], "-9 2 10 10"),
        ("sort", ["pear", "Fig", "apple"], "Fig apple pear"),
        ("sort", ["hello"], "ehllo"),
        ("brackets", ["([ ]{})<>"], "yes"),
        ("brackets", ["([)]"], "no"),
        ("brackets", [""], "yes"),
        ("counts", ["aabbcc"], "yes"),
        ("counts", ["abca"], "no"),
        ("postfix", ["3", "-4", "+", "2", "*"], "-2"),
        ("postfix", ["+5"], "5"),
        ("add", ["999", "1"], "1000"),
        ("add", ["007", "0003"], "10"),
        ("add", ["00", "0"], "0"),
        ("hanoi", ["3"], "1 2 1 3 1 2 1"),
        ("intersect", ["x", "y", "/", "y", "z", "x"], "y x"),
        ("intersect", ["x", "/"], ""),
        ("recall", ["ann=7", "bob=ann", "/", "bob", "eve"], "ann -"),
        ("preorder", ["a(b(d,),c(,e))"], "a b d c e"),
        ("preorder", [" root ( left , ) "], "root left"),
    ],
)
def test_answers(name: str, arguments: list[str], answer: str) -> None:
    assert answered(name, *arguments) == answer


@pytest.mark.parametrize(
    "name, text, code, column",
    [
        ("copy", "", "input.empty", 1),
        ("repeat", "", "input.empty", 1),
        ("repeat", "3", "input.empty", 2),
        ("repeat", "x ab", "input.number", 1),
        ("repeat", "-1 ab", "input.number", 1),
        ("sort", "1 99999999999999999999", "input.number", 3),
        ("brackets", "([x])", "input.sign", 3),
        ("counts", "ab cd", "input.sign", 5),
        ("postfix", "", "input.empty", 1),
        ("postfix", "3 4 + *", "input.operands", 7),
        ("postfix", "3 4", "input.operands", 4),
        ("postfix", "3 x", "input.sign", 3),
        ("postfix", "3 9999999999999999999", "input.number", 3),
        ("add", "1", "input.count", 2),
        ("add", "1 2 3", "input.count", 6),
        ("add", "12 1x", "input.number", 4),
        ("add", "12 ²", "input.number", 4),
        ("hanoi", "", "input.count", 1),
        ("hanoi", "0", "input.number", 1),
        ("hanoi", "61", "input.number", 1),
        ("intersect", "a b", "input.slash", 4),
        ("intersect", "a / b / c", "input.slash", 7),
        ("intersect", "/ b", "input.empty", 4),
        ("recall", "a=1 b / a", "input.pair", 5),
        ("recall", "a=1=2 / a", "input.pair", 1),
        ("preorder", "", "input.tree", 1),
        ("preorder", "a b", "input.tree", 3),
        ("preorder", "a(b)", "input.tree", 4),
        ("preorder", "a(b,c,d)", "input.tree", 6),
        ("preorder", "a(b,c", "input.tree", 6),
        ("preorder", "a(b(c,)d,)", "input.tree", 8),
        ("preorder", "(a,b)", "input.tree", 1),
        ("preorder", "a(,)(,)", "input.tree", 5),
    ],
)
def test_faults_have_a_place(name: str, text: str, code: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        NOTATIONS[name].read(Text((text,), one=" " not in text))
    assert (caught.value.code, caught.value.place and caught.value.place.column) == (code, column)
    assert caught.value.message.startswith("expected ") and ", found " in caught.value.message


def test_a_file_has_lines_and_its_answers_too(tmp_path: Path) -> None:
    file = tmp_path / "input.txt"
    file.write_text("one\ntwo\nthree\n")
    found = NOTATIONS["reverse"].read(file_text(file))
    assert NOTATIONS["reverse"].show((3, 2, 1), found) == "three\ntwo\none"
    file.write_text("( [\n ]x )\n")
    with pytest.raises(InputError, match=r"input\.txt:2:3: expected a bracket"):
        NOTATIONS["brackets"].read(file_text(file))
    for wrong in (tmp_path / "none", tmp_path):
        with pytest.raises(InputError, match=r"input\.file"):
            file_text(wrong)
    file.write_bytes(b"\xff\xfe\xfa")
    with pytest.raises(InputError, match=r"UTF-8.*input\.file"):
        file_text(file)


def called(text: str, names: Mapping[int, str], kept: int) -> str:
    """A text with the symbols' own names in place of their numbers, but for the first `kept` numbers."""
    parts = re.split(r"(\d+)", text)
    for place in range(1 + 2 * kept, len(parts), 2):
        parts[place] = names.get(int(parts[place]), parts[place])
    return "".join(parts)


@pytest.mark.parametrize("algorithm", SEQUENCES, ids=lambda algorithm: algorithm.name)
@given(st.sampled_from((1, 2, 3, 6)), st.integers(0, 10**6))
@settings(max_examples=15, deadline=None)
def test_what_is_written_is_read_again(algorithm: SequenceAlgorithm[object], size: int, seed: int) -> None:
    """Symbols are numbered anew; called by their names, all is as it was."""
    instance, notation = algorithm.random(size, np.random.default_rng(seed)), NOTATIONS[algorithm.name]
    try:
        text = notation.write(instance)
    except ValueError:
        assert algorithm.name in ("add", "brackets")  # other bases, more types than signs
        return
    again = notation.read(Text((text,), "a file"))
    assert called(notation.write(again.instance), again.names, algorithm.name == "repeat") == text


@given(st.lists(words, min_size=2, max_size=12))
@quick
def test_symbols_come_back(symbols: list[str]) -> None:
    text = argument_text(symbols)
    for name in ("copy", "reverse"):
        found = NOTATIONS[name].read(text)
        answer = ALGORITHMS[name].spec(found.instance)
        ordered = symbols if name == "copy" else symbols[::-1]
        assert NOTATIONS[name].show(answer, found) == " ".join(ordered)
    assert answered("sort", *symbols, "b").split() == sorted([*symbols, "b"])


@given(st.text(PAIRS, max_size=12), st.integers(0, 12), st.sampled_from(string.ascii_letters))
@quick
def test_the_place_of_a_wrong_bracket(text: str, place: int, letter: str) -> None:
    place = min(place, len(text))
    with pytest.raises(InputError) as caught:
        asked("brackets", text[:place] + letter + text[place:])
    assert caught.value.place is not None and caught.value.place.column == place + 1


@given(st.integers(0, 10**30), st.integers(0, 10**30))
@quick
def test_sums_are_those_of_whole_numbers(first: int, second: int) -> None:
    assert answered("add", str(first), str(second)) == str(first + second)


trees = st.recursive(
    st.none(), lambda under: st.tuples(st.text("xyz1", min_size=1, max_size=3), under, under), max_leaves=12
)


@given(trees.filter(bool), st.booleans())
@quick
def test_trees_come_in_preorder(tree: object, spaced: bool) -> None:
    def text(node: object) -> str:
        if not isinstance(node, tuple):
            return ""
        name, left, right = node
        gap = " " * spaced
        return name if left is right is None else f"{name}({text(left)}{gap},{gap}{text(right)})"

    def names(node: object) -> list[str]:
        return [node[0], *names(node[1]), *names(node[2])] if isinstance(node, tuple) else []

    assert answered("preorder", text(tree)).split() == names(tree)


def test_deep_trees_need_no_recursion() -> None:
    depth = 2_000
    found = asked("preorder", "a(" * depth + "a" + ",)" * depth)
    assert isinstance(found.instance, tuple) and len(found.instance) == depth + 1
    assert NOTATIONS["preorder"].write(found.instance).startswith("0(1(2(")

"""The second checker: it accepts what was proved, and nothing that was changed."""

import ast
import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.certify import cells, path_check
from nhc.certify.certificate import path_certificate_json
from nhc.certify.environment import stated_environment
from nhc.certify.path_check import memory as walks
from nhc.certify.path_check.certificate import check, check_files, main
from nhc.certify.paths import PathProof, prove_paths
from nhc.model import save_model
from tests.certify.path_machines import TRAINED, trained

Step = str | int


@cache
def written(name: str) -> str:
    """The certificate of a machine."""
    proof = prove_paths(trained(name))
    assert isinstance(proof, PathProof)
    return json.dumps(path_certificate_json(trained(name), proof))


def failing(name: str, changed: object) -> list[str]:
    """What is wrong with a certificate for a machine's weights."""
    model = trained(name)
    assert isinstance(changed, dict)
    return check(changed, model.parameters.named_blocks(model.config))


def changed(name: str, path: list[Step], change: Callable[[object], object]) -> object:
    """A certificate with another value at a path."""
    made: object = json.loads(written(name))
    within = made
    for step in path[:-1]:
        within = within[step] if isinstance(within, list) else within[str(step)]  # type: ignore[index]
    assert isinstance(within, dict | list)
    within[path[-1]] = change(within[path[-1]])  # type: ignore[index, call-overload]
    return made


def paths(value: object, path: list[Step]) -> Iterator[tuple[list[Step], object]]:
    """Every number, text and truth value, with its path."""
    if isinstance(value, dict | list):
        for step, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from paths(inner, [*path, step])
    else:
        yield path, value


def other(value: object) -> object:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    return value + 1 if isinstance(value, int) else f"{value}!"


def test_it_shares_nothing_with_the_prover() -> None:
    """It has the decisions and the files of the first checker, which imports nothing of nhc."""
    folder = Path(path_check.__file__).parent
    found = {
        base
        for file in folder.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text()))
        for base in [getattr(node, "module", None), *(name.name for name in getattr(node, "names", ()))]
        if base and base.startswith("nhc")
    }
    ours = {base for base in found if base.startswith("nhc.certify.path_check")}
    assert found - ours == {"nhc.certify.checker"}


@pytest.mark.parametrize("name", TRAINED)
def test_what_is_proved_is_accepted(name: str) -> None:
    assert failing(name, json.loads(written(name))) == []
    assert failing("copy" if name != "copy" else "reverse", json.loads(written(name)))


def test_decisions_need_more_than_twice_their_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the decisions that were made the closest is told, once the factor that is asked for passes it."""
    certificate = json.loads(written("copy"))
    assert path_check.certificate.FACTOR == 2.0
    monkeypatch.setattr(path_check.certificate, "FACTOR", 1e9)
    faults = failing("copy", certificate)
    assert faults and all(fault.startswith("margin.") for fault in faults)
    numbers = [re.findall(r"gap ([\d.e+-]+), bound ([\d.e+-]+)", fault)[0] for fault in faults]
    ratios = [float(gap) / float(bound) for gap, bound in numbers]
    assert min(ratios) > 2
    told = dict.fromkeys((0.9, 1.1), 0)
    for share in told:
        monkeypatch.setattr(path_check.certificate, "FACTOR", share * min(ratios))
        told[share] = len(failing("copy", certificate))
    assert told[0.9] < told[1.1]


@pytest.mark.parametrize("name", ["copy", "brackets"])
def test_every_state_is_needed(name: str) -> None:
    count = len(json.loads(written(name))["invariant"]["states"])
    for number in range(count):
        without = changed(
            name,
            ["invariant", "states"],
            lambda states, number=number: [*states[:number], *states[number + 1 :]],
        )
        assert any("not covered" in fault for fault in failing(name, without)), number


@pytest.mark.parametrize("name", ["copy", "brackets"])
def test_no_state_is_listed_twice(name: str) -> None:
    twice = changed(name, ["invariant", "states"], lambda states: [*states, states[2]])
    assert failing(name, twice) == ["invariant: a state is listed twice"]


@pytest.mark.parametrize("name", ["copy", "brackets"])
def test_every_value_is_needed(name: str, tmp_path: Path) -> None:
    """How states are to be read may be said otherwise if they still hold then, and the tool has any name.

    Of the words that are sure, others may be named instead that are sure as well.
    """
    model, certificate = tmp_path / "model.safetensors", tmp_path / "certificate.json"
    save_model(model, trained(name))
    environment = stated_environment(trained(name).algorithm)
    accepted = []
    every = [path for path, _ in paths(json.loads(written(name)), [])]
    for path in every[:: max(1, len(every) // 60)]:
        certificate.write_text(json.dumps(changed(name, path, other)))
        if not check_files(certificate, model, environment):
            accepted.append(path)
    wrong = [path for path in accepted if path not in (["tool"], *READINGS) and "sure" not in path]
    assert wrong == []


def test_a_word_is_not_sure_to_be_where_no_cell_holds_it() -> None:
    states = json.loads(written("copy"))["invariant"]["states"]
    for number in range(1, len(states)):
        made = changed("copy", ["invariant", "states", number, "sure"], lambda sure: [*sure, 255])
        assert any("not covered" in fault for fault in failing("copy", made)), number


READINGS = [["invariant", "tracks"]]


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ([], {}),
        (["invariant"], {}),
        (["invariant", "states"], "all"),
        (["invariant", "states", 0], 7),
        (["invariant", "labels", 0], [1, 2, 3]),
        (["invariant", "states", 5, "memory", 0], {"cell": 99, "marks": []}),
        (["environment", "lines", 0], "input 0 nop to input"),
        (["environment", "lines"], []),
        (["machine", "hidden"], 0),
        (["machine", "word_size"], True),
        (["claims", 0, "text"], "It always answers."),
        (["assumptions"], []),
        (["weights"], "0" * 64),
        (["surplus"], 1),
    ],
)
def test_other_forms_are_rejected(path: list[Step], value: object) -> None:
    made = json.loads(written("copy"))
    if path == ["surplus"]:
        made["surplus"] = value
    elif path:
        made = changed("copy", path, lambda _: value)
    else:
        made = value
    assert failing("copy", made)


def test_the_file_runs_by_itself(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, certificate = tmp_path / "model.safetensors", tmp_path / "certificate.json"
    save_model(model, trained("copy"))
    certificate.write_text(written("copy"))
    assert main([str(certificate), str(model)]) == 0
    assert "accepted" in capsys.readouterr().out
    save_model(model, trained("reverse"))
    assert main([str(certificate), str(model)]) == 1
    assert main([str(certificate)]) == 2


LABELS = [cells.Label(number, "?", "") for number in range(4)]
WALK = st.lists(st.sampled_from(LABELS), min_size=1, max_size=7)


def run_along(walk: list[cells.Label]) -> cells.Run:
    """What is known of a run after all its cells were joined."""
    run = cells.run_of(walk[0])
    for label in walk[1:]:
        run = run.then(cells.run_of(label))
    return run


@settings(max_examples=100, deadline=None)
@given(WALK, WALK, st.integers(0, 3))
def test_both_sides_cut_runs_alike_and_miss_nothing(
    walk: list[cells.Label], other: list[cells.Label], word: int
) -> None:
    run = run_along(walk).union(run_along(other))
    again = walks.Run(*run)
    found = {
        "": cells.cut_at(run, word),
        "any": cells.cut_at(run),
        "first": cells.without_first(run),
        "last": cells.without_last(run),
    }
    for end, cuts in found.items():
        theirs = walks.splits(again, None if end else word, end)
        assert sorted(map(str, map(plain, cuts))) == sorted(map(str, map(plain, theirs)))
    for one in (walk, other):
        for place, label in enumerate(one):
            parts = one[:place], label, one[place + 1 :]
            assert any(covers(cut, *parts) for cut in found["any"])
            assert place > 0 or any(covers(cut, *parts) for cut in found["first"])
            assert parts[2] or any(covers(cut, *parts) for cut in found["last"])
        places = [place for place, label in enumerate(one) if label.word == word]
        for place in places[:1]:
            assert any(covers(cut, one[:place], one[place], one[place + 1 :]) for cut in found[""])


@settings(max_examples=60, deadline=None)
@given(WALK, WALK, st.integers(0, 3))
def test_both_sides_agree_on_runs_without_a_word(
    walk: list[cells.Label], other: list[cells.Label], word: int
) -> None:
    run = run_along(walk).union(run_along(other))
    ours = cells.without_word(run, word)
    barred = frozenset(label for label in LABELS if label.word == word)
    theirs = walks.walked(walks.without(walks.Run(*run), barred))
    assert (ours and tuple(ours)) == (theirs and tuple(theirs))
    for one in (walk, other):
        if not barred & {*one}:
            assert describes(ours, one)


def plain(cut: cells.Cut | walks.Split) -> list[object]:
    """A cut in plain tuples, each set in one order."""
    runs = (
        run if run is None else [sorted(map(repr, map(flat, part))) for part in run]
        for run in (cut[0], cut[2])
    )
    return [*runs, flat(cut[1])]


def flat(label: object) -> object:
    """A label, or a pair of them, in plain tuples."""
    return tuple(map(flat, label)) if isinstance(label, tuple) else label


def covers(cut: cells.Cut, before: list[cells.Label], label: cells.Label, after: list[cells.Label]) -> bool:
    """Does a cut describe these cells?"""
    return describes(cut.before, before) and cut.label == label and describes(cut.after, after)


def describes(run: cells.Run | None, cells: list[cells.Label]) -> bool:
    """May these be the cells of a run?"""
    if run is None or not cells:
        return run is None and not cells
    return cells[0] in run.firsts and cells[-1] in run.lasts and {*pairwise(cells)} <= run.pairs

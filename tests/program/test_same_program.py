"""Small changes of programs: only what runs the same, mechanism by mechanism, is called the same program."""

import numpy as np
import pytest

from nhc.errors import InputError
from nhc.program.minimize import minimized
from nhc.program.table import Program, Row
from tests.program.learned import CONTENT, NAMES, NEAR, Ticked, changed, proved, run_table, words_of


def runs(program: Program, goals: tuple[int, ...]) -> list[list[Ticked]]:
    """The runs of a table to some goals."""
    return [run_table(program, goal) for goal in goals]


def changes(program: Program, rng: np.random.Generator) -> Program:
    """The program with one small change to one row."""
    states = sorted(program.rows)
    state = states[int(rng.integers(len(states)))]
    row = program.rows[state]
    words = [int(word) for word in (*words_of(program), 99)]
    word = words[int(rng.integers(len(words)))]
    order = [int(m) for m in rng.permutation(row.mechanisms)]
    preference = tuple(int(w) for w in rng.permutation(row.preference)) if row.preference else (word,)
    some = sorted(row.ops)[int(rng.integers(len(row.ops)))]
    new: list[Row] = [
        row._replace(constrained=word),
        row._replace(fresh=word),
        row._replace(mechanisms=tuple(order)),
        row._replace(preference=preference),
        row._replace(mechanisms=(CONTENT, *range(1, 5)), preference=(word, *row.preference)),
        row._replace(mechanisms=(CONTENT, *range(1, 5)), preference=(row.fresh,)),
        row._replace(ops={**row.ops, some: int(rng.integers(5))}),
        row._replace(ops={**row.ops, word: int(rng.integers(5))}),
    ]
    return changed(program, state, new[int(rng.integers(len(new)))])


@pytest.mark.parametrize("name", NAMES)
def test_small_changes_are_the_same_only_if_they_run_the_same(name: str) -> None:
    rng = np.random.default_rng(11)
    answers, minimal = [], minimized(proved(name))
    short = (*range(1, 30, 3), *range(117, 121))
    expected = {goals: runs(proved(name), goals) for goals in (short, NEAR[:1])}
    for _ in range(60):
        other = changes(proved(name), rng)
        try:
            answers.append("same" if minimized(other) == minimal else "different")
        except InputError as error:
            assert error.code == "program.run"
            answers.append("refused")
        if answers[-1] == "same" and other != proved(name):
            goals = NEAR[:1] if answers.count("same") % 12 == 0 else short
            assert runs(other, goals) == expected[goals]
    assert min(answers.count("same"), answers.count("refused")) > 10
    assert answers.count("different") > 0

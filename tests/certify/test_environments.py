"""What authors vouch for: along its teacher, every instance is a path of its environment."""

import numpy as np
import pytest

from nhc.algorithms.abstraction import Abstraction
from nhc.algorithms.registry import ALGORITHMS
from nhc.algorithms.sequence.environments import ENVIRONMENTS
from nhc.certify.environment import read_environment
from nhc.errors import ConfigError
from tests.certify.paths import lost_at

STATED = [name for name, algorithm in ALGORITHMS.items() if algorithm.abstraction() is not None]


@pytest.mark.parametrize("name", STATED)
def test_the_teacher_is_a_path_of_the_environment(name: str) -> None:
    algorithm, rng = ALGORITHMS[name], np.random.default_rng(5)
    for level in range(1, algorithm.levels + 1):
        listed = algorithm.tasks(level) or []
        chosen = [listed[int(i)] for i in rng.integers(len(listed), size=min(15, len(listed)))]
        for instance in [*chosen, *(algorithm.sample(level, rng) for _ in range(5))]:
            assert lost_at(algorithm, instance) is None, instance


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("", "at least one line"),
        ("input 0 fly -> end", "an operation of nop, emit, stop"),
        ("input 00 nop -> end", "1 signals"),
        ("input 0 nop -> nowhere", "a line for state nowhere"),
        ("input 0 nop -> end : cursor dances", "found 'cursor dances'"),
        ("input 0 any -> input", "any -> end without a target"),
        ("input 0 nop", "STATE SIGNALS OP"),
    ],
)
def test_lines_that_say_nothing_are_refused(lines: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as found:
        read_environment(ALGORITHMS["copy"], lines)
    assert found.value.code == "algorithm.environment"


def test_a_line_may_stand_for_several_ticks() -> None:
    rules = read_environment(ALGORITHMS["repeat"], "a *1 nop -> b|end\nb 00 stop -> end").rules
    assert [(rule.signals, rule.then) for rule in rules["a"]] == [
        ((0, 1), "b"),
        ((0, 1), "end"),
        ((1, 1), "b"),
        ((1, 1), "end"),
    ]


def test_an_environment_that_is_not_the_algorithms_loses_its_teacher() -> None:
    class Backwards(type(ALGORITHMS["reverse"])):  # type: ignore[misc]
        def abstraction(self) -> Abstraction:
            return Abstraction("order", ENVIRONMENTS["copy"].rules)

    assert lost_at(Backwards(), (1, 2, 3)) == 4

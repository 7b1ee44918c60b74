"""The machines that ship for sequence algorithms, on fresh inputs longer than any they were trained on."""

import numpy as np
import pytest

from nhc.algorithms.sequence.family import SEQUENCES
from nhc.computer.hosted import execute
from nhc.zoo import zoo_names
from tests.computer.machines import zoo

NAMES = [algorithm.name for algorithm in SEQUENCES if algorithm.name in zoo_names()]
LONGER = {"hanoi": 7, "sort": 9, "preorder": 12, "postfix": 12}


@pytest.mark.parametrize("name", NAMES)
def test_a_shipped_machine_is_right_at_several_lengths(name: str) -> None:
    model, rng = zoo(name), np.random.default_rng(3)
    assert model.algorithm.name == name
    assert model.record["mastered"] or model.record["certified"]
    for size in (1, 2, 4, LONGER.get(name, 19)):
        assert execute(model, model.algorithm.random(size, rng)).correct, size

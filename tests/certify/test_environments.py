"""What authors vouch for: along its teacher, every instance is a path of its environment."""

import numpy as np
import pytest

from nhc.algorithms.registry import ALGORITHMS
from tests.certify.paths import lost_at

STATED = [name for name, algorithm in ALGORITHMS.items() if algorithm.abstraction() is not None]


@pytest.mark.parametrize("name", STATED)
def test_the_teacher_is_a_path_of_the_environment(name: str) -> None:
    algorithm, rng = ALGORITHMS[name], np.random.default_rng(5)
    for level in range(1, algorithm.levels + 1):
        listed = algorithm.tasks(level)
        assert listed is not None
        chosen = [listed[int(i)] for i in rng.integers(len(listed), size=min(15, len(listed)))]
        for instance in [*chosen, *(algorithm.sample(level, rng) for _ in range(5))]:
            assert lost_at(algorithm, instance) is None, instance

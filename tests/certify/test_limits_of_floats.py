"""Where real numbers, float32 and exact ties part: what is right in one may not be right in the other."""

import numpy as np
import pytest

from nhc.certify.prove import Proof, Refutation
from tests.certify.mutants import Mutant, verdict
from tests.computer.machines import free_task, model_of, traced
from tests.oracles.brute_force import goals_to_try, way_back
from tests.oracles.free_tree import breadth_first_weights
from tests.oracles.machine import NOP

GOALS = goals_to_try(6)


def tie_machine() -> dict[str, np.ndarray]:
    """Right, although the key likes the cursor's word and fresh words alike: the cursor's cell is lower."""
    weights = breadth_first_weights()
    for block in ("write.word.b", "constrained.word.b"):
        weights[f"interface.{block}"] *= -1
    weights["interface.constrained.word.w"] *= -1
    weights["interface.read.key.b"][:] = [1, 1, 1, 1, -1, -1, -1, -1]
    return weights


def test_a_right_machine_with_ties_is_not_refuted() -> None:
    mutant = Mutant("ties", tie_machine())
    assert mutant.fault(GOALS) is None
    assert not isinstance(verdict(mutant), Refutation)


def test_a_machine_with_ties_is_not_proved() -> None:
    assert not isinstance(verdict(Mutant("ties", tie_machine())), Proof)


def network_is_right(weights: dict[str, np.ndarray], goal: int = 50) -> bool:
    """Does the compiled float32 network do what it should for this goal?"""
    made = traced(model_of(weights), free_task(goal))
    wanted = [divmod(t, 4) for t in range(goal)] + [(node, NOP) for node in way_back(goal)]
    return list(zip(made.read.tolist(), made.op.tolist(), strict=True)) == wanted


def hair_breadth() -> dict[str, np.ndarray]:
    """At the first tick `right` is better than `up` by 3e-10, which float32 cannot tell from a tie."""
    weights = breadth_first_weights()
    weights["controller.b"][5] = 0.3
    weights["transform_c.b"][1] = 0.5
    weights["transform_c.w"][1, 5] = 1e-9
    return weights


def test_a_machine_that_fails_in_real_numbers_only_is_not_refuted() -> None:
    """Its trace, which is what a person gets to see, shows no failure."""
    assert Mutant("hair", hair_breadth()).fault([1]) is not None
    assert network_is_right(hair_breadth())
    assert not isinstance(verdict(Mutant("hair", hair_breadth())), Refutation)


def underflowing() -> dict[str, np.ndarray]:
    """Finished cells differ from the cursor's by bits whose values are below the normal float32 range."""
    weights = breadth_first_weights()
    weights["controller.w"][5, 3 + 8 + 3] = 0.6
    weights["controller.b"][5] = -0.3
    weights["interface.read.key.b"][:] = [1, 1, 1, 1, -1, -1, -1, -1]
    weights["interface.constrained.word.b"][:] = [1, 1, 1, 1, 0, 0, 0, 0]
    weights["interface.constrained.word.w"][:] = 0
    weights["interface.constrained.word.w"][4:, 3 + 5] = 2.0**-149
    return weights


def overflowing() -> dict[str, np.ndarray]:
    """Modes are sums of large weights, beyond the largest float32 number."""
    weights = breadth_first_weights()
    modes, bias = weights["interface.read.modes.w"], weights["interface.read.modes.b"]
    modes[:] = 0
    bias[:] = [3.3e38, 3.3e38, -3e38, 3.3e38, 3.3e38]
    modes[0, 0], modes[1, 3 + 3], modes[3, 1], modes[4, 3 + 4] = 0.7e38, 2.5e38, 3.0e38, 3.4e38
    return weights


@pytest.mark.parametrize("made", [underflowing, overflowing])
def test_what_float32_cannot_hold_is_not_proved(made) -> None:
    """In real numbers these machines are right; in float32 they are not."""
    assert Mutant("extreme", made()).fault(GOALS) is None
    assert not network_is_right(made())
    assert not isinstance(verdict(Mutant("extreme", made())), Proof)


def overflowing_scores() -> dict[str, np.ndarray]:
    """Key values that float32 can hold, and sums of eight of them that it cannot: 8e38 against 6e38."""
    weights = breadth_first_weights()
    finished = np.array([1] * 7 + [-1], np.float32)
    weights["interface.read.key.b"][:] = 1e38
    weights["interface.constrained.word.w"][:] = 0
    weights["interface.constrained.word.w"][:, 3 + 3] = 2 * (finished - 1)
    return weights


def test_scores_that_float32_cannot_hold_are_not_proved() -> None:
    assert Mutant("scores", overflowing_scores()).fault(GOALS) is None
    assert not network_is_right(overflowing_scores())
    assert not isinstance(verdict(Mutant("scores", overflowing_scores())), Proof)

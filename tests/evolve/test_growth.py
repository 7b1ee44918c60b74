"""Under soft attention the memory grows while episodes run, and nothing can be told from the scores."""

import jax
import numpy as np
import pytest

from nhc.algorithms.traces import on_device, stacked
from nhc.evolve import evaluate as module
from nhc.evolve.evaluate import CAPACITIES, Scores, growth
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.machine.state import initial_state, with_room
from tests.computer.machines import PLAN
from tests.machine.runs import QUICK, random_blocks

SOFT = MachineConfig(attention="soft", allocation="learned", free_heads=2)


def test_sizes_end_with_what_is_needed() -> None:
    assert growth(128, "hard") == (128,)
    assert growth(16, "soft") == (16,)
    assert growth(64, "soft") == (16, 32, 64)
    assert [growth(size, "soft")[-1] for size in (20, *CAPACITIES)] == [20, *CAPACITIES]


def test_scores_do_not_depend_on_when_the_memory_grows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Free runs of 20 ticks: with room for all of them from the start, and with room for 16 at first."""
    rng = np.random.default_rng(3)
    one = Parameters.from_blocks(random_blocks(rng, SOFT, 1.0), SOFT)
    members = jax.tree.map(lambda leaf: 0.5 * rng.standard_normal((70, *leaf.shape), np.float32), one)
    tasks, judge = stacked(PLAN, [20, 3, 17]).padded(32), PLAN.judge("outcome")

    def anew() -> Scores:  # another function each time, or JAX would take the one it compiled before
        def scores(members, tasks):
            return module._evaluate.__wrapped__(members, tasks, SOFT, judge)

        compiled = jax.jit(scores, compiler_options=QUICK)
        return Scores(*map(np.asarray, compiled(members, on_device(tasks))))

    grown = anew()
    assert grown.ticks.max() >= 20 and len(np.unique(grown.main)) > 3
    monkeypatch.setattr("nhc.evolve.evaluate.SOFT_CAPACITIES", (32,))
    assert growth(32, "soft") == (32,)
    for found, expected in zip(anew(), grown, strict=True):
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("config", [SOFT, MachineConfig()], ids=["soft", "hard"])
def test_a_state_with_more_room_has_the_shapes_of_a_larger_one(config: MachineConfig) -> None:
    word = {"bits": np.zeros(3, np.uint8), "number": np.int32(0)}
    small, large = (initial_state(config, jax.tree.map(jax.numpy.asarray, word), size) for size in (5, 11))
    grown = with_room(small, 11 * config.free_heads)
    assert jax.tree.map(np.shape, grown) == jax.tree.map(np.shape, large)
    assert grown.memory.capacity == large.memory.capacity == 11 * config.free_heads
    for one, other in zip(jax.tree.leaves(grown), jax.tree.leaves(large), strict=True):
        np.testing.assert_array_equal(one, other)

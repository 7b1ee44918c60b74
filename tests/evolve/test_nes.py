"""Noise and update of the evolution strategy: who draws what, and one step weight by weight."""

import itertools
import zlib
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.errors import ConfigError
from nhc.evolve import nes
from nhc.evolve.config import EvolutionConfig, TrainConfig
from nhc.evolve.course import INIT_STREAM, NOISE_STREAM, Course, stream
from nhc.evolve.state import initial_train_state, lineage_parameters
from nhc.machine.config import MachineConfig
from nhc.machine.layout import blocks, interface_blocks
from nhc.machine.parameters import Linear, Parameters, initial_parameters

PLAN = MachineConfig()
ITERATION = 271
MEMBERS = (0, 4, 6)


@partial(jax.jit, static_argnums=1)
def draw_all(key, config):
    """One draw of all weights, row by row, by `jax.random`: the slow twin."""
    draw = {}
    for block in blocks(config):
        tagged = jax.random.fold_in(key, np.uint32(zlib.crc32(block.name.encode())))
        rows = jax.vmap(partial(jax.random.fold_in, tagged))(jnp.arange(block.rows))
        draw[block.name] = jax.vmap(partial(jax.random.normal, shape=(block.inputs + 1,)))(rows)
    interface = jnp.concatenate([draw[block.name] for block in interface_blocks(config)])
    return Parameters(
        *(Linear(rows[:, :-1], rows[:, -1]) for rows in (draw["controller"], interface, draw["transform_c"]))
    )


def draw_member(key, iteration, index, config):
    return draw_all(jax.random.fold_in(jax.random.fold_in(key, iteration), index), config)


def offspring_of(theta, key, iteration, es):
    noise = nes.noise_of(key, iteration, config=PLAN, population=es.population)
    return nes.offspring(theta, noise, config=PLAN, es=es)


@pytest.fixture(scope="module")
def theta():
    return lineage_parameters(TrainConfig(seed=3), 0)


@pytest.fixture(scope="module")
def offspring(theta):
    """Members and noise of a population of seven."""
    es = EvolutionConfig(population=7, sigma=0.3)
    return offspring_of(theta, jax.random.key(11), ITERATION, es)


def flat(parameters) -> np.ndarray:
    return np.concatenate([np.asarray(leaf).ravel() for leaf in jax.tree.leaves(parameters)])


def member(stack, index: int):
    return jax.tree.map(lambda leaf: leaf[index], stack)


def test_any_member_of_any_iteration_can_be_drawn_again_alone(offspring) -> None:
    _, noise = offspring
    for index in MEMBERS:
        alone = draw_member(jax.random.key(11), ITERATION, index, PLAN)
        np.testing.assert_array_equal(flat(alone), flat(member(noise, index)))


def test_a_larger_population_begins_with_the_smaller_one(theta, offspring) -> None:
    es = EvolutionConfig(population=3, learning_rate=1e-6, weight_decay=0.9999)
    _, small = offspring_of(theta, jax.random.key(11), ITERATION, es)
    for a, b in zip(jax.tree.leaves(offspring[1]), jax.tree.leaves(small), strict=True):
        assert (len(a), len(b)) == (7, 3)
        np.testing.assert_array_equal(a[:3], b)


def test_members_are_theta_and_then_theta_plus_scaled_noise(theta, offspring) -> None:
    members, noise = offspring
    np.testing.assert_array_equal(flat(member(members, 0)), flat(theta))
    for index in range(7):
        expected = flat(theta).astype(np.float64) + 0.3 * flat(member(noise, index)).astype(np.float64)
        np.testing.assert_allclose(flat(member(members, index + 1)), expected, rtol=1e-5, atol=1e-6)


def test_members_iterations_streams_and_seeds_differ(offspring) -> None:
    draws = [flat(member(offspring[1], index)) for index in range(7)]
    key = jax.random.key(11)
    # (iteration, member) swapped must differ too.
    for iteration, index in ((ITERATION + 1, 0), (0, 4), (4, 0)):
        draws.append(flat(draw_member(key, iteration, index, PLAN)))
    for seed, name in itertools.product((0, 1), (INIT_STREAM, NOISE_STREAM)):
        draws.append(flat(draw_all(stream(TrainConfig(seed=seed), name), PLAN)))
    for one, other in itertools.combinations(draws, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.15
        assert (one == other).mean() < 0.01


def test_noise_is_standard_normal_and_no_row_repeats_another(offspring) -> None:
    values = np.stack([flat(member(offspring[1], index)) for index in range(7)]).astype(np.float64)
    count = values.size
    assert values.shape == (7, 1592)
    assert abs(values.mean()) < 5 / count**0.5
    assert abs(values.var() - 1) < 5 * (2 / count) ** 0.5
    assert abs((values**4).mean() - 3) < 5 * (96 / count) ** 0.5
    assert len(np.unique(values.astype(np.float32))) > 0.99 * count
    blocks = member(offspring[1], 0).named_blocks(PLAN)
    rows = [row[:15] for name, array in blocks.items() if name.endswith(".w") for row in array]
    assert len(rows) == 80
    for one, other in itertools.combinations(rows, 2):
        assert not np.isin(one, other).any()


def test_a_block_keeps_its_noise_when_other_blocks_change() -> None:
    """Words of another size change the rows of six blocks, and the places of most others among all rows."""
    small = MachineConfig(word_size=5)
    key = jax.random.key(4)
    large, less = (initial_parameters(c, key=key, scale=1.0).named_blocks(c) for c in (PLAN, small))
    twin = draw_all(key, small).named_blocks(small)
    assert all((less[name] == array).all() for name, array in twin.items())
    assert large["interface.read.key.w"].shape == (8, 19)
    assert less["interface.read.key.w"].shape == (5, 19)
    for block in ("read.modes", "read.strength", "read.free_gate", "write.gate", "constrained.gate"):
        for role in ("w", "b"):
            name = f"interface.{block}.{role}"
            np.testing.assert_array_equal(large[name], less[name])
    for name, array in less.items():
        if name.startswith("interface."):  # where rows were added, too
            np.testing.assert_array_equal(large[name][: len(array)], array)
        if name.endswith(".w"):  # and where rows became longer
            np.testing.assert_array_equal(large[name][: len(array), : array.shape[1]], array)


def test_update_is_decay_and_the_sum_over_members(theta, offspring) -> None:
    es = EvolutionConfig(population=7, sigma=0.3, learning_rate=0.07, weight_decay=0.9)
    utilities = np.array([0.0, 3.0, 0.25, 0.25, -1.0, 0.0, 1.5], np.float32)
    after = nes.update(theta, offspring[1], jnp.asarray(utilities), es=es)
    named = [p.named_blocks(PLAN) for p in (theta, after)]
    noise = [member(offspring[1], index).named_blocks(PLAN) for index in range(7)]
    for name, old in named[0].items():
        expected = 0.9 * old.astype(np.float64)
        for index in range(7):
            expected += 0.07 / (7 * 0.3) * float(utilities[index]) * noise[index][name].astype(np.float64)
        np.testing.assert_allclose(named[1][name], expected, rtol=1e-5, atol=1e-6)


def test_keys_of_other_generators_are_refused() -> None:
    with pytest.raises(ConfigError, match="key: expected one of threefry2x32, found key<rbg>"):
        initial_parameters(PLAN, key=jax.random.key(0, impl="rbg"))


def test_the_noise_of_the_next_iteration_is_drawn_beforehand_and_no_other_is_taken_for_it() -> None:
    """Iterations that learn nothing are passed over; a run may be taken up anywhere."""
    config = TrainConfig(seed=7)
    course, key = Course(config, config.algorithm), stream(config, NOISE_STREAM)
    for iteration in (3, 4, 9, 8, 8):
        alone = nes.noise_of(key, iteration, config=config.machine, population=config.es.population)
        np.testing.assert_array_equal(course.noise(iteration), alone)


def test_lineages_begin_with_small_normal_weights_of_their_own() -> None:
    config = TrainConfig(seed=5)
    lineages = [flat(lineage_parameters(config, number)) for number in range(3)]
    for values in lineages:
        assert abs(values.std() - 0.1) < 5 * 0.1 / (2 * values.size) ** 0.5
        assert abs(values.mean()) < 5 * 0.1 / values.size**0.5
    for one, other in itertools.combinations(lineages, 2):
        assert abs(np.corrcoef(one, other)[0, 1]) < 0.15
    np.testing.assert_array_equal(
        flat(initial_train_state(Course(config, config.algorithm)).parameters), lineages[0]
    )
    wide = lineage_parameters(config.model_copy(update={"es": EvolutionConfig(initial_scale=0.7)}), 1)
    np.testing.assert_allclose(flat(wide), 7 * lineages[1], rtol=1e-5)
    assert (flat(lineage_parameters(TrainConfig(seed=6), 0)) != lineages[0]).mean() > 0.99

"""The compiled loop on an algorithm's data against the network, tick for tick, and its budgets."""

from collections.abc import Iterable
from dataclasses import replace

import jax.numpy as jnp
import numpy as np
import pytest

from nhc.algorithms.tape import OVERFLOW, Loaded, loaded
from nhc.computer.hosted import execute
from nhc.computer.sequences import run_sequence, tape_algorithm
from nhc.errors import ConfigError
from nhc.machine.parameters import Linear, Parameters
from nhc.model import Model, load_model
from nhc.program.control import Control, Shown, decide
from nhc.program.data_engine import DEFAULT_PACE, DataRun, run_data
from nhc.program.loop import MIX
from nhc.program.memory import Pace, memory_bytes
from tests.computer.sequence_machines import random_machine

NAMES = ("copy", "brackets", "preorder", "recall")
PACES = (DEFAULT_PACE, Pace(3, 7), Pace(1, 1))
TICKS = 90


def ran(model: Model, instance: object, pace: Pace = PACES[0], **budget: int) -> DataRun:
    algorithm = tape_algorithm(model)
    control = Control(model.parameters, model.config)
    limits = {"max_ticks": TICKS, **budget}
    return run_data(control, algorithm.functions, algorithm.load(instance), pace=pace, **limits)


def checksum_of(ticks: Iterable[tuple[int, int]]) -> int:
    """Of addresses and operations."""
    checksum = 0
    for address, op in ticks:
        checksum = (checksum * MIX + 8 * address + op) % 2**64
    return checksum


def agree(model: Model, instance: object, pace: Pace) -> DataRun:
    """The run, after network and loop agreed on every tick and on the result."""
    made, executed = ran(model, instance, pace), execute(model, instance, max_ticks=TICKS, keep=True)
    trace = executed.trace
    assert trace is not None and (made.ended, made.ticks) == (executed.ended, executed.ticks)
    assert made.checksum == checksum_of(zip(trace.read.tolist(), trace.op.tolist(), strict=True))
    if made.ended and model.algorithm.name != "postfix":
        answer = tape_algorithm(model).answer(tuple(made.output.tolist()))
        assert answer == executed.result
    return made


@pytest.mark.parametrize("name", NAMES)
def test_the_loop_does_what_the_network_does(name: str) -> None:
    """On machines that nobody trained, which look up, go astray and rewrite whatever they meet."""
    rng, ticks, lookups = np.random.default_rng(5), 0, 0
    for seed in range(2):
        model = random_machine(name, seed)
        for size, pace in zip((1, 3, 9), PACES, strict=True):
            ticks += agree(model, tape_algorithm(model).random(size, rng), pace).ticks
        control = Control(model.parameters, model.config)
        algorithm = tape_algorithm(model)
        run_data(control, algorithm.functions, algorithm.load(algorithm.random(9, rng)), max_ticks=TICKS)
        lookups += control.tables.lookups > 0
    assert ticks > 100 and lookups > 0


def test_a_control_is_used_again_and_forgets_nothing() -> None:
    model, rng = random_machine("copy", 0), np.random.default_rng(0)
    algorithm, control = tape_algorithm(model), Control(model.parameters, model.config)
    for size in (9, 2, 30):
        instance = algorithm.random(size, rng)
        again = run_data(
            control, algorithm.functions, algorithm.load(instance), max_ticks=TICKS, pace=PACES[1]
        )
        alone = ran(model, instance)
        assert again.checksum == alone.checksum and again.ticks == alone.ticks
        np.testing.assert_array_equal(again.output, alone.output)
        np.testing.assert_array_equal(again.registers, alone.registers)
    for shown, found in control.states.items():
        fresh = decide(model.parameters, model.config, shown)
        assert all(np.array_equal(a, b) for a, b in zip(found, fresh, strict=True))
    assert len(control.states) > 5


def test_the_budget_ends_a_run() -> None:
    model, instance = endless(), tuple(range(1, 6))
    short = ran(model, instance, max_ticks=17)
    assert (short.ended, short.ticks, len(short.output)) == (False, 17, 17)
    each = memory_bytes(Control(model.parameters, model.config).tables, np.int64) + 8
    for memory, allowed in ((25 * each, 10), (each - 1, 0)):
        made = ran(model, instance, max_memory=memory, max_ticks=1_000)
        assert not made.ended and allowed <= made.ticks <= memory // each
    done = run_sequence(model, instance, max_ticks=100_000)
    assert (done.ended, done.result, done.ticks, done.correct) == (False, None, 100_000, None)
    for ticks in (0, 2**31):
        with pytest.raises(ConfigError, match=r"program\.ticks"):
            ran(model, instance, max_ticks=ticks)


def endless() -> Model:
    """A copier that writes whatever it reads, and never stops."""
    model = random_machine("copy", 0)
    bias = jnp.array([-100.0, 100.0, -100.0])
    last = Linear(model.parameters.transform_c.w, bias)
    return replace(
        model, parameters=Parameters(model.parameters.controller, model.parameters.interface, last)
    )


def test_an_instance_is_left_as_it_is() -> None:
    model = random_machine("sort", 1)
    instance: Loaded = tape_algorithm(model).load((3, 1, 2))
    before = [column.copy() for column in instance]
    functions = tape_algorithm(model).functions
    run_data(Control(model.parameters, model.config), functions, instance, max_ticks=50)
    assert all(np.array_equal(a, b) for a, b in zip(before, instance, strict=True))


def test_numbers_that_get_too_large_have_no_answer() -> None:
    """An operator on two words of 2^60 leaves the range: the data side ends the run."""
    functions = tape_algorithm(random_machine("postfix", 0)).functions
    side = loaded([], 2**60, -(2**62) + 6, 0)  # the value, TIMES
    functions.act(1, 2**60, side.tape, side.registers)
    assert side.registers[OVERFLOW] == 1


def test_machines_whose_control_is_no_table_are_refused() -> None:
    for options in ({"words": "real"}, {"allocation": "learned"}, {"word_size": 9}, {"usage_link": False}):
        model = random_machine("copy", 0, **options)
        with pytest.raises(ConfigError, match=rf"{next(iter(options))}.*program\.options"):
            Control(model.parameters, model.config)


def test_a_tie_of_two_words_is_refused() -> None:
    """With a key of zeros all words are equally good: the network takes the lowest cell."""
    model = random_machine("copy", 0)
    zeros = Linear(model.parameters.interface.w.at[:].set(0.0), model.parameters.interface.b.at[:].set(0.0))
    control = Control(
        Parameters(model.parameters.controller, zeros, model.parameters.transform_c), model.config
    )
    control.decided(Shown(0, -1, -1))
    assert control.tables.lookups == 1
    lone = control.decided(Shown(0, control.codes[0], 0))
    control.codes.append(control.codes[0] ^ 1)
    assert lone.looks_up
    with pytest.raises(ConfigError, match=r"program\.tie"):
        control._filled()


def test_search_and_plan_have_no_input() -> None:
    with pytest.raises(ConfigError, match=r"algorithm\.family"):
        run_sequence(load_model("zoo:plan"), 3)

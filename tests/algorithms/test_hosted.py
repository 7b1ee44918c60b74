"""A hosted run is the machine's, tick by tick, and a measurement counts what fails."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import nhc
from examples.own_algorithm import Increment
from nhc.algorithms.judge import Steps, row_of
from nhc.algorithms.traces import Traces, on_device, trace_of
from nhc.computer import hosted
from nhc.errors import ConfigError
from nhc.evolve.evaluate import evaluate
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.machine.rollout import Run, recorded, step
from nhc.machine.state import initial_state
from nhc.machine.tick import Tick
from tests.algorithms.made_up import Script, Scripted, Shown, learned, with_parts


def machine(seed: int, signals: int, ops: int) -> Parameters:
    """Random weights that do a little of everything."""
    config = MachineConfig(signals=signals, ops=ops)
    return initial_parameters(config, key=jax.random.key(seed), scale=1.0)


def replayed(ticks: int, seed: int) -> Scripted:
    """An algorithm that shows random signals and few different words, whatever is done."""
    rng = np.random.default_rng(seed)
    rows: list[Shown] = [(rng.normal(size=3).tolist(), str(rng.choice(list("abc")))) for _ in range(ticks)]
    side = partial(Script, stop=-1)
    lessons = [(int(rng.integers(4)), rows[0][1]) for _ in range(ticks)]
    parts = {"signals": ("x", "y", "z"), "ops": ("p", "q", "r", "s"), "rows": rows}
    return Scripted(*lessons, **parts, begin=lambda instance: side(list(rows)))


@pytest.mark.parametrize("seed", range(3))
def test_a_hosted_run_is_the_compiled_one_tick_by_tick(seed: int) -> None:
    algorithm = replayed(24, seed)
    parameters, config = machine(seed, 3, 4), MachineConfig(signals=3, ops=4)
    done = nhc.execute(nhc.Model(parameters, config, algorithm, {}), 0, keep=True)
    task = trace_of(algorithm, 0)
    made = compiled_ticks(parameters, config, task)
    assert done.ended and done.ticks == 24 and done.trace is not None
    assert done.trace.op.tolist() == made.op.tolist()
    assert done.trace.read.tolist() == made.reading.address.tolist()
    assert done.trace.written.tolist() == made.written[0].tolist()
    assert done.trace.addresses.tolist() == made.reading.addresses.tolist()
    assert done.trace.word.tolist() == made.reading.word.tolist()
    stored = [word for _, word in algorithm.rows]
    assert done.trace.data.tolist() == [stored[address] for address in done.trace.read]

    op_right = done.trace.op == task.op[0]
    word_right = done.trace.data == stored[0]
    until = int(np.argmin([*(op_right & word_right), False])) + 1
    points = int((op_right + 2 * word_right)[:until].sum())
    members = jax.tree.map(lambda leaf: leaf[None], parameters)
    scores = evaluate(members, task, config=config, judge=Steps())
    assert (scores.main.tolist(), scores.ticks.tolist()) == ([[points]], [[min(until, 24)]])


def compiled_ticks(parameters: Parameters, config: MachineConfig, tasks: Traces) -> Tick:
    """All ticks of one trace as training runs them, mistakes or not."""
    task = Traces(*(column[0] for column in on_device(tasks)))

    @jax.jit
    def ran(parameters: Parameters) -> Tick:
        begin = Run(initial_state(config, jnp.int32(0), tasks.ticks), Steps().begin(task))

        def advance(time: jax.Array, run: Run) -> tuple[Run, Tick]:
            return step(parameters, config, row_of(task, time - 1, time), run)

        return recorded(advance, begin, tasks.ticks)[1]

    return jax.tree.map(np.asarray, ran(parameters))


def test_a_run_out_of_ticks_has_no_result() -> None:
    whole = nhc.execute(learned().model, "1101")
    assert (whole.result, whole.ticks, whole.trace) == ("0011", 5, None) and whole.ended and whole.correct
    cut = nhc.execute(learned().model, "1101", max_ticks=4, keep=True)
    assert (cut.result, cut.ticks, cut.ended, cut.correct) == (None, 4, False, False)
    assert cut.trace is not None and cut.trace.ticks == 4
    with pytest.raises(ConfigError) as caught:
        nhc.execute(learned().model, "1", max_ticks=0)
    assert caught.value.code == "run.ticks"


def test_the_trace_names_the_words() -> None:
    done = nhc.execute(learned().model, "01", keep=True)
    assert done.trace is not None
    head, *rows = done.trace.table().splitlines()
    assert head.endswith("control word  word read") and len(rows) == 3
    column = head.index("word read")
    assert [row[column:] for row in rows[:2]] == ["0", "1"]


def test_memory_grows_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nhc.Model(machine(5, 3, 4), MachineConfig(signals=3, ops=4), replayed(50, 5), {})
    roomy = nhc.execute(model, 0, keep=True)
    monkeypatch.setattr(hosted, "FIRST_CELLS", 3)
    grown = nhc.execute(model, 0, keep=True)
    assert roomy.trace is not None and grown.trace is not None
    assert grown.trace.table() == roomy.trace.table() and grown.ticks == 50
    assert grown.trace.addresses.tolist() == roomy.trace.addresses.tolist()


def test_a_data_side_that_shows_other_signals_is_refused() -> None:
    rows: list[Shown] = [((0.0, 1.0), "x"), ((0.0, 1.0, 1.0), "x")]
    changed = with_parts(Increment(), begin=lambda number: Script(rows, stop=-1))
    with pytest.raises(ConfigError, match="expected 2 signals of the data side, found 3 at tick 2") as caught:
        nhc.execute(replace(learned().model, algorithm=changed), "1")
    assert caught.value.code == "algorithm.signals"


def halves(parameters: Parameters) -> Iterator[Parameters]:
    """A machine that never stops, and one that takes one operation for another."""
    last = parameters.transform_c
    for op, to in ((3, -1e6), (1, 1e3)):
        yield replace(parameters, transform_c=replace(last, b=last.b.at[op].set(to)))


def test_measure_counts_the_failures_of_a_damaged_machine() -> None:
    whole = nhc.measure(learned().model, 12, instances=10)
    assert (whole.level, whole.instances, whole.failures) == (12, 10, 0)
    assert whole.ticks >= 10 * 13
    assert whole == nhc.measure(learned().model, 12, instances=10)
    for damaged in halves(learned().model.parameters):
        model, heard = replace(learned().model, parameters=damaged), list[tuple[int, int]]()
        found = nhc.measure(
            model, 3, instances=4, seed=1, on_progress=lambda *counts, heard=heard: heard.append(counts)
        )
        assert heard == [(1, 1), (2, 2), (3, 3), (4, 4)] and found.failures == 4
        assert found.label == "sampled: 4 of 4 failed, failure rate <= 100 % (one-sided 95 %)"
    with pytest.raises(ConfigError) as caught:
        nhc.measure(learned().model, 3, instances=0)
    assert caught.value.code == "run.instances"


def test_measured_instances_are_a_function_of_the_seed() -> None:
    drawn = list[str]()

    def begin(number: str) -> nhc.DataSide:
        drawn.append(number)
        return learned().model.algorithm.begin(number)

    model = replace(learned().model, algorithm=with_parts(Increment(), begin=begin))
    for seed in (0, 0, 1):
        nhc.measure(model, 20, instances=3, seed=seed)
    assert drawn[:3] == drawn[3:6] != drawn[6:]
    assert len(set(drawn)) == 6 and {len(number) for number in drawn} == {20}


def test_a_second_run_compiles_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """Measuring runs hundreds of them."""
    config = MachineConfig(signals=3, ops=4, hidden=7)  # no other test's
    model = nhc.Model(initial_parameters(config, key=jax.random.key(0)), config, replayed(5, 0), {})
    with jax.log_compiles():
        done = nhc.execute(model, 0)
        assert "Compiling" in caplog.text
        caplog.clear()
        assert nhc.execute(model, 0) == done
    assert "Compiling" not in caplog.text

"""An algorithm of one's own: what is refused, how it learns, and that a hosted run is the machine's."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import nhc
from examples.own_algorithm import Increment
from nhc.algorithms.judge import Steps, row_of
from nhc.algorithms.traces import ANY, Traces, on_device, stacked, trace_of
from nhc.computer import hosted
from nhc.errors import ConfigError, ModelError
from nhc.evolve.evaluate import evaluate
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters, initial_parameters
from nhc.machine.rollout import Run, recorded, step
from nhc.machine.state import initial_state
from nhc.machine.tick import Tick
from nhc.training.session import Result
from tests.docs_algorithm import printed

NOP, STOP = 0, 1
Shown = tuple[Sequence[float], object]


@dataclass
class Script:
    """A data side that shows what it was told, and ends with `stop` or after all of it."""

    rows: list[Shown]
    stop: int = STOP
    shown: int = 0
    done: bool = False
    result: object = "right"

    def observe(self) -> Shown:
        self.shown += 1
        return self.rows[self.shown - 1]

    def act(self, op: int, word: object) -> None:
        self.done = op == self.stop or self.shown == len(self.rows)


class Scripted(nhc.Algorithm[int]):
    """Four ticks that show a letter each; the lessons are given."""

    def __init__(self, *lessons: tuple[int, object], **parts: object) -> None:
        self.lessons = [nhc.Lesson(op, word) for op, word in lessons]
        self.rows: list[Shown] = [([float(tick)], letter) for tick, letter in enumerate("abcd")]
        named = {"name": "scripted", "signals": ("one",), "ops": ("nop", "stop", "go"), "levels": 1}
        for name, part in {**named, **parts}.items():
            setattr(self, name, part)

    def sample(self, level: int, rng: np.random.Generator) -> int:
        return int(rng.integers(9))

    def begin(self, instance: int) -> Script:
        return Script(list(self.rows))

    def teacher(self, instance: int) -> list[nhc.Lesson]:
        return self.lessons

    def spec(self, instance: int) -> object:
        return "right"


RIGHT = ((NOP, nhc.FREE), (2, "a"), (STOP, "b"))


def test_a_trace_is_the_data_side_along_the_teacher() -> None:
    trace = trace_of(Scripted(*RIGHT), 7)
    assert trace.op.tolist() == [[0, 2, 1]] and trace.word.tolist() == [[ANY, 0, 1]]
    assert trace.stored.tolist() == [[0, 1, 2]] and trace.signals.tolist() == [[[0.0], [1.0], [2.0]]]
    assert (trace.main.tolist(), trace.length.tolist()) == ([3], [3])


@pytest.mark.parametrize(
    ("algorithm", "message"),
    [
        (Scripted((NOP, nhc.FREE), (NOP, "a")), "goes on after the teacher's last tick, 2"),
        (Scripted(*RIGHT, (NOP, nhc.FREE)), "ends before tick 4 of 4"),
        (Scripted(), "has no tick"),
        (Scripted((NOP, "b"), (STOP, nhc.FREE)), "reads a word never stored, at tick 1"),
        (Scripted((3, nhc.FREE)), "gives 1 signals, operation 3, at tick 1"),
        (Scripted((-1, nhc.FREE)), "operation -1"),
        (Scripted(*RIGHT, rows=[([1.0, 2.0], "a")]), "gives 2 signals, operation 0, at tick 1: 7"),
        (Scripted(*RIGHT, rows=[([1.0], ["a"])]), "a word that is not hashable, at tick 1"),
        (Scripted((NOP, ["a"]), (STOP, "a")), "a word that is not hashable, at tick 1"),
        (Scripted(*RIGHT, spec=lambda instance: "other"), "results in 'right', the specification in 'other'"),
        (Scripted(*RIGHT, main_ticks=lambda instance: 0), "has 0 main ticks of 3"),
        (Scripted(*RIGHT, main_ticks=lambda instance: 4), "has 4 main ticks of 3"),
        (Scripted(*RIGHT, bonus=20.0), "has 3 main ticks of 3, bonus 20"),
    ],
)
def test_a_teacher_that_does_not_fit_is_refused(algorithm: Scripted, message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        trace_of(algorithm, 7)
    assert caught.value.code == "algorithm.teacher"
    assert "scripted" in str(caught.value)


def test_what_an_algorithm_must_say_of_itself() -> None:
    nameless = Scripted()
    del nameless.name, nameless.ops
    taken = Scripted(name="plan")
    for wrong, message in ((nameless, "Scripted lacks name, ops"), (taken, "that ships is named plan")):
        with pytest.raises(ConfigError, match=message) as caught:
            nhc.run_config(wrong)
        assert caught.value.code == "algorithm.names"


def test_a_configuration_belongs_to_its_algorithm() -> None:
    config = nhc.run_config(Increment())
    assert (config.task, config.sampling, config.domain, config.until) == (
        "increment",
        "exact",
        "",
        "mastered",
    )
    assert (config.machine.signals, config.machine.ops, config.curriculum.levels) == (2, 5, 5)
    for wrong, message in ((None, "or an algorithm itself"), (Scripted(), "the algorithm increment")):
        with pytest.raises(ConfigError, match=message) as caught:
            nhc.train(config, wrong)
        assert caught.value.code == "algorithm.unknown"


def test_levels_without_tasks_and_with_too_long_ones() -> None:
    config = nhc.run_config(Increment())
    for tasks, message in (([], "lists no tasks of level 1"), (["0" * 4_100], "up to 8,192 tasks and ticks")):
        algorithm = with_parts(Increment(), tasks=lambda level, listed=tasks: listed)
        with pytest.raises(ConfigError, match=message) as caught:
            nhc.train(config, algorithm)
        assert caught.value.code == "algorithm.tasks"


@pytest.fixture(scope="module")
def learned() -> Result:
    return nhc.learn(Increment(), seed=0)


def test_the_example_runs() -> None:
    lines = printed().splitlines()
    assert lines[0].startswith("learned: True")
    assert lines[1] == "1011 + 1 = 1100, correct: True"
    assert sum("correct: True" in line for line in lines) == 7 and "False" not in printed()
    assert lines[-2].endswith("sampled: 0 of 100 failed, failure rate <= 3.0 % (one-sided 95 %)")
    assert lines[-1] == "saved and loaded: 111 + 1 = 1000"


def test_what_was_learned_is_a_function_of_the_seed(learned: Result) -> None:
    again, other = nhc.learn(Increment(), seed=0), nhc.learn(Increment(), seed=1, budget=20)
    assert again.model.hash == learned.model.hash
    assert other.model.hash != learned.model.hash and other.state.iteration <= 20


def machine(seed: int, signals: int, ops: int) -> Parameters:
    """Random weights that do a little of everything."""
    config = MachineConfig(signals=signals, ops=ops)
    return initial_parameters(config, key=jax.random.key(seed), scale=1.0)


def with_parts(algorithm: Increment, **parts: object) -> Increment:
    """The same algorithm with other names or methods."""
    for name, part in parts.items():
        setattr(algorithm, name, part)
    return algorithm


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


def test_a_run_out_of_ticks_has_no_result(learned: Result) -> None:
    whole = nhc.execute(learned.model, "1011")
    assert (whole.result, whole.ticks, whole.ended, whole.correct, whole.trace) == (
        "1100",
        9,
        True,
        True,
        None,
    )
    cut = nhc.execute(learned.model, "1011", max_ticks=8, keep=True)
    assert (cut.result, cut.ticks, cut.ended, cut.correct) == (None, 8, False, False)
    assert cut.trace is not None and cut.trace.ticks == 8
    with pytest.raises(ConfigError) as caught:
        nhc.execute(learned.model, "1", max_ticks=0)
    assert caught.value.code == "run.ticks"


def test_the_trace_names_the_words(learned: Result) -> None:
    done = nhc.execute(learned.model, "10", keep=True)
    assert done.trace is not None
    head, *rows = done.trace.table().splitlines()
    assert head.endswith("control word  word read") and len(rows) == 5
    column = head.index("word read")
    assert [row[column:] for row in rows[2:4]] == ["0", "1"]


def test_memory_grows_and_nothing_changes(monkeypatch: pytest.MonkeyPatch) -> None:
    model = nhc.Model(machine(5, 3, 4), MachineConfig(signals=3, ops=4), replayed(50, 5), {})
    roomy = nhc.execute(model, 0, keep=True)
    monkeypatch.setattr(hosted, "FIRST_CELLS", 3)
    grown = nhc.execute(model, 0, keep=True)
    assert roomy.trace is not None and grown.trace is not None
    assert grown.trace.table() == roomy.trace.table() and grown.ticks == 50
    assert grown.trace.addresses.tolist() == roomy.trace.addresses.tolist()


def test_a_data_side_that_shows_other_signals_is_refused(learned: Result) -> None:
    rows: list[Shown] = [((0.0, 1.0), "x"), ((0.0, 1.0, 1.0), "x")]
    changed = with_parts(Increment(), begin=lambda number: Script(rows, stop=-1))
    with pytest.raises(ConfigError, match="expected 2 signals of the data side, found 3 at tick 2") as caught:
        nhc.execute(replace(learned.model, algorithm=changed), "1")
    assert caught.value.code == "algorithm.signals"


def halves(parameters: Parameters) -> Iterator[Parameters]:
    """A machine that never stops, and one that takes one operation for another."""
    last = parameters.transform_c
    for op, to in ((4, -1e6), (2, 1e3)):
        yield replace(parameters, transform_c=replace(last, b=last.b.at[op].set(to)))


def test_measure_counts_the_failures_of_a_damaged_machine(learned: Result) -> None:
    whole = nhc.measure(learned.model, 12, instances=10)
    assert (whole.level, whole.instances, whole.failures) == (12, 10, 0)
    assert whole.ticks >= 10 * 25
    assert whole == nhc.measure(learned.model, 12, instances=10)
    for damaged in halves(learned.model.parameters):
        model, heard = replace(learned.model, parameters=damaged), list[tuple[int, int]]()
        found = nhc.measure(
            model, 3, instances=4, seed=1, on_progress=lambda *counts, heard=heard: heard.append(counts)
        )
        assert heard == [(1, 1), (2, 2), (3, 3), (4, 4)] and found.failures == 4
        assert found.label == "sampled: 4 of 4 failed, failure rate <= 100 % (one-sided 95 %)"
    with pytest.raises(ConfigError) as caught:
        nhc.measure(learned.model, 3, instances=0)
    assert caught.value.code == "run.instances"


def test_measured_instances_are_a_function_of_the_seed(learned: Result) -> None:
    drawn = list[str]()

    def begin(number: str) -> nhc.DataSide:
        drawn.append(number)
        return learned.model.algorithm.begin(number)

    model = replace(learned.model, algorithm=with_parts(Increment(), begin=begin))
    for seed in (0, 0, 1):
        nhc.measure(model, 20, instances=3, seed=seed)
    assert drawn[:3] == drawn[3:6] != drawn[6:]
    assert len(set(drawn)) == 6 and {len(number) for number in drawn} == {20}


def test_levels_that_cannot_be_listed_are_sampled() -> None:
    options = {"curriculum": {"solved_after": 12}, "es": {"population": 40, "learning_rate": 0.05}}
    unlisted = with_parts(Increment(), name="unlisted", levels=1, tasks=lambda level: None)
    result = nhc.learn(unlisted, budget=400, **options)
    assert result.config.sampling == "sampled" and result.config.last_level == 2
    assert result.state.level > 1 or result.state.iteration == 400
    assert result.history[-1].fitness > result.history[0].fitness
    with pytest.raises(ConfigError, match="cannot be listed") as caught:
        nhc.learn(unlisted, sampling="exact")
    assert caught.value.code == "config.value"


def test_a_model_is_saved_and_loaded_with_its_algorithm(learned: Result, tmp_path: Path) -> None:
    path = tmp_path / "increment.safetensors"
    nhc.save_model(path, learned.model)
    algorithm = Increment()
    again = nhc.load_model(str(path), algorithm)
    assert again.algorithm is algorithm and again.hash == learned.model.hash
    assert again.record["mastered"] is True and again.record["seed"] == 0
    for wrong, message in (
        (
            None,
            "increment is none of the algorithms that ship: nhc.load_model(path, algorithm) takes your own",
        ),
        (Scripted(), "expected a model of scripted, found one of increment"),
        (with_parts(Increment(), ops=("a", "b", "c", "d", "e")), "expected task, operations and record"),
        (with_parts(Increment(), signals=("one",)), "task increment needs 1 signals, found 2"),
    ):
        with pytest.raises(ModelError, match=re.escape(message)) as caught:
            nhc.load_model(str(path), wrong)
        assert caught.value.code == "model.config"


def test_traces_of_all_tasks_of_the_example() -> None:
    tasks = stacked(Increment(), Increment().tasks(3))
    assert tasks.size == 8 and tasks.longest == 8 and sorted(tasks.length.tolist()) == [7] * 7 + [8]

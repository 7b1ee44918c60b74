"""An algorithm of one's own: what is refused, how it learns, and that its model is kept."""

import re
from pathlib import Path

import pytest

import nhc
from examples.own_algorithm import Increment
from nhc.algorithms.traces import ANY, stacked, trace_of
from nhc.errors import ConfigError, ModelError
from tests.algorithms.made_up import NOP, STOP, Script, Scripted, Shown, learned, with_parts

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


class Echo(Script):
    """Shows whether the word read last was the first letter."""

    def act(self, op: int, word: object) -> None:
        super().act(op, word)
        self.rows = [([float(word == "a")], letter) for _, letter in self.rows]


class Telltale(Script):
    """Has a result that depends on the word read last."""

    spoils = "a"

    def act(self, op: int, word: object) -> None:
        super().act(op, word)
        self.result = "wrong" if word == self.spoils else "right"


class LateTelltale(Telltale):
    """The first word stored would not tell."""

    spoils = "b"


def test_nothing_depends_on_a_read_that_is_free() -> None:
    rows: list[Shown] = [([0.0], letter) for letter in "abcd"]
    asked = Scripted((NOP, "a"), (STOP, "b"), begin=lambda instance: Echo(list(rows)))
    assert trace_of(asked, 7).signals.ravel().tolist() == [0.0, 1.0]
    for free, side, message in (
        (((NOP, nhc.FREE), (STOP, "b")), Echo, "depends on a read that is free, before tick 2: 7"),
        (((NOP, "a"), (STOP, nhc.FREE)), Telltale, "a result that depends on a read that is free: 7"),
        (((NOP, "a"), (STOP, nhc.FREE)), LateTelltale, "a result that depends on a read that is free: 7"),
    ):
        with pytest.raises(ConfigError, match=message) as caught:
            trace_of(Scripted(*free, begin=lambda instance, side=side: side(list(rows))), 7)
        assert caught.value.code == "algorithm.teacher"


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
    assert (config.machine.signals, config.machine.ops, config.curriculum.levels) == (2, 4, 5)
    for wrong, message in ((None, "or an algorithm itself"), (Scripted(), "the algorithm increment")):
        with pytest.raises(ConfigError, match=message) as caught:
            nhc.train(config, wrong)
        assert caught.value.code == "algorithm.unknown"


def test_a_level_without_tasks_is_refused() -> None:
    algorithm = with_parts(Increment(), tasks=lambda level: ["0"] if level < 2 else [])
    with pytest.raises(ConfigError, match="lists no tasks of level 2") as caught:
        nhc.learn(algorithm)
    assert caught.value.code == "algorithm.tasks"


def test_what_was_learned_is_a_function_of_the_seed() -> None:
    one, again, other = (nhc.learn(Increment(), seed=seed, budget=20) for seed in (0, 0, 1))
    assert one.model.hash == again.model.hash != other.model.hash and other.state.iteration == 20


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


def test_a_model_is_saved_and_loaded_with_its_algorithm(tmp_path: Path) -> None:
    path = tmp_path / "increment.safetensors"
    nhc.save_model(path, learned().model)
    algorithm = Increment()
    again = nhc.load_model(str(path), algorithm)
    assert again.algorithm is algorithm and again.hash == learned().model.hash
    assert again.record["mastered"] is True and again.record["seed"] == 0
    for wrong, message in (
        (
            None,
            "increment is none of the algorithms that ship: nhc.load_model(path, algorithm) takes your own",
        ),
        (Scripted(), "expected a model of scripted, found one of increment"),
        (with_parts(Increment(), ops=("a", "b", "c", "d")), "expected task, operations"),
        (with_parts(Increment(), signals=("one",)), "task increment needs 1 signals, found 2"),
    ):
        with pytest.raises(ModelError, match=re.escape(message)) as caught:
            nhc.load_model(str(path), wrong)
        assert caught.value.code == "model.config"


def test_traces_of_all_tasks_of_the_example() -> None:
    tasks = stacked(Increment(), Increment().tasks(3))
    assert tasks.size == 8 and tasks.longest == 5 and sorted(tasks.length.tolist()) == [4] * 7 + [5]

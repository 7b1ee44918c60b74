"""How fast training evaluates: perfect iterations and learning iterations, against the naive twin."""

from typing import NamedTuple

import jax
import jax.numpy as jnp

from nhc.algorithms.judge import Steps
from nhc.algorithms.supply import START, take
from nhc.algorithms.traces import Traces, concatenate
from nhc.bench.measure import Row, paired_seconds
from nhc.bench.naive import naive_evaluate
from nhc.evolve import nes
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import Course
from nhc.evolve.evaluate import Scores, capacity_for, evaluate
from nhc.evolve.loop import LOOKAHEAD
from nhc.evolve.state import NOISE_STREAM, stream
from nhc.machine.parameters import Parameters
from nhc.model import load_model

REPEATS = 7


class Measurement(NamedTuple):
    """One case: the same iterations by both ways, medians over repeats."""

    case: str
    iterations: int
    ticks: int
    """Ticks that episodes really lived."""
    seconds: float
    naive_seconds: float

    @property
    def ratio(self) -> float:
        """How many times faster than the naive twin."""
        return self.naive_seconds / self.seconds


def training_rows() -> list[Row]:
    """Rates of all cases, and how many times faster than the naive twin they are."""
    return [
        {
            "case": each.case,
            "ticks/s": round(each.ticks / each.seconds),
            "iterations/s": round(each.iterations / each.seconds),
            "naive iterations/s": round(each.iterations / each.naive_seconds),
            "times faster": round(each.ratio, 1),
        }
        for each in measure_training()
    ]


def measure_training() -> list[Measurement]:
    """Perfect iterations at Levels 3 and 21, and learning iterations at Level 1."""
    model = load_model("zoo:plan")
    config = TrainConfig(task="plan")
    theta = jax.tree.map(lambda leaf: leaf[None], model.parameters)
    results = [perfect_iterations(config, theta, level) for level in (3, 21)]
    return [*results, learning_iteration(config, model.parameters, level=1)]


def perfect_iterations(config: TrainConfig, theta: Parameters, level: int) -> Measurement:
    """A trained θ on `LOOKAHEAD` batches: in one call, and batch by batch by the naive twin."""
    batches = [_tasks(config, level, config.batch, skip=number) for number in range(LOOKAHEAD)]
    together, judge = concatenate(batches), Steps()

    def fast() -> Scores:
        return evaluate(theta, together, config=config.machine, judge=judge)

    def naive() -> list[Scores]:
        return [naive_evaluate(theta, batch, config=config.machine, judge=judge) for batch in batches]

    ticks = int(fast().ticks.sum())
    name = f"perfect iterations, level {level}"
    return Measurement(name, LOOKAHEAD, ticks, *paired_seconds(fast, naive, repeats=REPEATS))


def learning_iteration(config: TrainConfig, theta: Parameters, level: int) -> Measurement:
    """θ and its offspring on one batch, most of which fail early."""
    tasks = _tasks(config, level, config.batch, skip=0)
    judge = Steps()
    key = stream(config, NOISE_STREAM)
    members, _ = nes.offspring(theta, key, jnp.int32(0), config=config.machine, es=config.es)

    def fast() -> Scores:
        return evaluate(members, tasks, config=config.machine, judge=judge)

    def naive() -> Scores:
        return naive_evaluate(members, tasks, config=config.machine, judge=judge)

    ticks = int(fast().ticks.sum())
    name = f"θ and {config.es.population} offspring, level {level}"
    return Measurement(name, 1, ticks, *paired_seconds(fast, naive, repeats=REPEATS))


def _tasks(config: TrainConfig, level: int, count: int, skip: int) -> Traces:
    course = Course(config, config.algorithm)
    tasks, _ = take(course.supply, level, (skip + 1) * count, START)
    return tasks.rows(slice(skip * count, None)).padded(capacity_for(course.ticks_at(level)))

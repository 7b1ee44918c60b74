"""A training run as a list of things that happen, one iteration after another: the twin of the learning loop.

Written from the paper's section "Learning to Search" and our readings of it. What an iteration is made of
(draws of batches, noise, evaluation, one update) is the package's own and tested elsewhere.
"""

from dataclasses import dataclass, field, replace

import jax.numpy as jnp

from nhc.algorithms.judge import Steps
from nhc.algorithms.supply import START, take
from nhc.algorithms.traces import Traces, concatenate
from nhc.evolve import nes
from nhc.evolve.config import TrainConfig
from nhc.evolve.course import NOISE_STREAM, Course, draw_origins, stream
from nhc.evolve.evaluate import evaluate
from nhc.evolve.novelty import behaviours_of
from nhc.evolve.shaping import batch_fitness
from nhc.evolve.state import Record, TrainState, initial_train_state, lineage_parameters
from nhc.machine.parameters import Parameters
from tests.oracles.teacher import damaged, utilities

MOST_TAKEN = 500
STEP = 0.25  # of the weight of novelty, wherever it counts
LONGEST = {1: 6, 2: 11, 3: 15, 4: 19}  # ticks of Plan's levels


@dataclass(frozen=True)
class Case:
    """A run: its first machine is a fault of the breadth-first machine, or random."""

    fault: str | None
    sokoban: bool
    values: dict[str, object]
    level: int = 1

    @property
    def config(self) -> TrainConfig:
        es = {"population": 3, "learning_rate": 1e-6, "weight_decay": 0.9999}
        return TrainConfig.model_validate({"batch": 2, "es": es, "seed": 5, **self.values})

    @property
    def course(self) -> Course:
        """Tasks come from a supply with a seed of its own."""
        algorithm = self.config.algorithm
        course = Course(self.config, algorithm)
        vars(course)["supply"] = algorithm.supply("sokoban-6x6" if self.sokoban else "free-tree", 21)
        return course

    @property
    def first(self) -> TrainState:
        state = replace(initial_train_state(self.course), level=self.level)
        if self.fault is None:
            return state
        return replace(state, parameters=Parameters.from_blocks(damaged(self.fault), self.config.machine))


@dataclass
class Twin:
    """What the loop knows, as a list of things that happen; the design's section on learning."""

    theta: Parameters
    level: int
    ring: list[Traces]
    oldest: int = 0
    began: int = 0
    reached: bool = False
    streak: int = 0
    learning_iterations: int = 0
    restarts: int = 0
    nonfinite: int = 0
    ticks: int = 0
    weight: float = 1.0
    """Of fitness beside novelty."""
    best: tuple[int, float] = (0, 0.0)
    weights: list[float] = field(default_factory=list)
    """After each iteration."""
    stale: int = 0
    archive: list[list[int]] = field(default_factory=list)


def slow_run(case: Case) -> tuple[list[Record], Twin]:
    config, course, twin = case.config, case.course, Twin(case.first.parameters, case.level, [])
    supply, taken = {}, dict.fromkeys(range(1, config.curriculum.levels + 1), 0)
    for level in taken:
        supply[level] = take(course.supply, level, MOST_TAKEN, START)[0]
    records: list[Record] = []
    for iteration in range(config.budget):
        origins = draw_origins(config, iteration, twin.level, len(twin.ring))
        rows = []
        for memory, level in zip(*(column.tolist() for column in origins), strict=True):
            if memory >= 0:
                rows.append(twin.ring[memory])
            else:
                rows.append(supply[level].rows(slice(taken[level], taken[level] + 1)))
                taken[level] += 1
        records.append(iterate(config, twin, iteration, rows))
        twin.weights.append(twin.weight)
        if records[-1].solved and records[-1].level == config.curriculum.levels + 1:
            break
    return records, twin


def iterate(config: TrainConfig, twin: Twin, iteration: int, rows: list[Traces]) -> Record:
    level = twin.level
    tasks = concatenate([row.padded(128) for row in rows])
    longest = LONGEST[min(level, config.curriculum.levels)]
    tasks = tasks.padded(16 if longest <= 16 else 128)
    judge = Steps()
    key, es = stream(config, NOISE_STREAM), config.es
    noise = nes.noise_of(key, iteration, config=config.machine, population=es.population)
    members, noise = nes.offspring(twin.theta, noise, config=config.machine, es=es)
    scores = evaluate(members, tasks, config=config.machine, judge=judge)
    most = judge.most(tasks)
    fitness = batch_fitness(scores.points, most, 50.0).tolist()
    wrong = [
        row
        for number, row in enumerate(rows)
        if scores.main[0, number] != most.main[number] or scores.bonus[0, number] != most.bonus[number]
    ]
    found = {"learned": False, "restarted": False, "solved": False}
    streak = 0
    twin.ticks += int(scores.ticks[0].sum())
    if not wrong:
        assert fitness[0] == 150.0
        twin.streak += 1
        twin.reached = True
        streak = twin.streak
        if streak == config.bad_memories.cleared_after:
            twin.ring, twin.oldest = [], 0
        if streak == config.curriculum.solved_after:
            found["solved"] = True
            twin.level, twin.streak, twin.reached, twin.began = level + 1, 0, False, iteration + 1
    else:
        twin.streak = 0
        twin.ticks += int(scores.ticks[1:].sum())
        if config.bad_memories.enabled:
            remember(twin, wrong, config.bad_memories.capacity)
        rule, long = config.restart.rule, iteration + 1 - twin.began > config.restart.patience
        if long and (rule == "unsolved" or (rule == "unreached" and not twin.reached)):
            found["restarted"] = True
            twin.restarts += 1
            twin.theta = lineage_parameters(config, twin.restarts)
            twin.ring, twin.oldest, twin.level = [], 0, 1
            twin.reached, twin.began = False, iteration + 1
            twin.weight, twin.best, twin.stale = 1.0, (0, 0.0), 0
        else:
            found["learned"] = True
            twin.learning_iterations += 1
            shares = utilities(fitness[1:], config.es.gini, config.es.utility_scale)
            if config.novelty.enabled:
                shares = explored(config, twin, members, (level, fitness[0]), shares)
            twin.theta = nes.update(twin.theta, noise, jnp.asarray(shares, jnp.float32), es=config.es)
    return Record(
        iteration + 1,
        level,
        round(fitness[0], 6),
        **found,
        learning_iterations=twin.learning_iterations,
        restarts=twin.restarts,
        streak=streak,
        nonfinite=twin.nonfinite,
    )


def remember(twin: Twin, wrong: list[Traces], capacity: int) -> None:
    for task in wrong:
        if len(twin.ring) < capacity:
            twin.ring.append(task)
        else:
            twin.ring[twin.oldest] = task
            twin.oldest = (twin.oldest + 1) % capacity


def better(twin: Twin, now: tuple[int, float]) -> bool:
    """Was there progress? Then fitness gains weight."""
    if now <= twin.best:
        return False
    twin.best, twin.stale, twin.weight = now, 0, min(1, twin.weight + STEP)
    return True


def explored(
    config: TrainConfig,
    twin: Twin,
    members: Parameters,
    now: tuple[int, float],
    shares: list[float],
) -> list[float]:
    """The utilities of fitness, mixed with those of novelty."""
    assert config.novelty.step == STEP
    parent, *offspring = behaviours_of(members, config.machine, config.algorithm.probe()).tolist()
    twin.archive = [*twin.archive, parent][-config.novelty.capacity :]
    twin.stale += 1
    if not better(twin, now) and twin.stale == config.novelty.patience:
        twin.stale, twin.weight = 0, max(0, twin.weight - STEP)
    novelty = []
    for behaviour in offspring:
        distances = [sum(a != b for a, b in zip(behaviour, old, strict=True)) for old in twin.archive]
        nearest = sorted(distances)[: config.novelty.neighbours]
        novelty.append(sum(nearest) / len(nearest))
    novel = utilities(novelty, config.es.gini, config.es.utility_scale)
    return [twin.weight * a + (1 - twin.weight) * b for a, b in zip(shares, novel, strict=True)]

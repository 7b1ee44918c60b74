"""How fast training is: its evaluation against the naive twin, and exact levels beside sampled ones."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import jax

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
from nhc.machine.parameters import Parameters
from nhc.model import load_model
from nhc.training.config import run_config
from nhc.training.session import train

REPEATS = 7


def training_rows() -> list[Row]:
    """Perfect iterations at Levels 3 and 21, and learning iterations at Level 1."""
    model = load_model("zoo:plan")
    config = TrainConfig(task="plan")
    theta = jax.tree.map(lambda leaf: leaf[None], model.parameters)
    rows = [perfect_iterations(config, theta, level) for level in (3, 21)]
    return [*rows, learning_iteration(config, model.parameters, level=1)]


def perfect_iterations(config: TrainConfig, theta: Parameters, level: int) -> Row:
    """A trained θ on `LOOKAHEAD` batches."""
    batches = [_tasks(config, level, skip=number) for number in range(LOOKAHEAD)]
    return evaluated(f"perfect iterations, level {level}", config, theta, batches)


def learning_iteration(config: TrainConfig, theta: Parameters, level: int) -> Row:
    """θ and its offspring on one batch, most of which fail early."""
    noise = Course(config, config.algorithm).noise(0)
    members, _ = nes.offspring(theta, noise, config=config.machine, es=config.es)
    case = f"θ and {config.es.population} offspring, level {level}"
    return evaluated(case, config, members, [_tasks(config, level, skip=0)])


def evaluated(case: str, config: TrainConfig, members: Parameters, batches: Sequence[Traces]) -> Row:
    """Iterations, one a batch: all in one call, and batch by batch by the naive twin.

    Ticks are those that episodes really lived.
    """
    together, judge = concatenate(batches), Steps()

    def fast() -> Scores:
        return evaluate(members, together, config=config.machine, judge=judge)

    def naive() -> list[Scores]:
        return [naive_evaluate(members, batch, config=config.machine, judge=judge) for batch in batches]

    ticks = int(fast().ticks.sum())
    seconds, naive_seconds = paired_seconds(fast, naive, repeats=REPEATS)
    return {
        "case": case,
        "ticks/s": round(ticks / seconds),
        "iterations/s": round(len(batches) / seconds),
        "naive iterations/s": round(len(batches) / naive_seconds),
        "times faster": round(naive_seconds / seconds, 1),
    }


def _tasks(config: TrainConfig, level: int, skip: int) -> Traces:
    """A batch of a level, after so many others."""
    course, count = Course(config, config.algorithm), config.batch
    tasks, _ = take(course.supply, level, (skip + 1) * count, START)
    return tasks.rows(slice(skip * count, None)).padded(capacity_for(course.ticks_at(level)))


def proof_rows(task: str = "plan", seeds: Sequence[int] = range(3)) -> list[Row]:
    """Seconds until a proof by exact and by sampled levels, and how many times faster exact ones are.

    Once the learning alone, once a whole `nhc train` with its start, its files and its pictures; each after a
    run that compiles, of which commands keep what was compiled. None where a run ended without a proof.
    """
    ways = {"learning alone": learn_in_process, "whole process": learn_by_command}
    cases = [(seed, name, way) for seed in seeds for name, way in ways.items()]
    return [compared(f"{task}, seed {seed}: {name}", partial(way, task, seed)) for seed, name, way in cases]


def compared(case: str, learn: Callable[[str], bool]) -> Row:
    """Both ways to sample, in turn; `learn` says if there was a proof."""
    proved: list[bool] = []
    exact, sampled = paired_seconds(
        lambda: proved.append(learn("exact")), lambda: proved.append(learn("sampled")), repeats=1
    )
    figures = {"exact s": exact, "sampled s": sampled, "times faster": sampled / exact}
    return {"case": case} | {name: round(each, 2) if all(proved) else None for name, each in figures.items()}


def learn_in_process(task: str, seed: int, sampling: str) -> bool:
    """Learn until a proof, without files; was there one within the budget?"""
    settings = {"seed": seed, "sampling": sampling, "until": "certified"}
    return train(run_config(task, overrides=settings)).state.certified


def learn_by_command(task: str, seed: int, sampling: str) -> bool:
    """The same by a process of its own, in a folder that is deleted afterwards."""
    with TemporaryDirectory() as folder:
        options = f"--seed {seed} --sampling {sampling} --until certified --quiet --json --out"
        command = [sys.executable, "-m", "nhc", "train", task, *options.split(), str(Path(folder, "run"))]
        done = subprocess.run(command, capture_output=True, check=False, text=True)
    return done.returncode == 0 and bool(json.loads(done.stdout).get("certified"))

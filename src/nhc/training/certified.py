"""Certificate-guided training: a proof ends the run, and the tasks that refute it become bad memories.

A proof is tried whenever a batch is perfect for the first time since the weights changed. It takes a fraction
of a second and saves the thousands of perfect iterations that would make the same claim by sampling.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from nhc.certify.prove import Proof, Refutation, prove
from nhc.domains.protocol import StateT
from nhc.evolve.config import TrainConfig
from nhc.evolve.loop import advance, ended
from nhc.evolve.state import Record, TrainState
from nhc.model import Model
from nhc.tasks.algorithm import Algorithm
from nhc.tasks.batch import Tasks
from nhc.tasks.source import TaskSource
from nhc.tasks.tree import depths


def certified_evolution(
    config: TrainConfig, state: TrainState, source: TaskSource[StateT]
) -> Iterator[tuple[TrainState, list[Record]]]:
    """`nhc.evolve.loop.evolution` with a proof tried after the first perfect iteration of each streak."""
    while not ended(config, state):
        state, records = advance(config, state, source)
        if records and state.streak == 1:
            state = examined(config, state)
        yield state, records


def examined(config: TrainConfig, state: TrainState) -> TrainState:
    """The state with the verdict on its weights: certified, or the refuting task is the only bad memory."""
    verdict = prove(Model(state.parameters, config.machine, config.algorithm, {}))
    if isinstance(verdict, Proof):
        return replace(state, certified=True)
    if not isinstance(verdict, Refutation) or not config.bad_memories.enabled:
        return state
    failed = free_tree_task(verdict.failure.goal, config.algorithm)
    fits = int(failed.goal[0] + failed.end[0]) <= state.bad.tasks.content.shape[1]
    # A perfect batch says that older failures are mended. Among them the new one would hardly be drawn before
    # ten perfect iterations clear them all.
    return replace(state, bad=state.bad.cleared().remember(failed)) if fits else state


def free_tree_task(goal: int, algorithm: Algorithm) -> Tasks:
    """The task on the free tree with the goal at a node, where every configuration is new."""
    node = np.array([goal], np.int32)
    return Tasks(np.arange(goal + 1, dtype=np.int32)[None], node, algorithm.end_ticks(depths(node)))

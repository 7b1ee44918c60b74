"""What happens around learning: streaks, solved levels, restarts, and the record of an iteration."""

from dataclasses import replace

from nhc.evolve.config import TrainConfig
from nhc.evolve.state import Record, TrainState, lineage_parameters


def after_perfect(config: TrainConfig, state: TrainState) -> tuple[TrainState, Record]:
    """A perfect iteration: the streak grows, at its marks clears the bad memories and solves the level."""
    streak = state.streak + 1
    bad = state.bad.cleared() if streak == config.bad_memories.cleared_after else state.bad
    state = replace(state, streak=streak, reached=True, bad=bad, doubtful=False)
    solved = streak >= config.curriculum.solved_after
    record = record_of(state, config.algorithm.maximum, solved=solved)
    if not solved:
        return state, record
    after = replace(
        state,
        level=state.level + 1,
        level_began=state.iteration,
        streak=0,
        reached=False,
        mastered=state.level > config.curriculum.levels,
    )
    return after, record


def must_restart(config: TrainConfig, state: TrainState) -> bool:
    """Has the lineage had its patience's worth of iterations on this level, in vain by the rule?"""
    exhausted = state.iteration - state.level_began > config.restart.patience
    in_vain = {"unreached": not state.reached, "unsolved": True, "never": False}
    return exhausted and in_vain[config.restart.rule]


def restarted(config: TrainConfig, state: TrainState, fitness: float) -> tuple[TrainState, Record]:
    """New weights at Level 1 with empty bad memories; this iteration does not learn."""
    lineage = state.restarts + 1
    record = record_of(replace(state, restarts=lineage), fitness, restarted=True)
    after = replace(
        state,
        parameters=lineage_parameters(config, lineage),
        bad=state.bad.cleared(),
        level=1,
        level_began=state.iteration,
        reached=False,
        restarts=lineage,
        novelty=None if state.novelty is None else state.novelty.restarted(config.novelty),
    )
    return after, record


def record_of(
    state: TrainState, fitness: float, *, learned: bool = False, restarted: bool = False, solved: bool = False
) -> Record:
    """The record of the iteration that led to `state`."""
    return Record(
        iteration=state.iteration,
        level=state.level,
        fitness=round(float(fitness), 6),
        learned=learned,
        restarted=restarted,
        learning_iterations=state.learning_iterations,
        restarts=state.restarts,
        streak=state.streak,
        solved=solved,
        nonfinite=state.nonfinite,
    )

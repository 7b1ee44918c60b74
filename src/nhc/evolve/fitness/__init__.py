"""Fitness: how an episode is fed and judged. Three final classes, one type; `FITNESSES` names them."""

from collections.abc import Callable

from nhc.evolve.fitness.judge import Judge
from nhc.evolve.fitness.outcome import Outcome
from nhc.evolve.fitness.steps import Steps
from nhc.evolve.fitness.success import Success
from nhc.tasks.algorithm import Algorithm

FITNESSES: dict[str, Callable[[Algorithm], Judge]] = {"steps": Steps, "outcome": Outcome, "success": Success}

__all__ = ["FITNESSES", "Judge", "Outcome", "Steps", "Success"]

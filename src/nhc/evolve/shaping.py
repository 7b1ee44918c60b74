"""Fitness shaping: from points to the paper's fitness, and from fitness to utilities by rank."""

import math

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.judge import Points

Counts = NDArray[np.int32] | NDArray[np.int64]


def batch_fitness(points: Points, most: Points, bonus: float) -> NDArray[np.float64]:
    """Fitness of each member on a batch; the paper, Eq. 3.

    The mean over tasks of f_e = 100 · main points / most; where every task has all of them, plus the mean
    of f_b = bonus · bonus points / most. `points` are members x tasks, `most` are per task.
    Range 0..100+bonus.
    """
    main = 100.0 * mean_share(points.main, most.main)
    if bonus == 0:
        return main
    complete = (np.asarray(points.main) == most.main).all(axis=1)
    return np.where(complete, 100.0 + bonus * mean_share(points.bonus, most.bonus), main)


def mean_share(points: Counts, most: Counts) -> NDArray[np.float64]:
    """The mean over tasks of points / most for each member, exact up to one last rounding.

    Members that did equally well on different tasks therefore tie: sums of rounded quotients would not.
    """
    wholes = [int(whole) for whole in most]
    common = math.lcm(*wholes)
    totals = points.astype(object) @ np.array([common // whole for whole in wholes], dtype=object)
    return np.array([total / (common * len(wholes)) for total in totals])


def gini_utilities(population: int, gini: float, scale: float) -> NDArray[np.float64]:
    """Utility by rank, worst first: u_k = scale · (k / (P-1))^(2/gini - 1), the smooth Gini ranking.

    The smaller `gini` in (0, 1], the more of the weight goes to the best. The paper names the ranking and
    gives no scale: docs/decisions.md.
    """
    return scale * np.linspace(0.0, 1.0, population) ** (2.0 / gini - 1.0)


def ranked_utilities(fitness: NDArray[np.float64], by_rank: NDArray[np.float64]) -> NDArray[np.float64]:
    """The utility of each member: ties share the mean of their ranks' utilities, non-finite ranks last."""
    comparable = np.where(np.isfinite(fitness), fitness, -np.inf)
    order = np.argsort(comparable, kind="stable")
    _, group = np.unique(comparable, return_inverse=True)
    totals = np.zeros(group.max() + 1)
    np.add.at(totals, group[order], by_rank)
    return totals[group] / np.bincount(group)[group]

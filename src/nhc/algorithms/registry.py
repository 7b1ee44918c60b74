"""The algorithms that ship, by name. A further family needs an entry here and nothing elsewhere."""

from typing import TypeAlias, cast

from nhc.algorithms.protocol import Algorithm
from nhc.algorithms.sequence.family import SEQUENCES
from nhc.algorithms.tree.algorithm import PLAN, SEARCH
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.errors import ConfigError

AnyAlgorithm: TypeAlias = Algorithm[object]
"""An algorithm whose instances are only passed on."""

ALGORITHMS: dict[str, AnyAlgorithm] = {
    algorithm.name: cast(AnyAlgorithm, algorithm) for algorithm in (SEARCH, PLAN, GRAPH_PLAN, *SEQUENCES)
}


def algorithm_named(name: str) -> AnyAlgorithm:
    """The algorithm of that name. Raises ConfigError (`algorithm.unknown`)."""
    if name not in ALGORITHMS:
        shipped = ", ".join(ALGORITHMS)
        raise ConfigError(
            "algorithm.unknown", f"expected one of {shipped}, or an algorithm itself, found {name!r}"
        )
    return ALGORITHMS[name]

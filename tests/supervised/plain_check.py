"""The slow and plain check of a whole family: the losses' own failures, row by row."""

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

from nhc.data.networks import Network
from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import OPS, StateT
from nhc.domains.states import regrouped
from nhc.supervised.rows import labelled
from nhc.supervised.verify import CHUNK, CheckOutcome, check_rows


def check_family(world: FiniteWorld[StateT], module: str, networks: Mapping[str, Network]) -> CheckOutcome:
    """Every row of Transform_D, ALU or Output."""
    return check_rows(world.form, module, networks, family_rows(world, module), "exhaustive")


def family_rows(world: FiniteWorld[StateT], module: str) -> Iterator[NDArray[np.uint8]]:
    """All rows of Transform_D, ALU or Output in chunks, each once."""
    if module == "alu":
        views = world.views()
        for start in range(0, len(views), CHUNK):
            part = views[start : start + CHUNK]
            for op in range(len(OPS)):
                yield labelled(world, module, part, np.full(len(part), op))
        return
    for states in regrouped(world.family_states(), CHUNK):
        contents = world.contents(states)
        for op in range(1 if module == "transform_d" else len(OPS)):
            yield labelled(world, module, contents, np.full(len(contents), op))

"""A trained machine as plain JSON values: what a page needs to run it and to name what it does."""

import base64
from collections.abc import Mapping, Sequence

import numpy as np

from nhc.algorithms.sequence.grammar import NOTATIONS, PAIRS
from nhc.algorithms.tree.algorithm import TREES
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN
from nhc.errors import ConfigError
from nhc.machine.config import GATED, options_unlike
from nhc.machine.layout import blocks
from nhc.model import Model
from nhc.runs.arrays import weight_hash
from nhc.training.learning import Snapshot
from nhc.viewer.learned import program_lines

SCHEMA = 1
PLANNERS = (*TREES, GRAPH_PLAN.name)
"""Algorithms whose tasks are those of planning worlds."""
COMMON_PAIRS = f"{PAIRS[:8]} and others"
"""Brackets that every font has."""


def machine_json(name: str, model: Model) -> dict[str, object]:
    """Weights, options, names of signals, operations and words, and the learned program.

    Raises ConfigError: `show.machine` for a machine that is no finite table, `show.algorithm` for an
    algorithm that does not ship.
    """
    unlike = options_unlike(model.config, GATED)
    if unlike:
        wanted = ", ".join(f"{option} = {value}" for option, value in GATED.items())
        raise ConfigError("show.machine", f"{name}: expected {wanted}; found {unlike}")
    algorithm, program = model.algorithm, program_lines(model)
    if algorithm.name not in (*PLANNERS, *NOTATIONS):
        raise ConfigError("show.algorithm", f"expected an algorithm that ships, found {algorithm.name}")
    notation = NOTATIONS.get(algorithm.name)
    return {
        "schema": SCHEMA,
        "name": name,
        "hash": model.hash,
        "machine": {
            "signals": model.config.signals,
            "ops": model.config.ops,
            "hidden": model.config.hidden,
            "word_size": model.config.word_size,
            "usage_link": model.config.usage_link,
            "gated": model.config.write_gate == "learned",
        },
        "blocks": _blocks(model),
        "algorithm": {
            "name": algorithm.name,
            "signals": list(algorithm.signals),
            "ops": list(algorithm.ops),
            "control": algorithm.control,
            "alu": algorithm.alu,
            "example": "" if notation is None else notation.example,
            "usage": "" if notation is None else notation.usage.replace(PAIRS, COMMON_PAIRS),
        },
        "about": program.about,
        "sections": [
            {"title": section.title, "lines": [line._asdict() for line in section.lines]}
            for section in program.sections
        ],
        "names": {str(code): name for code, name in program.names.items()},
    }


def learning_json(snapshots: Sequence[Snapshot], model: Model) -> list[dict[str, object]]:
    """What a page needs of weights along the way: those of other machines than the trained one."""
    stages = []
    for mark, weights in snapshots:
        if weight_hash(dict(weights)) != model.hash:
            rows = b"".join(_rows(weights, block.name) for block in blocks(model.config))
            updates = mark.updates - snapshots[0].mark.updates
            stages.append({"updates": updates, "level": mark.level, "weights": _base64(rows)})
    return stages


def _blocks(model: Model) -> list[dict[str, object]]:
    """Named blocks in storage order; each row of weights ends with its bias."""
    arrays = model.parameters.named_blocks(model.config)
    return [
        {
            "name": block.name,
            "rows": block.rows,
            "inputs": block.inputs,
            "weights": _base64(_rows(arrays, block.name)),
        }
        for block in blocks(model.config)
    ]


def _rows(arrays: Mapping[str, np.ndarray], name: str) -> bytes:
    """The rows of a block as float32, each with its bias."""
    rows = np.concatenate([arrays[f"{name}.w"], arrays[f"{name}.b"][:, None]], axis=1)
    return rows.astype("<f4").tobytes()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")

"""The stage of an experiment as named arrays and plain values, and back: nothing of it is lost."""

from collections.abc import Mapping

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from nhc.baselines.config import BaselineConfig
from nhc.baselines.experiment import Experiment, Stage, TreeT, first_levels
from nhc.errors import ModelError
from nhc.runs.arrays import Arrays

KIND = "baseline-checkpoint"
TREE = "tree/"
NODES = 2
"""The axis of a ring's words that grows with the tasks: runs x memories x nodes x bytes."""


def stage_arrays(stage: Stage[TreeT]) -> Arrays:
    """The arrays by name: `levels`, `positions`, and `tree/...` for all that training changes."""
    leaves, _ = jax.tree_util.tree_flatten_with_path(stage.tree)
    arrays: Arrays = {TREE + jax.tree_util.keystr(path): np.asarray(leaf) for path, leaf in leaves}
    return arrays | {"levels": stage.levels, "positions": stage.positions}


def stage_values(stage: Stage[TreeT]) -> dict[str, object]:
    """What is no array."""
    return {"kind": KIND, "iteration": stage.iteration}


def restored_stage(
    experiment: Experiment[TreeT],
    config: BaselineConfig,
    arrays: Mapping[str, NDArray[np.generic]],
    values: Mapping[str, object],
) -> Stage[TreeT]:
    """The stage that `stage_arrays` and `stage_values` describe.

    Raises ModelError: `model.checkpoint` if a part is missing, `model.shape` if one does not fit.
    """
    iteration = values.get("iteration")
    if values.get("kind") != KIND or not isinstance(iteration, int):
        raise ModelError("model.checkpoint", "expected a checkpoint of comparison runs, found another file")
    try:
        levels, positions = (np.array(arrays[name], np.int64) for name in ("levels", "positions"))
        fresh = experiment.begin(first_levels(config))
        if levels.shape != fresh.levels.shape or positions.shape != fresh.positions.shape:
            raise ModelError("model.shape", f"expected levels of {config.runs} runs, found {levels.shape}")
        # Rings are as wide as the tasks of the last round were, which may be those of a lower level.
        widths = {TREE + ".ring.words"}
        leaves, form = jax.tree_util.tree_flatten_with_path(fresh.tree)
        restored = []
        for path, leaf in leaves:
            name = TREE + jax.tree_util.keystr(path)
            found = arrays[name]
            width = NODES if name in widths else found.ndim
            one_shape = (*found.shape[:width], *found.shape[width + 1 :])
            if found.ndim != leaf.ndim or one_shape != (*leaf.shape[:width], *leaf.shape[width + 1 :]):
                raise ModelError("model.shape", f"{name}: expected {leaf.shape}, found {found.shape}")
            restored.append(jnp.asarray(found, leaf.dtype))
    except KeyError as error:
        raise ModelError("model.checkpoint", f"expected a checkpoint, found none of its {error}") from error
    return Stage(iteration, jax.tree_util.tree_unflatten(form, restored), levels, positions)

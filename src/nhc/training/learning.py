"""How weights came to be: a few of a run's, along its way. Nothing of the run depends on them.

Kept are the first weights, those with which a level was reached, and those after each growth of the number
of updates by a quarter; of more than `MOST`, the earliest after the first are dropped. A restart begins anew:
weights that were given up led nowhere. What is kept is a function of the run: a resumed run keeps the same.
"""

from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from nhc.errors import ModelError, Place
from nhc.evolve.state import TrainState
from nhc.machine.config import MachineConfig
from nhc.machine.parameters import Parameters
from nhc.runs.arrays import load_arrays, save_arrays

KIND = "learning"
MOST, GROWTH = 32, 1.25


class Mark(NamedTuple):
    """Where in the run some weights come from."""

    iteration: int
    updates: int
    """Learning iterations of the run by then."""
    level: int
    """The level that they reached, one more than there are for the last."""
    restarts: int


class Snapshot(NamedTuple):
    """Weights, by block, and where they come from."""

    mark: Mark
    blocks: dict[str, NDArray[np.float32]]


class Learning:
    """The snapshots of a run, in a file that is written when there is a new one."""

    def __init__(self, path: Path, config: MachineConfig, state: TrainState) -> None:
        """Goes on after what the file has up to a state; a file that cannot be read is begun anew."""
        self._path, self._config = path, config
        try:
            known = read_learning(path, config)
        except ModelError:
            known = []
        self.snapshots = [each for each in known if each.mark.iteration <= state.iteration]
        self.note(state)

    def note(self, state: TrainState) -> None:
        """Keep a state's weights, if they are to be kept. Raises StorageError (`storage.write`)."""
        mark = Mark(state.iteration, state.learning_iterations, state.level, state.restarts)
        if self.snapshots and self.snapshots[0].mark.restarts != mark.restarts:
            self.snapshots = []
        last = self.snapshots[-1] if self.snapshots else None
        if last is not None and last.mark.updates == mark.updates:
            if mark.level > last.mark.level:
                self.snapshots[-1] = last._replace(mark=last.mark._replace(level=mark.level))
                self._write()
        elif last is None or self._is_next(last.mark, mark):
            self.snapshots.append(Snapshot(mark, state.parameters.named_blocks(self._config)))
            if len(self.snapshots) > MOST:
                del self.snapshots[1]
            self._write()

    def _is_next(self, last: Mark, mark: Mark) -> bool:
        began = self.snapshots[0].mark.updates
        return mark.level > last.level or mark.updates - began >= GROWTH * (last.updates - began)

    def _write(self) -> None:
        marks = [list(each.mark) for each in self.snapshots]
        stacked = {
            name: np.stack([each.blocks[name] for each in self.snapshots])
            for name in self.snapshots[0].blocks
        }
        save_arrays(self._path, stacked, {"kind": KIND, "fields": list(Mark._fields), "marks": marks})


def read_learning(path: Path, config: MachineConfig) -> list[Snapshot]:
    """The snapshots in a file, oldest first.

    Raises ModelError: what `load_arrays` raises, `model.kind` for a file of another kind, `model.shape` for
    weights of another machine.
    """
    arrays, metadata = load_arrays(path)
    place, marks = Place(str(path)), metadata.get("marks")
    if (
        metadata.get("kind") != KIND
        or metadata.get("fields") != list(Mark._fields)
        or not isinstance(marks, list)
    ):
        raise ModelError("model.kind", f"expected kind {KIND} of this version", place)
    if any(len(array) != len(marks) for array in arrays.values()):
        raise ModelError("model.shape", f"expected {len(marks)} weights in each block", place)
    found = []
    for number, mark in enumerate(marks):
        blocks = {name: np.asarray(array[number], np.float32) for name, array in arrays.items()}
        Parameters.from_blocks(blocks, config)
        found.append(Snapshot(Mark(*mark), blocks))
    return found

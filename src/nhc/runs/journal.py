"""What a run has reported since its last checkpoint, and the order in which all of it is written."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from nhc.runs.directory import RunDirectory


class _Waiting(NamedTuple):
    """Records that no checkpoint covers yet, and the iteration of the last one; replaced as a whole."""

    since: int
    records: list[Mapping[str, object]]


class Journal:
    """Writes metrics, timing and checkpoint of a run; an interrupt between any two lines does no harm.

    What an interrupt cut short is taken back by the next write and written again.
    """

    def __init__(self, directory: RunDirectory, iteration: int) -> None:
        self._directory = directory
        self._waiting = _Waiting(iteration, [])
        self._writing = False

    def add(self, records: Sequence[Mapping[str, object]]) -> None:
        """Take note of iterations.

        Before the state that they led to: a log may be ahead of its checkpoint, never behind.
        """
        self._waiting.records.extend(records)

    def write(
        self, iteration: int, timing: Mapping[str, object], save_checkpoint: Callable[[], object]
    ) -> None:
        """Write the logs, then the checkpoint of the state after `iteration`; nothing if no record waits."""
        if self._writing:
            self._directory.truncate_after(self._waiting.since)
        self._writing = True
        if self._waiting.records:
            self._directory.metrics.append(self._waiting.records)
            self._directory.timing.append([{"iteration": iteration, **timing}])
            save_checkpoint()
            self._waiting = _Waiting(iteration, [])
        self._writing = False

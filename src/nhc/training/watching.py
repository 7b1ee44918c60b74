"""A training run as others see it: what it wrote into its directory so far, and what is new since."""

from pathlib import Path
from typing import NamedTuple

from nhc.errors import ConfigError, InputError, Place
from nhc.evolve.state import Record
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import Standing
from nhc.training.config import validated
from nhc.training.keeping import standing


class Look(NamedTuple):
    """Where a run stood when it wrote its log."""

    seconds: float
    """Since its process began."""
    standing: Standing


class WatchedRun:
    """Reads what a run writes, while it runs or later; changes nothing."""

    def __init__(self, path: Path) -> None:
        """Raises ConfigError: `run.missing`, `run.damaged`, `run.schema`, and `watch.run` for a run of
        another command than `nhc train`."""
        self.directory = RunDirectory.open(path)
        try:
            self.config = validated(self.directory.read_config(), self.directory.config_file)
            _ = self.config.algorithm
        except ConfigError as error:
            message = f"expected a run of nhc train, found another: {error.message}"
            raise ConfigError("watch.run", message, Place(str(path))) from error
        self._told = self._process = 0
        self._seconds = 0.0

    @property
    def status(self) -> str:
        """`running`, `finished`, `interrupted` or `failed`, as the run itself says."""
        return str(self.directory.read_meta().get("status"))

    def news(self) -> list[Look]:
        """What was written since the last call, in order; at first everything.

        A process that resumed the run counts its time and ticks anew. Raises InputError (`run.damaged`).
        """
        times = self.directory.timing.read()
        new = times[min(self._told, len(times)) :]
        self._told = len(times)
        # The records of an iteration are written before its time.
        records = {line.get("iteration"): line for line in self.directory.metrics.read()} if new else {}
        return [
            self._look(time, records[time["iteration"]]) for time in new if time.get("iteration") in records
        ]

    def _look(self, time: dict[str, object], line: dict[str, object]) -> Look:
        try:
            record, seconds = Record(**line), float(str(time["elapsed_s"]))  # type: ignore[arg-type]
            now = standing(self.config, record, int(str(time["ticks"])))
        except (KeyError, TypeError, ValueError) as error:
            place = Place(str(self.directory.path))
            raise InputError(
                "run.damaged", f"expected the log of nhc train, found: {error}", place
            ) from error
        self._process += seconds < self._seconds
        self._seconds = seconds
        return Look(seconds, now._replace(phase=str(self._process)))

"""Where the training of each module stands, told to a progress display."""

from nhc.domains.local import LocalStateT, LocalWorld
from nhc.supervised.checkpoint import RunState
from nhc.supervised.config import ModulesConfig
from nhc.supervised.progress import ModulesProgress, Standing
from nhc.supervised.run import family_rows_of
from nhc.supervised.train import Record


class Standings:
    """Takes note of rounds, checks and parts of checks."""

    def __init__(
        self, world: LocalWorld[LocalStateT], config: ModulesConfig, progress: ModulesProgress
    ) -> None:
        self.progress = progress
        self._budget = config.budget
        self._families = {module: family_rows_of(world, module) for module in config.modules}
        self._standing: Standing | None = None

    def note(self, run: RunState, record: Record) -> None:
        """A round or a check, and the state after it."""
        module, state = record.module, run.states[record.module]
        family = self._families[module]
        standing = self._standing_of(module)._replace(updates=record.updates)
        if record.event == "check":
            standing = standing._replace(check_errors=record.errors)
        else:
            coverage = None if family is None else min(1.0, state.fresh / family)
            standing = standing._replace(
                loss=record.loss, fresh=record.fresh, errors=record.errors, coverage=coverage
            )
        self._standing = standing
        self.progress.update(standing)

    def checking(self, module: str, done: int, cases: int) -> None:
        """A part of a check of a module."""
        self.progress.update(self._standing_of(module)._replace(checked=done / max(cases, 1)))

    def _standing_of(self, module: str) -> Standing:
        if self._standing is not None and self._standing.module == module:
            return self._standing
        return Standing(module, 0, self._budget, None, 0, None, None, None)

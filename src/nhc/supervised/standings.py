"""Where the training of each module stands, told to a progress display."""

from nhc.domains.local import LocalStateT, LocalWorld
from nhc.runs.progress import Progress, Standing
from nhc.supervised.config import ModulesConfig
from nhc.supervised.run import RunState, family_rows_of
from nhc.supervised.train import Record


class Standings:
    """Takes note of rounds, checks and parts of checks, module after module."""

    def __init__(self, world: LocalWorld[LocalStateT], config: ModulesConfig, progress: Progress) -> None:
        self.progress = progress
        self._budget = config.budget
        self._families = {module: family_rows_of(world, module) for module in config.modules}
        self._module = ""
        self._updates = 0
        self._fields: dict[str, str] = {}
        """What is known of the module, in the order in which it became known."""

    def note(self, run: RunState, record: Record) -> None:
        """A round or a check, and the state after it."""
        self._begin(record.module)
        self._updates = record.updates
        if record.event == "check":
            self._fields["last check"] = f"{record.errors} errors"
        else:
            self._fields |= {"loss": f"{record.loss:.5f}", "errors": f"{record.errors}/{record.fresh}"}
            family = self._families[record.module]
            if family is not None:
                seen = min(1.0, run.states[record.module].fresh / family)
                self._fields["family seen"] = f"<= {100 * seen:.3g}%"
        self._show("", record.updates, self._budget - record.updates)

    def checking(self, module: str, done: int, cases: int) -> None:
        """A part of a check of a module."""
        self._begin(module)
        share = done / max(cases, 1)
        self._show("check", share, 1 - share, ("checking", f"{100 * share:.0f}%"))

    def _begin(self, module: str) -> None:
        if module != self._module:
            self._module, self._updates, self._fields = module, 0, {}

    def _show(self, phase: str, done: int | float, left: int | float, *more: tuple[str, str]) -> None:
        fields = (("module", self._module), ("updates", f"{self._updates}"), *self._fields.items(), *more)
        self.progress.update(Standing(fields, done, max(left, 0), phase=f"{self._module} {phase}"))

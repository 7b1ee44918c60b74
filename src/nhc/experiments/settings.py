"""What a user may change about all experiments at once; always printed with the results."""

from typing import NamedTuple

from nhc.errors import ConfigError

QUICK_RUNS, QUICK_BUDGET = 2, 1_500
QUICK_CURRICULUM: dict[str, object] = {"levels": 3, "solved_after": 50}
"""A short curriculum, so that something happens within so few iterations."""


class Settings(NamedTuple):
    """Runs and budgets; None leaves each description's own, which are the paper's where it gives them."""

    runs: int | None = None
    budget: int | None = None
    """Iterations of training runs."""
    seed: int = 0
    """Of the first run; the others count on."""
    quick: bool = False

    def runs_of(self, usual: int) -> int:
        """Runs of a variant that usually has so many."""
        return self.runs or (min(QUICK_RUNS, usual) if self.quick else usual)

    def budget_of(self, usual: int) -> int:
        """Iterations of a run that usually has so many."""
        return self.budget or (min(QUICK_BUDGET, usual) if self.quick else usual)

    @property
    def seeds(self) -> str:
        """For a person."""
        return f"seeds from {self.seed}"

    def __str__(self) -> str:
        runs = "as described" if self.runs is None else str(self.runs)
        budget = "as described" if self.budget is None else f"{self.budget:,} iterations"
        size = "quick (small budgets, short curriculum)" if self.quick else "full"
        return f"size {size}; runs {runs}; budget {budget}; {self.seeds}"


def checked(settings: Settings) -> Settings:
    """The settings. Raises ConfigError: `reproduce.range` below 1, `config.value` for the seed."""
    for name in ("runs", "budget"):
        value = getattr(settings, name)
        if value is not None and value < 1:
            raise ConfigError("reproduce.range", f"{name}: expected at least 1, found {value}")
    if not 0 <= settings.seed < 2**31:
        raise ConfigError("config.value", f"seed: expected 0..{2**31 - 1}, found {settings.seed}")
    return settings

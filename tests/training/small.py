"""A small run with everything in it: a restart, three solved levels, bad memories that come and go.

It masters its two levels and the last one in 379 iterations; other kinds of processors may take others.
"""

from nhc.evolve.config import TrainConfig
from nhc.training.config import run_config

OPTIONS = {
    "seed": 8,
    "domain": "free-tree",
    "budget": 400,
    "batch": 4,
    "es.learning-rate": 0.03,
    "curriculum.levels": 2,
    "curriculum.solved-after": 16,
    "bad-memories.cleared-after": 3,
    "bad-memories.capacity": 7,
    "restart.patience": 60,
}
"""As on the command line. A streak of 16 is longer than what is evaluated in one call."""


def arguments(**changes: object) -> list[str]:
    """`train search` with these options; `solved__after` is not needed: names are joined by their parts."""
    options = OPTIONS | changes
    return ["search", *(part for name, value in options.items() for part in (f"--{name}", str(value)))]


def config(**changes: object) -> TrainConfig:
    """The same run as a configuration; changes are fields of its top level."""
    values: dict[str, object] = {}
    for name, value in OPTIONS.items():
        table, _, key = name.replace("-", "_").rpartition(".")
        place = values.setdefault(table, {}) if table else values
        assert isinstance(place, dict)
        place[key] = value
    return run_config("search", overrides=values | changes)

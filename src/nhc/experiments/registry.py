"""All descriptions, in the order of the paper."""

from collections.abc import Sequence

from nhc.errors import ConfigError
from nhc.experiments.description import Description
from nhc.experiments.descriptions import (
    ablations,
    behaviour,
    beyond,
    comparison,
    data_modules,
    learning,
    transfers,
)

ALL = "all"


def all_descriptions() -> dict[str, Description]:
    """By name."""
    parts = (learning, comparison, transfers, behaviour, ablations, data_modules, beyond)
    return {one.name: one for part in parts for one in part.descriptions()}


def chosen(names: Sequence[str]) -> list[Description]:
    """The descriptions of these names, each once. Raises ConfigError (`reproduce.figure`)."""
    known = all_descriptions()
    wrong = [name for name in names if name not in (*known, ALL)]
    if wrong or not names:
        found = f"found {wrong[0]!r}" if wrong else "found none"
        raise ConfigError("reproduce.figure", f"expected {ALL} or some of {', '.join(known)}; {found}")
    return [one for name, one in known.items() if name in names or ALL in names]

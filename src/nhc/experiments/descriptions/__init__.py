"""The descriptions of the paper's tables and figures and of what goes beyond them, in the paper's order."""

from collections.abc import Sequence

from nhc.errors import ConfigError
from nhc.experiments.description import Description
from nhc.experiments.descriptions import (
    ablations,
    beyond,
    comparison,
    data_modules,
    examples,
    learning,
    transfers,
)

ALL, CORE = "all", "core"
CORE_PARTS = (learning, transfers, examples, ablations, data_modules)
"""Without the comparison methods, which need more than two cores, and what goes beyond the paper."""
PARTS = (learning, comparison, transfers, examples, ablations, data_modules, beyond)
GROUPS = {ALL: PARTS, CORE: CORE_PARTS}
"""Names that stand for several figures."""


def all_descriptions() -> dict[str, Description]:
    """By name."""
    return {one.name: one for part in PARTS for one in part.descriptions()}


def chosen(names: Sequence[str]) -> list[Description]:
    """The descriptions of these names and groups, each once. Raises ConfigError (`reproduce.figure`)."""
    known = all_descriptions()
    wrong = [name for name in names if name not in (*known, *GROUPS)]
    if wrong or not names:
        what = f"found {wrong[0]!r}" if wrong else "found none"
        options = f"expected {', '.join(GROUPS)}, or some of {', '.join(known)}"
        raise ConfigError("reproduce.figure", f"{options}; {what}")
    parts = [part for name in names for part in GROUPS.get(name, ())]
    wanted = {*names, *(one.name for part in parts for one in part.descriptions())}
    return [one for name, one in known.items() if name in wanted]

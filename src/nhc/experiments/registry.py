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
    workflow,
)

ALL, CORE = "all", "core"
CORE_PARTS = (learning, transfers, behaviour, workflow, ablations, data_modules)
"""Without the comparison methods, which need more than two cores, and what goes beyond the paper."""
PARTS = (learning, comparison, transfers, behaviour, workflow, ablations, data_modules, beyond)
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
        found = f"found {wrong[0]!r}" if wrong else "found none"
        raise ConfigError(
            "reproduce.figure", f"expected {', '.join(GROUPS)}, or some of {', '.join(known)}; {found}"
        )
    parts = [part for name in names for part in GROUPS.get(name, ())]
    wanted = {*names, *(one.name for part in parts for one in part.descriptions())}
    return [one for name, one in known.items() if name in wanted]

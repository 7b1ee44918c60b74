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
GROUPS: dict[str, frozenset[str]] = {
    CORE: frozenset(
        one.name
        for part in (learning, transfers, behaviour, workflow, ablations, data_modules)
        for one in part.descriptions()
    )
}
"""Names for several figures at once, beside `all`: `core` leaves out the comparison methods, which need more
than two cores, and what goes beyond the paper."""


def all_descriptions() -> dict[str, Description]:
    """By name."""
    parts = (learning, comparison, transfers, behaviour, workflow, ablations, data_modules, beyond)
    return {one.name: one for part in parts for one in part.descriptions()}


def chosen(names: Sequence[str]) -> list[Description]:
    """The descriptions of these names and groups, each once. Raises ConfigError (`reproduce.figure`)."""
    known = all_descriptions()
    groups = GROUPS | {ALL: frozenset(known)}
    wrong = [name for name in names if name not in (*known, *groups)]
    if wrong or not names:
        found = f"found {wrong[0]!r}" if wrong else "found none"
        raise ConfigError(
            "reproduce.figure", f"expected {ALL}, {CORE}, or some of {', '.join(known)}; {found}"
        )
    wanted = frozenset(names).union(*(groups.get(name, frozenset()) for name in names))
    return [one for name, one in known.items() if name in wanted]

"""The machine's options: the open places of the paper as named, validated values.

The evidence for each default stands in docs/decisions.md. All combinations share one layout of weights.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import Field, model_validator

from nhc.errors import ConfigError
from nhc.settings import Settings

Gate = Literal["always", "learned"]

ABLATED: dict[str, object] = {"attention": "hard", "free_heads": 1}
"""Options that are there for ablations, with the values of the machine itself."""

TABULAR: dict[str, object] = {
    "words": "bits",
    "mix": "winner",
    "constrained_head": True,
    "constrained_gate": "always",
    "write_gate": "always",
    "allocation": "always",
    **ABLATED,
}
"""Options of machines whose control is a finite table, so that it can be proved and compiled."""

GATED: dict[str, object] = {name: value for name, value in TABULAR.items() if name != "write_gate"}
"""The same, where control may also decide to store nothing at a tick."""

COMPILED: dict[str, object] = {**GATED, "usage_link": True}
"""Options of machines that compiled loops can run: they have an order of all five mechanisms."""

UNRECORDED: dict[str, object] = {**ABLATED, "ops": 5}
"""Options that a record mentions only where they have other values than these."""


class MachineConfig(Settings):
    """What a machine is, apart from its weights."""

    signals: int = Field(3, ge=1, le=64)
    """Control signals that the controller sees; the algorithm says how many."""
    ops: int = Field(5, ge=2, le=64)
    """Operations that Transform_C chooses from; the algorithm says how many."""
    mix: Literal["winner", "sum"] = "winner"
    """How the five read mechanisms become one address."""
    words: Literal["bits", "real"] = "bits"
    """Control words: signs that a write replaces, or linear words with a soft erase."""
    constrained_gate: Gate = "always"
    write_gate: Gate = "always"
    allocation: Gate = "always"
    usage_link: bool = True
    constrained_head: bool = True
    attention: Literal["hard", "soft"] = "hard"
    """One address for each read and write, or weightings over all cells as in the DNC. An ablation."""
    free_heads: Literal[1, 2] = 1
    """Write heads that are not bound to the address read last. Two are an ablation."""
    hidden: int = Field(16, ge=1, le=1024)
    """Controller units."""
    word_size: int = Field(8, ge=1, le=12)
    """Values in a control word."""

    @model_validator(mode="after")
    def _combination_has_a_meaning(self) -> "MachineConfig":
        if self.constrained_gate == "learned" and not self.constrained_head:
            raise ValueError(
                "constrained_gate = learned needs constrained_head = true: there is no gate to learn"
            )
        return self

    def recorded(self) -> dict[str, object]:
        """The options as models and certificates keep them, without those that have their usual value.

        So files of a machine without ablations do not mention any. The records of a training run hold all
        options.
        """
        values = self.model_dump()
        return {name: value for name, value in values.items() if UNRECORDED.get(name) != value}

    @property
    def is_plain(self) -> bool:
        """Are all options that are there for ablations as in the machine itself?"""
        return all(getattr(self, name) == value for name, value in ABLATED.items())

    @property
    def controller_inputs(self) -> int:
        """Signals, the word read last and the operation chosen last: 16 for Plan."""
        return self.signals + self.word_size + self.ops

    @property
    def interface_inputs(self) -> int:
        """Signals and controller units: 19 for Plan."""
        return self.signals + self.hidden

    @property
    def transform_inputs(self) -> int:
        """Controller units, the word read and signals: 27 for Plan."""
        return self.hidden + self.word_size + self.signals


def options_unlike(config: MachineConfig, wanted: Mapping[str, object]) -> str:
    """The options with other values than those wanted, in words; empty if there are none."""
    found = {name: getattr(config, name) for name in wanted}
    return ", ".join(f"{name} = {value}" for name, value in found.items() if value != wanted[name])


def refuse_ablations(config: MachineConfig, purpose: str) -> None:
    """Raises ConfigError (`machine.ablation`) for soft attention or a second free head.

    Such machines can be trained, evaluated and traced. What is built on addresses and on one free head must
    not meet them.
    """
    found = options_unlike(config, ABLATED)
    if found:
        wanted = " and ".join(f"{name} = {value}" for name, value in ABLATED.items())
        raise ConfigError("machine.ablation", f"{purpose}: expected {wanted}, found {found}")

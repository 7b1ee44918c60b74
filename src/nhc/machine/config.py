"""The machine's options: the open places of the paper as named, validated values.

The evidence for each default stands in docs/decisions.md. All combinations share one layout of weights.
"""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

Gate = Literal["always", "learned"]

OP_COUNT = 5
"""Four operations of the domain and `nop`."""


class MachineConfig(BaseModel):
    """What a machine is, apart from its weights."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    signals: Literal[2, 3] = 3
    """Control signals that the controller sees: 2 to search, 3 to plan."""
    mix: Literal["winner", "sum"] = "winner"
    """How the five read mechanisms become one address."""
    words: Literal["bits", "real"] = "bits"
    """Control words: signs that a write replaces, or linear words with a soft erase."""
    constrained_gate: Gate = "always"
    write_gate: Gate = "always"
    allocation: Gate = "always"
    usage_link: bool = True
    constrained_head: bool = True
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

    @property
    def controller_inputs(self) -> int:
        """Signals, the word read last and the operation chosen last: 16 for Plan."""
        return self.signals + self.word_size + OP_COUNT

    @property
    def interface_inputs(self) -> int:
        """Signals and controller units: 19 for Plan."""
        return self.signals + self.hidden

    @property
    def transform_inputs(self) -> int:
        """Controller units, the word read and signals: 27 for Plan."""
        return self.hidden + self.word_size + self.signals

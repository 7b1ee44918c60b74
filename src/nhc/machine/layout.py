"""Named blocks of weights: which rows of which linear map mean what.

The paper, section "Algorithmic Modules" ("in total there are about 1600 parameters"): 1,592 for Plan, 1,512
for Search. A preset that does not use a block keeps it, so that models of all presets have one shape.
"""

from dataclasses import dataclass

from nhc.machine.config import OP_COUNT, MachineConfig

MECHANISMS = ("content", "temporal forward", "temporal backward", "usage forward", "usage backward")
"""The five read mechanisms in the order of their mode weights, which is also the order of ties."""


@dataclass(frozen=True)
class Block:
    """`rows` outputs of a linear map of `inputs` values, with a bias each."""

    name: str
    rows: int
    inputs: int

    @property
    def size(self) -> int:
        """Number of weights, biases included."""
        return self.rows * (self.inputs + 1)


def interface_blocks(config: MachineConfig) -> tuple[Block, ...]:
    """The 59 interface rows: read head (15), free write head (27), constrained write head (17)."""
    word, inputs = config.word_size, config.interface_inputs
    rows = (
        ("read.key", word),
        ("read.strength", 1),
        ("read.modes", len(MECHANISMS)),
        ("read.free_gate", 1),
        ("write.key", word),
        ("write.strength", 1),
        ("write.erase", word),
        ("write.word", word),
        ("write.gate", 1),
        ("write.allocation", 1),
        ("constrained.erase", word),
        ("constrained.word", word),
        ("constrained.gate", 1),
    )
    return tuple(Block(f"interface.{name}", count, inputs) for name, count in rows)


def blocks(config: MachineConfig) -> tuple[Block, ...]:
    """Every block of a machine, in storage order."""
    return (
        Block("controller", config.hidden, config.controller_inputs),
        *interface_blocks(config),
        Block("transform_c", OP_COUNT, config.transform_inputs),
    )


def weight_count(config: MachineConfig) -> int:
    """Number of weights of the machine."""
    return sum(block.size for block in blocks(config))


def unused_blocks(config: MachineConfig) -> tuple[str, ...]:
    """Blocks that exist but cannot influence a machine of this configuration."""
    unused = ["interface.read.strength", "interface.read.free_gate", "interface.write.strength"]
    if config.allocation == "always":
        unused += ["interface.write.key", "interface.write.allocation"]
    if config.words == "bits":
        unused += ["interface.write.erase", "interface.constrained.erase"]
    if config.write_gate == "always":
        unused.append("interface.write.gate")
    if config.constrained_gate == "always":
        unused.append("interface.constrained.gate")
    if not config.constrained_head:
        unused += ["interface.constrained.erase", "interface.constrained.word"]
    return tuple(block.name for block in blocks(config) if block.name in unused)

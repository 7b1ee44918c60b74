"""Named blocks of weights: which rows of which linear map mean what.

The paper, section "Algorithmic Modules" ("in total there are about 1600 parameters"): 1,592 for 3 signals and
5 operations. A preset that does not use a block keeps it, so that models of all presets have one shape.
"""

from dataclasses import dataclass

from nhc.machine.config import MachineConfig

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
    """Rows of the interface: read head, free write head, constrained write head.

    With words of 8 values they are 15 + 27 + 17 = 59. A second free head has 27 more after them, so it moves
    none of the others.
    """
    word, inputs = config.word_size, config.interface_inputs

    def free_head(name: str) -> tuple[tuple[str, int], ...]:
        parts = (
            ("key", word),
            ("strength", 1),
            ("erase", word),
            ("word", word),
            ("gate", 1),
            ("allocation", 1),
        )
        return tuple((f"{name}.{part}", count) for part, count in parts)

    rows = (
        ("read.key", word),
        ("read.strength", 1),
        ("read.modes", len(MECHANISMS)),
        ("read.free_gate", 1),
        *free_head("write"),
        ("constrained.erase", word),
        ("constrained.word", word),
        ("constrained.gate", 1),
        *(free_head("second") if config.free_heads == 2 else ()),
    )
    return tuple(Block(f"interface.{name}", count, inputs) for name, count in rows)


def blocks(config: MachineConfig) -> tuple[Block, ...]:
    """Every block of a machine, in storage order."""
    return (
        Block("controller", config.hidden, config.controller_inputs),
        *interface_blocks(config),
        Block("transform_c", config.ops, config.transform_inputs),
    )


def weight_count(config: MachineConfig) -> int:
    """Number of weights of the machine."""
    return sum(block.size for block in blocks(config))


def unused_blocks(config: MachineConfig) -> tuple[str, ...]:
    """Blocks that exist but cannot influence a machine of this configuration."""
    unused = {"read.free_gate"}
    free: set[str] = set()
    if config.attention == "hard":
        unused.add("read.strength")
        free.add("strength")
    if config.allocation == "always":  # A new cell is empty, so there is nothing to erase.
        free |= {"key", "strength", "allocation", "erase"}
    if config.words == "bits":
        free.add("erase")
        unused.add("constrained.erase")
    if config.write_gate == "always":
        free.add("gate")
    if config.constrained_gate == "always":
        unused.add("constrained.gate")
    if not config.constrained_head:
        unused |= {"constrained.erase", "constrained.word"}
    unused |= {f"{head}.{part}" for head in ("write", "second") for part in free}
    return tuple(block.name for block in blocks(config) if block.name.removeprefix("interface.") in unused)

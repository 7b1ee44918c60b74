"""Everything that determines a comparison run, as one frozen value: it is the run's config.toml."""

from typing import Literal

from pydantic import Field, model_validator

from nhc.evolve.config import BadMemoriesConfig, CurriculumConfig
from nhc.settings import Settings


class DncConfig(Settings):
    """The memory of the differentiable neural computer."""

    cells: int = Field(32, ge=1)
    """The paper gives no number; weights do not depend on it."""
    reads: int = Field(1, ge=1)
    writes: int = Field(2, ge=1)


class StackConfig(Settings):
    """The memory of the stack-augmented network."""

    stacks: int = Field(4, ge=1)
    depth: int = Field(32, ge=2)
    """The paper gives no number."""
    tops: int = Field(2, ge=1)
    """Cells of each stack that the controller sees."""

    @model_validator(mode="after")
    def _tops_exist(self) -> "StackConfig":
        if self.tops > self.depth:
            raise ValueError(f"expected tops <= depth = {self.depth}, found {self.tops}")
        return self


class SequenceConfig(Settings):
    """The inputs of the sequence tasks: of all lengths up to `length`, equally often."""

    bits: int = Field(8, ge=1, le=62)
    """Of a symbol; all but one of a bracket's tell its type."""
    length: int = Field(8, ge=1)


class BaselineConfig(Settings):
    """One experiment: `runs` networks trained side by side, each from its own seed."""

    model: Literal["dnc", "stack-rnn"] = "dnc"
    task: Literal["search", "copy", "reverse", "brackets"] = "search"
    domain: str = "sokoban-6x6"
    """World of the search task, made of one-hot cells."""
    seed: int = Field(0, ge=0, lt=2**32 - 10_000)
    """Run r has seed + r."""
    runs: int = Field(10, ge=1, le=10_000)
    iterations: int = Field(500_000, ge=1, lt=10**9)
    round: int = Field(100, ge=1)
    """Iterations of one compiled call: one line of the log."""
    batch: int = Field(20, ge=1)
    feedback: Literal["own", "teacher"] = "own"
    """The next input in training: the network's own output, or the right one."""
    optimiser: Literal["adam", "rmsprop"] = "adam"
    learning_rate: float = Field(1e-3, gt=0)
    clip: float = Field(10.0, gt=0)
    """Largest norm of a gradient."""
    hidden: int = Field(256, ge=1)
    word: int = Field(152, ge=1)
    dnc: DncConfig = DncConfig()
    stack: StackConfig = StackConfig()
    sequence: SequenceConfig = SequenceConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    bad_memories: BadMemoriesConfig = BadMemoriesConfig()

    @property
    def seeds(self) -> range:
        """Of each run."""
        return range(self.seed, self.seed + self.runs)

    @model_validator(mode="after")
    def _whole_rounds(self) -> "BaselineConfig":
        if self.iterations % self.round:
            raise ValueError(f"iterations must be a multiple of round = {self.round}")
        return self

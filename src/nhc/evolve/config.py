"""Everything that determines a training run, as one frozen value: it is the run's config.toml."""

from typing import Literal

from pydantic import Field, model_validator

from nhc.machine.config import MachineConfig
from nhc.settings import Settings
from nhc.tasks.algorithm import ALGORITHMS, Algorithm


class EvolutionConfig(Settings):
    """NES and its ranking; the paper, sections "Learning to Search" and on the algorithmic modules."""

    population: int = Field(20, ge=2)
    sigma: float = Field(0.1, gt=0)
    learning_rate: float = Field(0.01, gt=0)
    weight_decay: float = Field(0.9995, gt=0, le=1)
    gini: float = Field(0.1, gt=0, le=1)
    utility_scale: float = Field(3.0, gt=0)
    initial_scale: float = Field(0.1, ge=0)


class CurriculumConfig(Settings):
    """Levels and when one is solved."""

    levels: int = Field(21, ge=1, le=200)
    """Levels 1..levels; one more draws from all of them."""
    solved_after: int = Field(250, ge=1)
    """Perfect iterations in a row."""
    earlier_share: float = Field(0.2, ge=0, le=1)
    """Of the samples that are not bad memories."""


class BadMemoriesConfig(Settings):
    """The buffer of failed tasks."""

    enabled: bool = True
    capacity: int = Field(200, ge=1)
    share: float = Field(0.25, ge=0, le=1)
    cleared_after: int = Field(10, ge=1)
    """Perfect iterations in a row."""


class RestartConfig(Settings):
    """When a lineage is given up: its level's maximum was not once reached, or the level is not solved."""

    rule: Literal["unreached", "unsolved", "never"] = "unreached"
    patience: int = Field(2500, ge=1)
    """Iterations on one level."""


class NoveltyConfig(Settings):
    """NSRA-ES, an ablation: how much novelty counts beside fitness; see `nhc.evolve.novelty`."""

    enabled: bool = False
    neighbours: int = Field(10, ge=1)
    """Nearest behaviours of the archive that novelty is measured by."""
    capacity: int = Field(1000, ge=1)
    """Behaviours in the archive."""
    initial_weight: float = Field(1.0, ge=0, le=1)
    """Share of fitness in a utility, the rest is novelty's."""
    step: float = Field(0.05, ge=0, le=1)
    """By how much it rises when θ gets better, and falls when it does not."""
    patience: int = Field(50, ge=1)
    """Learning iterations without progress until it falls."""


class TrainConfig(Settings):
    """One training run."""

    task: Literal["search", "plan"] = "plan"
    domain: str = "sokoban-6x6"
    fitness: Literal["steps", "outcome", "success"] = "steps"
    seed: int = Field(0, ge=0, lt=2**32)
    budget: int = Field(10_000, ge=1)
    """Iterations, learning or not."""
    until: Literal["mastered", "certified"] = "mastered"
    """End when all levels are solved, or as soon as the weights are proved to be the algorithm."""
    batch: int = Field(20, ge=1)
    machine: MachineConfig = MachineConfig()
    es: EvolutionConfig = EvolutionConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    bad_memories: BadMemoriesConfig = BadMemoriesConfig()
    restart: RestartConfig = RestartConfig()
    novelty: NoveltyConfig = NoveltyConfig()

    @model_validator(mode="after")
    def _parts_fit(self) -> "TrainConfig":
        if self.machine.signals != self.algorithm.signals:
            raise ValueError(
                f"task {self.task} needs machine.signals = {self.algorithm.signals}, "
                f"found {self.machine.signals}"
            )
        if self.fitness != "steps" and self.domain != "free-tree":
            raise ValueError(f"fitness {self.fitness} needs domain = free-tree, found {self.domain}")
        if self.until == "certified" and not self.machine.is_plain:
            raise ValueError("until certified needs a machine without ablations: nothing proves the others")
        return self

    @property
    def algorithm(self) -> Algorithm:
        """The algorithm that is to be learned."""
        return ALGORITHMS[self.task]

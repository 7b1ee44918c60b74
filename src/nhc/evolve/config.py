"""Everything that determines a training run, as one frozen value: it is the run's config.toml."""

from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from nhc.machine.config import MachineConfig
from nhc.settings import Settings

if TYPE_CHECKING:  # Algorithms need JAX, which the help of a command does not.
    from nhc.algorithms.registry import AnyAlgorithm


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
    """One training run. The values here are the paper's; `nhc.run_config` adds what suits the task."""

    task: str = "plan"
    """Name of the algorithm."""
    sampling: Literal["exact", "sampled"] = "sampled"
    """A batch is every task of the levels so far, each once, or random tasks of them."""
    domain: str = ""
    """World that sampled tasks come from; empty if there is none to choose."""
    fitness: str = "steps"
    """One of the algorithm's."""
    seed: int = Field(0, ge=0, lt=2**32)
    budget: int = Field(10_000, ge=1)
    """Iterations, learning or not."""
    until: Literal["mastered", "certified"] = "mastered"
    """End when all levels are solved, or as soon as the weights are proved to be the algorithm."""
    batch: int = Field(20, ge=1)
    """Sampled tasks of an iteration."""
    machine: MachineConfig = MachineConfig()
    es: EvolutionConfig = EvolutionConfig()
    curriculum: CurriculumConfig = CurriculumConfig()
    bad_memories: BadMemoriesConfig = BadMemoriesConfig()
    restart: RestartConfig = RestartConfig()
    novelty: NoveltyConfig = NoveltyConfig()

    @model_validator(mode="before")
    @classmethod
    def _usual_world(cls, values: object) -> object:
        """Sampled tasks come from the algorithm's usual world, unless another is named."""
        from nhc.algorithms.registry import ALGORITHMS

        if not isinstance(values, dict) or values.get("domain") or values.get("sampling") == "exact":
            return values
        algorithm = ALGORITHMS.get(values.get("task", "plan"))
        return {**values, "domain": next(iter(algorithm.worlds), "") if algorithm else ""}

    @model_validator(mode="after")
    def _parts_fit(self) -> "TrainConfig":
        from nhc.algorithms.registry import ALGORITHMS, algorithm_named

        if self.until == "certified" and not self.machine.is_plain:
            raise ValueError("until certified needs a machine without ablations: nothing proves the others")
        if self.sampling == "exact" and self.domain:
            raise ValueError(f"sampling exact needs no domain, found {self.domain}")
        if self.task in ALGORITHMS:
            self.require_fit(algorithm_named(self.task))
        return self

    def require_fit(self, algorithm: "AnyAlgorithm") -> None:
        """Raises ValueError where this is no configuration to learn `algorithm`."""
        for name, wanted in (("signals", len(algorithm.signals)), ("ops", len(algorithm.ops))):
            found = getattr(self.machine, name)
            if found != wanted:
                raise ValueError(f"task {algorithm.name} needs machine.{name} = {wanted}, found {found}")
        if self.fitness not in algorithm.fitnesses:
            raise ValueError(f"expected a fitness of {', '.join(algorithm.fitnesses)}, found {self.fitness}")
        if self.fitness != "steps" and self.domain not in ("", "free-tree"):
            raise ValueError(f"fitness {self.fitness} needs domain = free-tree, found {self.domain}")
        if self.sampling == "exact" and algorithm.tasks(1) is None:
            raise ValueError(f"the tasks of {algorithm.name} cannot be listed: it needs sampling = sampled")
        if self.novelty.enabled and algorithm.probe() is None:
            raise ValueError(f"{algorithm.name} has no probe to compare behaviours on: no novelty")

    @property
    def algorithm(self) -> "AnyAlgorithm":
        """The algorithm of that name, of those that ship. Raises ConfigError (`algorithm.unknown`)."""
        from nhc.algorithms.registry import algorithm_named

        return algorithm_named(self.task)

    @property
    def last_level(self) -> int:
        """Sampled training adds a level that draws from all."""
        return self.curriculum.levels + (self.sampling == "sampled")

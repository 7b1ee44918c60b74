"""All settings of a training run of data modules; the configuration of a run directory."""

from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from nhc.supervised.sizes import MODULES, PROVABLE, Sizes

SETTINGS: dict[str, dict[str, object]] = {
    "sokoban-8x8": {
        "sizes": PROVABLE,
        "learning_rate": 1e-2,
        "memory_share": 0.25,
        "pool_share": 0.5,
        "clean_share": 0.1,
        "clean_rounds": 1,
    }
}
"""World -> settings that differ from the defaults.

The larger board has too many states to enumerate. Linear experts can be proved for all words, in a moment, so
their proof is tried after every round that went well, and its worst words are half of the next batches.
"""


class ModulesConfig(BaseModel):
    """Frozen and hashable; the defaults are the paper's where it gives them, else measured."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    domain: str
    modules: tuple[str, ...] = MODULES
    """What is learned, in this order."""
    seed: int = Field(0, ge=0, lt=2**32)
    batch: int = Field(20, ge=1)
    learning_rate: float = Field(1e-3, gt=0)
    equality_rate: float = Field(1e-2, gt=0)
    """Learning rate of Input, which is not halved."""
    least_rate: float = Field(0.1, gt=0, le=1)
    """Halving ends at this share of the learning rate."""
    memories: int = Field(200, ge=1)
    """Rows of the ring of bad memories."""
    memory_share: float = Field(0.5, ge=0, lt=1)
    """Of a batch, once there are bad memories."""
    pool_share: float = Field(0.125, ge=0, lt=1)
    """Of a batch, once there are counterexamples."""
    pool: int = Field(4096, ge=1)
    """Counterexamples kept, the newest."""
    round: int = Field(1000, ge=1)
    """Updates between two looks at the errors."""
    clean_share: float = Field(0.0, ge=0, lt=1)
    """A round is clean if this share of its fresh samples, or less, is wrong."""
    clean_rounds: int = Field(5, ge=1)
    """Clean rounds in a row before the family is checked."""
    budget: int = Field(100_000, ge=1)
    """Updates of a module."""
    sizes: Sizes = Sizes()

    @classmethod
    def of_world(cls, domain: str, **values: object) -> "ModulesConfig":
        """The settings that fit a world, with `values` in place of some."""
        return cls.model_validate({**SETTINGS.get(domain, {}), "domain": domain, **values})

    @model_validator(mode="before")
    @classmethod
    def _of_earlier_versions(cls, values: object) -> object:
        """They name the signs of Input's weights, of which there is only one kind now."""
        if isinstance(values, Mapping) and values.get("equality") == "monotone":
            return {name: value for name, value in values.items() if name != "equality"}
        return values

    @field_validator("modules")
    @classmethod
    def _known(cls, modules: tuple[str, ...]) -> tuple[str, ...]:
        if not modules or len({*modules}) < len(modules) or not {*modules} <= {*MODULES}:
            raise ValueError(f"expected some of {', '.join(MODULES)}, each once, found {modules}")
        return modules

"""All settings of a training run of data modules; the configuration of a run directory.

The paper, section "Data-dependent Modules", gives the sizes of the networks for Sokoban 6x6.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from nhc.domains.local import WordForm
from nhc.domains.protocol import OPS

MODULES = ("input", "transform_d", "alu", "output")
"""In the order in which they are learned; they do not depend on each other."""

NETWORKS = {
    "input": ("equality",),
    "transform_d": ("view",),
    "alu": ("acts", "change"),
    "output": ("inserts", "mask"),
}
"""Module -> its networks, see `nhc.data.learned.LearnedModules`."""


class Sizes(BaseModel):
    """Hidden units of each network, layer by layer; the defaults are the paper's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    equality: tuple[int, ...] = (10,)
    view: tuple[int, ...] = (500,)
    acts: tuple[int, ...] = (64, 64)
    change: tuple[int, ...] = (128, 64)
    inserts: tuple[int, ...] = (500, 250)
    mask: tuple[int, ...] = (500, 500)
    experts: tuple[Literal["view", "mask"], ...] = ()
    """Networks that are linear experts instead, chosen by a bit of the word."""


PROVABLE = Sizes(view=(), mask=(), inserts=(), experts=("view", "mask"))
"""No hidden units between a word and what is made of it, so that extremes over all words can be computed."""


def ends(form: WordForm) -> dict[str, tuple[int, int]]:
    """Inputs and outputs of each network."""
    acting = len(OPS) + form.view_bits
    inserting = form.word_bits + changing(form)
    return {
        "equality": (form.word_bits, 1),
        "view": (form.word_bits, form.view_bits),
        "acts": (acting, 1),
        "change": (acting, form.change_bits),
        "inserts": (inserting, 1),
        "mask": (inserting, form.changes * (form.cells + 1)),
    }


def changing(form: WordForm) -> int:
    """Bits of a local change and of c_a."""
    return form.change_bits + 1


def layers(form: WordForm, sizes: Sizes, network: str) -> tuple[int, ...]:
    """Units of all layers of a network, from inputs to outputs; of experts what `Experts.sizes` says.

    The experts of the view read the word, those of the mask the local change; the word's bits choose them.
    """
    first, last = ends(form)[network]
    if network in sizes.experts:
        return (form.word_bits if network == "view" else changing(form), form.word_bits, last)
    hidden: tuple[int, ...] = getattr(sizes, network)
    return (first, *hidden, last)


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

"""How many hidden units the networks of the data modules have, per world.

The paper, section "Data-dependent Modules", gives the sizes for Sokoban 6x6.
"""

from pydantic import BaseModel, ConfigDict

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
"""Module -> its networks, by their names in `nhc.data.learned.Networks`."""


class Sizes(BaseModel):
    """Hidden units of each network, layer by layer; the defaults are the paper's."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    equality: tuple[int, ...] = (10,)
    view: tuple[int, ...] = (500,)
    acts: tuple[int, ...] = (64, 64)
    change: tuple[int, ...] = (128, 64)
    inserts: tuple[int, ...] = (500, 250)
    mask: tuple[int, ...] = (500, 500)


SIZES: dict[str, Sizes] = {
    "sokoban-6x6": Sizes(),
    "sokoban-permuted": Sizes(),
    "sokoban-8x8": Sizes(view=(2000,)),
    "sliding-3x3": Sizes(),
    "stacking": Sizes(),
}
"""World -> sizes; any other world starts from the paper's.

They are enough for every world here, except Transform_D of the larger board: with 500 hidden units 13 of
10,000 fresh views were wrong after 45,000 updates, with 1,000 units 3.
"""

LEAST_RATES = {"sokoban-8x8": 0.01}
"""World -> the share of the learning rate at which halving ends.

At the usual 0.1 the view of the larger board kept a few errors in 262,144 states, others after each check.
"""


def least_rate_of(world: str) -> float:
    """The share for a world."""
    return LEAST_RATES.get(world, 0.1)


def sizes_of(world: str) -> Sizes:
    """The hidden units for a world."""
    return SIZES.get(world, Sizes())


def ends(form: WordForm) -> dict[str, tuple[int, int]]:
    """Inputs and outputs of each network."""
    acting = len(OPS) + form.view_bits
    inserting = form.word_bits + form.change_bits + 1
    return {
        "equality": (form.word_bits, 1),
        "view": (form.word_bits, form.view_bits),
        "acts": (acting, 1),
        "change": (acting, form.change_bits),
        "inserts": (inserting, 1),
        "mask": (inserting, form.changes * (form.cells + 1)),
    }


def layers(form: WordForm, sizes: Sizes, network: str) -> tuple[int, ...]:
    """Units of all layers of a network, from inputs to outputs."""
    first, last = ends(form)[network]
    hidden: tuple[int, ...] = getattr(sizes, network)
    return (first, *hidden, last)

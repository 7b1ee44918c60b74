"""How many hidden units the networks of the data modules have, per world.

The paper, section "Data-dependent Modules", gives the sizes for Sokoban 6x6.
"""

from typing import Literal

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

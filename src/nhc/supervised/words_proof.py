"""Transform_D and Output proved for every word of a world, where they are made of linear experts.

The words fall into cases (`nhc.domains.local.WordCase`). In a case one bit is set in every word and stronger
than every other bit that can be set: then one expert decides. Its logits are sums over cells, and cells are
independent of each other, so the least difference between the right logit and another one is a sum of least
parts. It has to exceed a bound on the float32 error of both sums, whatever their order. This covers more
than the states: any number of boxes and walls.

All arithmetic here is float64; the bound covers its error too.
"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import NamedTuple

import jax
import numpy as np
from numpy.typing import NDArray

from nhc.data.dense import Dense
from nhc.data.experts import Experts
from nhc.data.learned import Network, dense
from nhc.domains.local import CasedWorld, FiniteWorld, LocalStateT, WordForm
from nhc.domains.protocol import OPS
from nhc.supervised.check.report import CaseCounts
from nhc.supervised.rounding import (
    Floats,
    Found,
    Symbols,
    expert_of,
    extreme,
    layers_error,
    one_of_each,
    rounding,
)
from nhc.supervised.words_output import output_decisions


class WordsProof(NamedTuple):
    """What is known about a module on all words of a world."""

    cases: int
    """Decisions whose worst words were computed."""
    failures: int
    """Of these, how many are not proved."""
    margin: float
    """The least difference of logits, less the bound on its float32 error."""
    contents: Symbols
    """The worst words of the least certain decisions, (words, cells); worst first."""
    ops: NDArray[np.intp]
    """For Output the operation of each; 0 for Transform_D."""
    margins: Floats
    """Of each."""

    @property
    def proved(self) -> bool:
        """Is every decision right on every word?"""
        return self.failures == 0


def provable(module: str, networks: Mapping[str, Network]) -> bool:
    """Are the networks of a module of the form that can be proved?"""
    if module == "transform_d":
        return isinstance(networks["view"], Experts)
    if module != "output":
        return False
    gate = networks["inserts"]
    return isinstance(networks["mask"], Experts) and isinstance(gate, Dense) and len(gate.weights) == 1


def prove_words(
    world: CasedWorld[LocalStateT], module: str, networks: Mapping[str, Network], keep: int = 4096
) -> WordsProof:
    """Try to prove Transform_D or Output; at most `keep` words come back, which are worth learning from.

    Weights that are not finite prove nothing, and no word shows it.
    """
    if not all(np.isfinite(np.asarray(leaf)).all() for leaf in jax.tree.leaves(dict(networks))):
        none = np.zeros(0)
        return WordsProof(1, 1, -np.inf, np.zeros((0, world.form.cells), np.uint8), none.astype(int), none)
    decisions = view_decisions if module == "transform_d" else output_decisions
    found = sorted(decisions(world, networks), key=lambda one: one.margin)
    worst = found[:keep]
    return WordsProof(
        cases=len(found),
        failures=sum(1 for one in found if not one.margin > 0),
        margin=found[0].margin,
        contents=np.stack([one.contents for one in worst]),
        ops=np.array([one.op for one in worst]),
        margins=np.array([one.margin for one in worst]),
    )


def proofs_of(world: FiniteWorld[LocalStateT], networks: Mapping[str, Network]) -> dict[str, WordsProof]:
    """The proofs of Transform_D and Output, of those that can be tried."""
    if not isinstance(world, CasedWorld):
        return {}
    named = [
        name
        for name, needs in (("transform_d", {"view"}), ("output", {"inserts", "mask"}))
        if needs <= networks.keys() and provable(name, networks)
    ]
    return {name: prove_words(world, name, networks) for name in named}


def proved_margins(
    form: WordForm, networks: Mapping[str, Network], proofs: Mapping[str, WordsProof], alu: CaseCounts | None
) -> dict[str, float]:
    """The modules that are proved for all words by `proofs_of`, with their least margins.

    If Transform_D and Output are, and the ALU is right on every view by more than float32 may cost it, so are
    the three in a row.
    """
    margins = {name: proof.margin for name, proof in proofs.items() if proof.proved}
    if len(margins) == 2 and alu is not None and alu.passed:
        # A decision compares two logits, or one with zero.
        margin = alu.margin - 2 * alu_error(form, networks)
        if margin > 0:
            margins["composed"] = min(*margins.values(), margin)
    return margins


def alu_error(form: WordForm, networks: Mapping[str, Network]) -> float:
    """A bound on the float32 error of the ALU's logits, over all operations and views."""
    groups = (len(OPS), *[form.view_symbols] * form.slots)
    parts = [dense(networks, name) for name in ("acts", "change")]
    return max(layers_error(part, one_of_each(part, groups)) for part in parts)


def deciding(world: CasedWorld[LocalStateT], network: Experts) -> tuple[int, ...]:
    """The experts that decide; none unless one surely decides in each case. The others can be left out."""
    choices = [expert_of(network, world.form, case) for case in world.word_cases()]
    if not all(choice.margin > 0 for _, choice in choices):
        return ()
    return tuple(sorted({expert for expert, _ in choices}))


def view_decisions(world: CasedWorld[LocalStateT], networks: Mapping[str, Network]) -> Iterator[Found]:
    """Transform_D: for each case, slot, symbol that it can show and symbol that it must not be taken for."""
    network, form = networks["view"], world.form
    assert isinstance(network, Experts), "provable"
    for case in world.word_cases():
        expert, choice = expert_of(network, form, case)
        yield choice
        weights = np.asarray(network.weights[expert], np.float64)
        weights = weights.reshape(form.slots, form.view_symbols, form.cells, len(form.symbols))
        biases = np.asarray(network.biases[expert], np.float64).reshape(form.slots, form.view_symbols)
        error = rounding(weights, biases, case)
        for slot, cell in enumerate(case.cells.tolist()):
            shown = [form.beyond] if cell < 0 else np.flatnonzero(case.allowed[cell]).tolist()
            for right, other in product(shown, range(form.view_symbols)):
                if right == other:
                    continue
                allowed = case.allowed.copy()
                if cell >= 0:
                    allowed[cell] = np.arange(len(form.symbols)) == right
                least, contents = extreme(weights[slot, right] - weights[slot, other], allowed)
                difference = least + biases[slot, right] - biases[slot, other]
                yield Found(difference - error[slot, right] - error[slot, other], contents, 0)

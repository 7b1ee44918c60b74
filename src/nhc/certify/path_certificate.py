"""The certificate of a proof on every path of an environment: the states that can be reached together."""

from collections.abc import Iterator

from nhc.certify.cells import Cell
from nhc.certify.certificate import certificate_head
from nhc.certify.environment import stated_environment
from nhc.certify.explore import Facts, Reached
from nhc.certify.path_check.certificate import ASSUMPTIONS, CLAIM
from nhc.certify.paths import PathProof
from nhc.certify.regions import Label, Labels, Pairs, Run
from nhc.certify.stack import Stacked
from nhc.model import Model

SCHEMA = 1


def path_certificate_json(model: Model, proof: PathProof) -> dict[str, object]:
    """The certificate of a proved model as plain JSON values; equal proofs give equal values."""
    return {
        **certificate_head(model, SCHEMA),
        "claims": [{"label": "proved", "text": CLAIM}],
        "assumptions": [*ASSUMPTIONS, *proof.abstraction.lemmas],
        "environment": stated_environment(model.algorithm),
        "invariant": _stack_json(proof) if proof.abstraction.memory == "stack" else _order_json(proof),
    }


def _order_json(proof: PathProof) -> dict[str, object]:
    numbers = {label: number for number, label in enumerate(sorted(_labels(proof.reached)))}
    states = []
    for key, facts in proof.reached.items():
        runs = iter(facts.runs)
        items = [_item_json(item, numbers, runs) for item in key.memory]
        states.append({"state": key.state, "op": key.op, "memory": items, **_words_json(facts)})
    return {
        "exact": proof.exact,
        "tracks": proof.tracks,
        "labels": [list(label) for label in numbers],
        "states": sorted(states, key=repr),
    }


def _labels(reached: Reached) -> set[Label]:
    found = set[Label]()
    for key, facts in reached.items():
        for item in key.memory:
            if isinstance(item, Cell):
                found.add(item.label)
            elif isinstance(item, Run):
                found |= {item.first, item.last}
        for labels, pairs in facts.runs:
            found |= labels.union(*pairs)
    return found


def _item_json(item: object, numbers: dict[Label, int], runs: Iterator[tuple[Labels, Pairs]]) -> object:
    if isinstance(item, Cell):
        return {"cell": numbers[item.label], "marks": sorted(item.marks)}
    if not isinstance(item, Run):
        return item
    labels, pairs = next(runs)
    return {
        "first": numbers[item.first],
        "last": numbers[item.last],
        "labels": sorted(numbers[label] for label in labels),
        "pairs": sorted([numbers[a], numbers[b]] for a, b in pairs),
    }


def _words_json(facts: Facts) -> dict[str, object]:
    return {"sure": sorted(facts.sure), "maybe": sorted(facts.maybe)}


def _stack_json(proof: PathProof) -> dict[str, object]:
    states = []
    for key, facts in proof.reached.items():
        (now,) = key.memory
        assert isinstance(now, Stacked)
        top, below = (None if one is None else list(one) for one in (now.top, now.below))
        shown = {"state": key.state, "op": key.op, "top": top, "below": below, "newest": now.newest}
        states.append({**shown, **_words_json(facts)})
    under = sorted([list(one), list(low)] for one, lows in proof.under.items() for low in lows)
    return {"under": under, "states": sorted(states, key=repr)}

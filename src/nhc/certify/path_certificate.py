"""The certificate of a proof on every path of an environment: the states that can be reached together."""

from nhc.certify.cells import Cell, Label, Run
from nhc.certify.certificate import certificate_head
from nhc.certify.environment import stated_environment
from nhc.certify.explore import Reached
from nhc.certify.path_check.certificate import ASSUMPTIONS, CLAIM
from nhc.certify.paths import PathProof
from nhc.certify.stack import Stacked
from nhc.model import Model

SCHEMA = 2


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
        items = [
            {"cell": numbers[item.label], "marks": sorted(item.marks)}
            if isinstance(item, Cell)
            else _run_json(next(runs), numbers)
            for item in key.memory
        ]
        states.append({"state": key.state, "op": key.op, "memory": items, "sure": sorted(facts.sure)})
    return {
        "tracks": proof.tracks,
        "labels": [list(label) for label in numbers],
        "states": sorted(states, key=repr),
    }


def _labels(reached: Reached) -> set[Label]:
    cells = {item.label for key in reached for item in key.memory if isinstance(item, Cell)}
    return cells.union(*(run.possible for facts in reached.values() for run in facts.runs))


def _run_json(run: Run, numbers: dict[Label, int]) -> dict[str, object]:
    firsts, lasts = (sorted(numbers[label] for label in ends) for ends in (run.firsts, run.lasts))
    return {
        "firsts": firsts,
        "lasts": lasts,
        "pairs": sorted([numbers[a], numbers[b]] for a, b in run.pairs),
    }


def _stack_json(proof: PathProof) -> dict[str, object]:
    states = []
    for key, facts in proof.reached.items():
        (now,) = key.memory
        assert isinstance(now, Stacked)
        top, below = (None if one is None else list(one) for one in (now.top, now.below))
        shown = {"state": key.state, "op": key.op, "top": top, "below": below, "newest": now.newest}
        states.append({**shown, "sure": sorted(facts.sure), "maybe": sorted(facts.maybe)})
    under = sorted([list(one), list(low)] for one, lows in proof.under.items() for low in lows)
    return {"under": under, "states": sorted(states, key=repr)}

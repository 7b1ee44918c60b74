"""What certification writes: the certificate of a proof, or the trace of the task that refutes a machine.

The certificate is everything that the proof consists of, so that others can check it. It names the weights
by their hash and states claims, the program, the invariant and the margins. A checker, which also has the
wording of the claims, recomputes all of it from the weights; nothing in it has to be believed.
"""

import jax.numpy as jnp

import nhc
from nhc.algorithms.tree.algorithm import tree_algorithm
from nhc.certify import checker, order, stack
from nhc.certify.cells import Cell, Item, Label
from nhc.certify.decisions import FACTOR, Margins
from nhc.certify.environment import stated_environment
from nhc.certify.follow import Failure
from nhc.certify.path_check.certificate import ASSUMPTIONS, CLAIM
from nhc.certify.paths import PathProof
from nhc.certify.prove import Proof, extract_program
from nhc.computer.trace import trace
from nhc.computer.world import Computer, ConfigurationGoal, Problem
from nhc.data.exact import ExactFreeTree, bits
from nhc.machine.layout import MECHANISMS
from nhc.model import Model
from nhc.program.table import program_json
from nhc.runs.trace import Trace

SCHEMA, PATH_SCHEMA = 1, 2
"""Of proofs by induction, and of those on every path of an environment."""


def certificate_head(model: Model, schema: int) -> dict[str, object]:
    """What every certificate begins with."""
    return {
        "kind": "certificate",
        "schema": schema,
        "tool": f"nhc {nhc.__version__}",
        "weights": model.hash,
        "task": model.algorithm.name,
        "machine": model.config.recorded(),
    }


def certificate_json(model: Model, proof: Proof) -> dict[str, object]:
    """The certificate of a proved model as plain JSON values."""
    claim = proof.invariant
    return {
        **certificate_head(model, SCHEMA),
        "claims": [{"label": "proved", "text": text} for text in checker.CLAIMS[model.algorithm.name]],
        "assumptions": checker.ASSUMPTIONS,
        "program": program_json(extract_program(model, proof)),
        "invariant": {
            "prefix": claim.prefix,
            "prefix_words": list(claim.prefix_words),
            "pairs": sorted(map(list, claim.pairs)),
            "final": sorted(claim.final),
            "fresh": sorted(claim.fresh),
        },
        "margins": margins_json(proof.margins),
    }


def path_certificate_json(model: Model, proof: PathProof) -> dict[str, object]:
    """The same of a proof on every path: the states that can be reached; equal proofs give equal values."""
    return {
        **certificate_head(model, PATH_SCHEMA),
        "claims": [{"label": "proved", "text": CLAIM}],
        "assumptions": [*ASSUMPTIONS, *proof.abstraction.lemmas],
        "environment": stated_environment(model.algorithm),
        "invariant": _stack_json(proof) if proof.abstraction.memory == "stack" else _order_json(proof),
    }


def _order_json(proof: PathProof) -> dict[str, object]:
    reached = [state for state in proof.reached.values() if isinstance(state, order.State)]
    labels = sorted({label for state in reached for item in state.memory.items for label in item.possible})
    numbers = {label: number for number, label in enumerate(labels)}
    states = [
        {
            "state": state.state,
            "op": state.op,
            "memory": [_item_json(item, numbers) for item in state.memory.items],
            "sure": sorted(state.memory.sure),
        }
        for state in reached
    ]
    return {
        "tracks": proof.tracks,
        "labels": [list(label) for label in labels],
        "states": sorted(states, key=repr),
    }


def _item_json(item: Item, numbers: dict[Label, int]) -> dict[str, object]:
    if isinstance(item, Cell):
        return {"cell": numbers[item.label], "marks": sorted(item.marks)}
    firsts, lasts = (sorted(numbers[label] for label in ends) for ends in (item.firsts, item.lasts))
    pairs = sorted([numbers[a], numbers[b]] for a, b in item.pairs)
    return {"firsts": firsts, "lasts": lasts, "pairs": pairs}


def _stack_json(proof: PathProof) -> dict[str, object]:
    states = []
    for state in proof.reached.values():
        assert isinstance(state, stack.State)
        top, below = (None if one is None else list(one) for one in (state.top, state.below))
        bounds = {"sure": sorted(state.sure), "maybe": sorted(state.maybe)}
        states.append(state._asdict() | {"top": top, "below": below} | bounds)
    under = sorted([list(one), list(low)] for one, lows in proof.under.items() for low in lows)
    return {"under": under, "states": sorted(states, key=repr)}


def margins_json(margins: Margins) -> dict[str, object]:
    """The smallest margin of each kind of decision: real-valued gap and float32 error bound."""
    kinds = {
        kind: {
            "decisions": margins.counts[kind],
            "gap": margin.gap,
            "bound": margin.bound,
            "where": margin.where,
        }
        for kind, margin in sorted(margins.smallest.items())
    }
    return {"factor": FACTOR, "smallest": kinds}


def failing_trace(model: Model, failure: Failure) -> Trace:
    """The network's own run on the free tree, up to a little beyond the failing tick."""
    computer = Computer(model.parameters, model.config, tree_algorithm(model.algorithm), ExactFreeTree())
    problem = Problem(bits(jnp.uint32(0)), ConfigurationGoal(bits(jnp.uint32(failure.goal))))
    return trace(computer, problem, max_ticks=failure.tick + 2)


def trace_json(model: Model, failure: Failure, made: Trace) -> dict[str, object]:
    """A trace as plain JSON values, with what was expected where it went wrong."""
    return {
        "kind": "trace",
        "schema": SCHEMA,
        "weights": model.hash,
        "task": model.algorithm.name,
        "domain": "free-tree",
        "goal": failure.goal,
        "failure": failure._asdict(),
        "mechanisms": list(MECHANISMS),
        "ticks": {
            "op": made.op.tolist(),
            "signals": made.signals.tolist(),
            "written": made.written.tolist(),
            "read": made.read.tolist(),
            "winner": made.winner.tolist(),
            "word": (made.word > 0).astype(int).tolist(),
        },
    }

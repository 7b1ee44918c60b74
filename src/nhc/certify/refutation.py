"""The run that refutes a machine, by the network itself, as a trace that can be opened."""

import jax.numpy as jnp

from nhc.certify.follow import Failure
from nhc.computer.trace import Trace, trace
from nhc.computer.world import Computer, ConfigurationGoal, Problem
from nhc.data.exact_free_tree import ExactFreeTree, bits
from nhc.machine.layout import MECHANISMS
from nhc.model import Model

SCHEMA = 1


def failing_trace(model: Model, failure: Failure) -> Trace:
    """The network's own run on the free tree, up to a little beyond the failing tick."""
    computer = Computer(model.parameters, model.config, model.algorithm, ExactFreeTree())
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

"""The program of a proved machine: every control state that a run can reach, and what it can read there.

These are the states and words of which the proof asked for the operation.
"""

from nhc.certify.decisions import Decisions, Margins
from nhc.certify.enclosure import Network
from nhc.certify.prove import Proof
from nhc.model import Model
from nhc.program.table import ControlState, Program, Row


def extract_program(model: Model, proof: Proof) -> Program:
    """The program of a proved model."""
    decisions = Decisions(Network(model), Margins(strict=False))
    rows = {state: _row(decisions, state, proof) for state in sorted(proof.reads)}
    return Program(model.algorithm.name, model.config.word_size, rows)


def _row(decisions: Decisions, state: ControlState, proof: Proof) -> Row:
    constrained, fresh = decisions.written(state)
    modes = decisions.network.at(state).interface["read.modes"]
    strength = modes.low + modes.high
    order = tuple(sorted(decisions.mechanisms, key=lambda m: (-strength[m], m)))
    read, claim = proof.reads[state], proof.invariant
    preference: list[int] = []
    kept = {constrained, fresh, *read, *claim.final, *claim.fresh, *claim.prefix_words}
    left = kept if state in proof.lookups else set()
    while left:
        preference.append(decisions.best_word(state, left))
        left.remove(preference[-1])
    ops = {word: decisions.op(state, word) for word in sorted(read)}
    return Row(constrained, fresh, order, tuple(preference), ops)

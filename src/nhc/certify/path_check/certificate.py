"""Checks certificates that speak of an environment.

`python -m nhc.certify.path_check.certificate CERTIFICATE MODEL` does so for files.
Of the prover it shares nothing; of the other checker it has the control's decisions and the reading of files.
The states listed must contain the first, and after each tick from each of them all that may come must be
listed again. So every state that a run can be in is among them, and in each the next tick is right.
"""

import sys
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import TypeVar

import numpy as np

from nhc.certify.checker import (
    FACTOR,
    NONE,
    Blocks,
    Control,
    Rejected,
    Seen,
    differences,
    hash_of,
    parse,
    read_model,
    said,
    shapes,
)
from nhc.certify.path_check import memory, order, stack
from nhc.certify.path_check.decode import Decoder, frame, listed, stack_state, text
from nhc.certify.path_check.rules import Lines, read_lines

CLAIM = (
    "On every path of the environment each tick chooses the operation and, where the environment names one, "
    "reads the cell that it should, however long the path is."
)
ASSUMPTIONS = (
    "The memory has a free cell at every tick.",
    "Each instance of the algorithm is a path of the environment, along which its result is right.",
    "Arithmetic is IEEE float32, summed in any order; tanh is within 2^-20.",
)
MOST_FAULTS = 20
USUAL_OPS = 5
"""Operations of a machine whose record does not mention them."""

StateT = TypeVar("StateT", memory.State, stack.State)


class GatedControl(Control):
    """Control with a learned write gate, open above 0. Words that are not written have no margin."""

    def _written(self, state: Seen) -> tuple[int, int]:
        """See `Control`; no word of the free head where its gate is shut."""
        values = self.at(state)
        (gate,), (off,) = self.layer("interface.write.gate", values["signals"], values["hidden"])
        self.note("gate", abs(gate), off, f"{said(state)}, write gate")
        return self.word(state, "constrained"), self.word(state, "write") if gate > 0 else NONE


CONTROLS = {"always": Control, "learned": GatedControl}


def check(certificate: Mapping[str, object], blocks: Blocks) -> list[str]:
    """The steps that fail; none if all that the certificate says of these weights is right."""
    try:
        return steps(certificate, blocks)
    except Rejected as rejected:
        return [*map(str, rejected.args)]


def steps(certificate: Mapping[str, object], blocks: Blocks) -> list[str]:
    """The steps that fail. Raises Rejected where those that follow have no meaning."""
    if certificate.get("schema") == 1:
        raise Rejected("certificate: schema 1, of an earlier version: certify the model once more")
    match certificate:
        case {
            "task": str(task),
            "tool": str(tool),
            "machine": {"signals": int(signals), "hidden": int(hidden), **options},
            "environment": {
                "lines": list(lines),
                "ops": list(names),
                "lemmas": list(lemmas),
                "memory": memory,
            },
            "invariant": dict(invariant),
        } if 1 <= signals <= 64 and 2 <= len(names) <= 64 and 1 <= hidden <= 1024:
            ops, size, usage_link = len(names), options.get("word_size"), options.get("usage_link") is True
        case _:
            raise Rejected("certificate: task, tool, machine, environment or invariant are missing")
    if type(size) is not int or not 1 <= size <= 12:
        raise Rejected("certificate: the word size is out of range")
    if {name: array.shape for name, array in blocks.items()} != shapes(signals, hidden, size, ops):
        raise Rejected("machine: the weights have other blocks or shapes")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in blocks.values()):
        raise Rejected("weights: expected finite float32 numbers")
    gate = "learned" if options.get("write_gate") == "learned" else "always"
    control = CONTROLS[gate](blocks, signals, size, usage_link, ops)
    rules = read_lines([*map(text, lines)], [*map(text, names)])
    if any(len(tick.signals) != signals for group in rules.ticks.values() for tick in group):
        raise Rejected(f"environment: expected {signals} signals in each line")
    expected = {
        **{"kind": "certificate", "schema": 2, "tool": tool, "weights": hash_of(blocks), "task": task},
        "machine": {
            **{"signals": signals, "hidden": hidden, "word_size": size, "mix": "winner", "words": "bits"},
            **{"usage_link": usage_link, "constrained_head": True},
            **({} if ops == USUAL_OPS else {"ops": ops}),
            **{"constrained_gate": "always", "write_gate": gate, "allocation": "always"},
        },
        "claims": [{"label": "proved", "text": CLAIM}],
        "assumptions": [*ASSUMPTIONS, *map(text, lemmas)],
    }
    stated = {name: certificate.get(name) for name in expected}
    extra = {*certificate} - {*expected, "environment", "invariant"}
    failing = uncovered(memory, invariant, control, rules)
    thin = [
        f"margin.{kind}: {where}: gap {gap:.3g}, bound {off:.3g}"
        for kind, decisions in control.noted.items()
        for gap, off, where in decisions
        if not gap > FACTOR * off
    ]
    return [
        *(f"certificate: {name} has no meaning" for name in sorted(extra)),
        *differences("", expected, stated),
        *failing,
        *thin[:MOST_FAULTS],
    ]


def uncovered(memory: object, invariant: Mapping[str, object], control: Control, rules: Lines) -> list[str]:
    """What is wrong with the states listed. Raises Rejected."""
    match memory, invariant:
        case "order", {"tracks": bool(tracks), "labels": labels, "states": states, **more} if not more:
            cells = order.Ticks(control, rules, tracks)
            known = [*map(Decoder(labels).order_state, listed(states))]
            return faults(known, chain([cells.first], *map(cells.after, known)), cells.faults)
        case "stack", {"under": under, "states": states, **more} if not more:
            below: dict[stack.Frame, frozenset[stack.Frame]] = {}
            for upper, lower in (map(frame, pair) for pair in map(listed, listed(under)) if len(pair) == 2):
                below[upper] = below.get(upper, frozenset()) | {lower}
            frames = stack.Ticks(control, rules, below)
            shown = [*map(stack_state, listed(states))]
            return faults(shown, chain([frames.first], *map(frames.after, shown)), frames.faults)
    raise Rejected("certificate: expected an invariant of memory in order, or of a stack")


def faults(states: Sequence[StateT], after: Iterable[StateT], wrong: list[str]) -> list[str]:
    """The faults found, each once, the first of many. Those that come `after` may add to what is `wrong`."""
    known = {state.key: state for state in states}
    gaps: list[str] = [
        f"invariant: a state after a tick to {found.state} is not covered"
        for found in after
        if (there := known.get(found.key)) is None or not there.covers(found)
    ]
    twice: list[str] = [] if len(known) == len(states) else ["invariant: a state is listed twice"]
    return [*twice, *dict.fromkeys([*wrong, *gaps])][:MOST_FAULTS]


def check_files(certificate_path: Path, model_path: Path, environment: object = None) -> list[str]:
    """`check` for files, with the model's own word on task and machine.

    `environment` is what the caller knows to be the algorithm's. Raises OSError, ValueError.
    """
    certificate, (blocks, metadata) = parse(certificate_path.read_bytes()), read_model(model_path)
    told = {name: metadata.get(name) for name in ("kind", "task", "machine", "ops")}
    stated = certificate.get("environment")
    ops = stated.get("ops") if isinstance(stated, dict) else None
    meant = {
        "kind": "model",
        "task": certificate.get("task"),
        "machine": certificate.get("machine"),
        "ops": ops,
    }
    wrong = [] if environment is None else [*differences("environment", environment, stated)]
    return [*differences("model", meant, told), *wrong, *check(certificate, blocks)]


def main(arguments: list[str]) -> int:
    """Prints `accepted` or the steps that fail. Returns 0, 1, or 2 where the files cannot be used."""
    try:
        certificate, model = map(Path, arguments)
        failing = check_files(certificate, model)
    except (OSError, ValueError) as error:
        print(f"usage: certificate.py CERTIFICATE MODEL\nerror: {error}", file=sys.stderr)
        return 2
    print("\n".join(failing or ["accepted, for the environment as recorded"]))
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

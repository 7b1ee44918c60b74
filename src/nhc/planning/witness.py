"""Witnesses of answers: what a search found, in so few numbers that another search can confirm it.

A witness of a plan has its labels, and of every depth before its end the number of states and a digest of
them; one that there is no plan has these of all depths. The check searches anew in plain Python, with a set,
and shares no code with the compiled search: nor rules, where the task has others (`OwnRules`).
"""

import hashlib
from collections.abc import Iterable
from typing import Protocol, TypeAlias, runtime_checkable

import numpy as np

from nhc.domains.space import GraphTask, Rows, Space
from nhc.errors import ConfigError, InputError
from nhc.planning.explored import Explored

Witness: TypeAlias = dict[str, object]
"""`labels`, a list of integers or None for no plan; `layers`, the numbers of states; `digests`, as
hexadecimal texts. What a JSON text can hold."""
State: TypeAlias = tuple[int, ...]


@runtime_checkable
class OwnRules(Protocol):
    """What a task has whose check need not use the rules that the search used."""

    def successors(self, state: State) -> dict[int, State]:
        """What the actions make of a state, by label."""
        ...

    def is_goal(self, state: State) -> bool:
        """Does the state fulfil the goal?"""
        ...


class Uncompiled:
    """The rules of a space as they are written."""

    def __init__(self, space: Space) -> None:
        self._space = space

    def successors(self, state: State) -> dict[int, State]:
        """See `OwnRules`."""
        space = self._space
        made = np.zeros((space.most_actions, len(state)), np.int64)
        labels = np.zeros(space.most_actions, np.int64)
        with np.errstate(over="ignore"):  # rules may count modulo 2^64
            count = space.expand(space.facts, space.scratch, np.array(state, np.int64), made, labels)
        rows = map(tuple, made[:count].tolist())
        return dict(zip(labels[:count].tolist(), rows, strict=True))

    def is_goal(self, state: State) -> bool:
        """See `OwnRules`."""
        return self._space.at_goal(self._space.facts, np.array(state, np.int64)) != 0


KEYS = ("digests", "labels", "layers")
MOST_STATES = 200_000
"""Plain Python looks at some thousand states a second."""


def witness_of(explored: Explored) -> Witness:
    """The witness of what was found.

    Raises ConfigError (`witness.open`) for a search that a limit ended: it has no answer.
    """
    if explored.goal is None and not explored.ended:
        raise ConfigError("witness.open", "the search was ended by a limit and has no answer to witness")
    labels = None if explored.goal is None else explored.labels_to(explored.goal)
    ends = explored.ends if labels is None else explored.ends[: len(labels)]
    begins = [0, *ends[:-1]]
    digests = [_digest(explored.states[begin:end]) for begin, end in zip(begins, ends, strict=True)]
    return {"labels": labels, "layers": list(explored.layers[: len(ends)]), "digests": digests}


def check_witness(task: GraphTask, witness: object, most_states: int = MOST_STATES) -> str | None:
    """The objection to a witness; None if it shows what it says.

    Without an objection, a plan is right by the task's own referee, leads to a goal by the rules, and no
    state at a smaller depth is a goal: it is a shortest one; or no state that can be reached is a goal.
    Raises InputError: `witness.form` for what is no witness, `witness.states` for more than `most_states`.
    """
    labels, layers, digests = _parts(witness)
    if sum(layers) > most_states:
        found = f"this witness counts {sum(layers):,}"
        raise InputError("witness.states", f"at most {most_states:,} states are checked, {found}")
    if labels is not None and len(labels) != len(layers):
        return f"a plan of {len(labels)} actions has as many depths before its end, found {len(layers)}"
    rules = task if isinstance(task, OwnRules) else Uncompiled(task.space)
    seen: set[State] = set()
    layer: set[State] = {tuple(task.space.start.tolist())}
    for depth, (size, digest) in enumerate(zip(layers, digests, strict=True)):
        if len(layer) != size or _digest(np.array([*layer], np.int64)) != digest:
            return f"the states at depth {depth} are others"
        if any(map(rules.is_goal, layer)):
            return f"a state at depth {depth} is a goal"
        seen.update(layer)
        layer = {made for state in layer for made in rules.successors(state).values()} - seen
    return _end_fault(task, rules, labels, layer)


def _end_fault(task: GraphTask, rules: OwnRules, labels: list[int] | None, layer: set[State]) -> str | None:
    """The objection to how a witness ends, given the states after its last depth."""
    if labels is None:
        return "there are more states" if layer else None
    state: State = tuple(task.space.start.tolist())
    for number, label in enumerate(labels, start=1):
        made = rules.successors(state)
        if label not in made:
            return f"there is no action {label} at step {number}"
        state = made[label]
    return task.plan_fault(labels) if rules.is_goal(state) else "the plan does not end at a goal"


def _digest(rows: Rows) -> str:
    """Of a set of states: SHA-256 of its rows in ascending order, each word in eight bytes."""
    ordered = rows[np.lexsort(rows.T[::-1])]
    return hashlib.sha256(ordered.astype("<i8").tobytes()).hexdigest()


def _parts(witness: object) -> tuple[list[int] | None, list[int], list[str]]:
    """Labels, layers and digests. Raises InputError (`witness.form`)."""
    if not isinstance(witness, dict) or sorted(map(str, witness)) != sorted(KEYS):
        raise InputError("witness.form", f"expected an object of {', '.join(KEYS)}")
    labels, layers, digests = (witness[key] for key in ("labels", "layers", "digests"))
    numbers = (labels is None or _all(labels, int)) and _all(layers, int)
    if not numbers or not _all(digests, str) or len(layers) != len(digests):
        raise InputError("witness.form", "expected lists of integers, and as many texts as layers")
    return labels, layers, digests


def _all(values: object, kind: type) -> bool:
    items: Iterable[object] = values if isinstance(values, list) else [None]
    return all(isinstance(item, kind) and not isinstance(item, bool) for item in items)

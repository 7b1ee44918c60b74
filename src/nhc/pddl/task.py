"""PDDL files as tasks for search."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from nhc.domains.space import Space
from nhc.errors import InputError, Note, Place
from nhc.pddl.conditions import deleted_and_added
from nhc.pddl.domain import read_domain
from nhc.pddl.grounding import Exceeded, Ground, Limits, ground, possible_actions
from nhc.pddl.model import Fact, Problem, fact_text
from nhc.pddl.packed import pack
from nhc.pddl.plans import fault_of_plan, write_plan
from nhc.pddl.problem import read_problem
from nhc.pddl.text import Source


class Size(NamedTuple):
    """How large a task is, known before any search."""

    facts: int
    """Bits of a state; there are at most 2 to this power."""
    actions: int
    """Ground actions that could ever apply."""
    possible_actions: int
    """Ground actions by types alone; the difference was seen never to apply."""
    constant_facts: int
    """Facts of the start that never change, evaluated away."""
    unread_facts: int
    """Facts that change and that nothing depends on, left out."""

    def __str__(self) -> str:
        return (
            f"{self.actions:,} of {self.possible_actions:,} ground actions, {self.facts:,} facts"
            f" ({self.constant_facts:,} constant and {self.unread_facts:,} unread ones left out)"
        )


@dataclass(frozen=True, eq=False)
class PddlTask:
    """A planning task in PDDL: a `GraphTask` whose labels are numbers of ground actions."""

    problem: Problem
    ground: Ground
    size: Size
    warnings: tuple[Note, ...] = ()
    unit: str = "action"
    """Plans are as long as they have actions, whatever these cost."""

    @cached_property
    def space(self) -> Space:
        """The task as a graph."""
        return pack(self.ground)

    @property
    def name(self) -> str:
        """Domain and problem."""
        return f"{self.problem.domain.name} {self.problem.name}"

    def steps(self, labels: Sequence[int]) -> list[Fact]:
        """The actions of these labels: names and objects."""
        return [self.ground.actions[label].name for label in labels]

    def plan_text(self, labels: list[int]) -> str:
        """One action a line."""
        return write_plan(self.steps(labels))

    def plan_fault(self, labels: list[int]) -> str | None:
        """The objection of a referee who replays the actions on the domain as written."""
        return fault_of_plan(self.problem, self.steps(labels))


def read_pddl(domain: str | Path, problem: str | Path, limits: Limits | None = None) -> PddlTask:
    """The task of two files.

    Raises InputError: `pddl.file` (a file cannot be read) and the codes of `parse_pddl`.
    """
    return _task(_opened(domain), _opened(problem), limits or Limits())


def parse_pddl(domain: str | bytes, problem: str | bytes, limits: Limits | None = None) -> PddlTask:
    """The task of two texts.

    Raises InputError: `pddl.limit` if there are more ground facts or actions than allowed, and the other
    codes of docs/errors.md that begin with `pddl`. Warnings are in the task.
    """
    return _task(Source(domain, "domain"), Source(problem, "problem"), limits or Limits())


def _opened(path: str | Path) -> Source:
    try:
        return Source(Path(path).read_bytes(), str(path))
    except OSError as error:
        raise InputError("pddl.file", f"cannot be read: {error.strerror}", Place(str(path))) from error


def _task(first: Source, second: Source, limits: Limits) -> PddlTask:
    problem = read_problem(second, read_domain(first), first)
    possible = possible_actions(problem)
    try:
        grounded = ground(problem, limits)
    except Exceeded as error:
        message = f"`{error.action.name}` leads to more than {error}; by types alone the task has"
        message += f" {possible:,} ground actions"
        raise InputError("pddl.limit", message, first.place(error.action.at)) from error
    size = Size(len(grounded.facts), len(grounded.actions), possible, grounded.constant, grounded.unread)
    notes = [*first.notes, *second.notes, *_clash_notes(first, problem, grounded)]
    if grounded.goal is None:
        message = "no sequence of actions reaches this goal, even if nothing were ever deleted"
        notes.append(Note("pddl.goal", message, second.place(0)))
    return PddlTask(problem, grounded, size, tuple(notes))


def _clash_notes(source: Source, problem: Problem, grounded: Ground) -> list[Note]:
    """One note if ground actions delete and add the same fact, as `(go here here)` may."""
    # Where the text itself says so of every ground action, that was remarked on reading it.
    plain = {action.name for action in problem.domain.actions if not deleted_and_added(action.effect)}
    found = [action.name for action in grounded.actions if action.clashes and action.name[0] in plain]
    if not found:
        return []
    names = ", ".join(f"`{name}`" for name in dict.fromkeys(name for name, *_ in found))
    message = f"{len(found):,} ground actions of {names} delete and add the same fact, which is added;"
    at = next(action.at for action in problem.domain.actions if action.name == found[0][0])
    return [Note("pddl.add_wins", f"{message} the first is {fact_text(found[0])}", source.place(at))]

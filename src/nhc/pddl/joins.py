"""All ground actions that could ever apply: relaxed reachability, by joins over indexed facts.

Deletes are left aside, so facts only become more. Each new fact is matched with each condition of each action
and the other conditions are looked up by the objects already known; types, equality and conditions on facts
that no action changes prune as early as their variables are known.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple, TypeAlias

from nhc.pddl.model import EQUALS, Action, Fact, Literal, Problem

Values: TypeAlias = tuple[str, ...]
"""The objects of the parameters of an action; empty for those not known yet."""
FULL = 1_000_000_000
"""More facts than there are of any predicate."""


class Step(NamedTuple):
    """One move in binding the parameters of an action."""

    predicate: str | None
    """Of the condition to look up; None to try all objects of the type of the parameter in `free`, if any."""
    bound: tuple[int, ...]
    """Positions of the condition whose objects are known by then."""
    key: tuple[int | str, ...]
    """What stands there: parameters, or objects."""
    free: tuple[tuple[int, int], ...]
    """(position of the atom, parameter) for each parameter that becomes known."""
    checks: tuple[Literal, ...]
    """Equalities and constant conditions whose parameters are then all known."""


class Facts:
    """Facts by predicate and the objects at some positions; every index grows with the facts."""

    def __init__(self, start: frozenset[Fact]) -> None:
        """`start` are those that hold at first; they are looked up and not put in."""
        self.start = start
        self._indices: dict[str, dict[tuple[int, ...], dict[Values, list[Fact]]]] = defaultdict(dict)
        self._of: dict[str, list[Fact]] = defaultdict(list)

    def add(self, fact: Fact) -> None:
        """Put a new fact into all indices."""
        self._of[fact[0]].append(fact)
        for positions, index in self._indices[fact[0]].items():
            index.setdefault(tuple([fact[1 + at] for at in positions]), []).append(fact)

    def index(self, predicate: str, positions: tuple[int, ...]) -> dict[Values, list[Fact]]:
        """The index over some positions, made when first asked for."""
        indices = self._indices[predicate]
        if positions not in indices:
            made: dict[Values, list[Fact]] = {}
            for fact in self._of[predicate]:
                made.setdefault(tuple([fact[1 + at] for at in positions]), []).append(fact)
            indices[positions] = made
        return indices[positions]

    def count(self, predicate: str) -> int:
        """How many there are of a predicate."""
        return len(self._of[predicate])


class Rule:
    """An action, and how its parameters are found from a fact."""

    def __init__(
        self, number: int, action: Action, problem: Problem, added: set[str], deleted: set[str]
    ) -> None:
        """`added` and `deleted` are the predicates of which some action adds or deletes facts."""
        self.number = number
        self.action = action
        self.domains = [problem.of_type(kind) for _, kind in action.parameters]
        self.members = [set(objects) for objects in self.domains]
        self.slots = {name: at for at, (name, _) in enumerate(action.parameters)}
        self.added = added
        self.adds = [literal for literal in action.effect if literal.positive]
        atoms = [literal for literal in action.condition if literal.predicate != EQUALS]
        self.atoms = [literal for literal in atoms if literal.positive]
        self.triggers = [literal for literal in self.atoms if literal.predicate in added]
        self.tests = [literal for literal in action.condition if literal.predicate == EQUALS]
        # A fact of the start that nothing deletes holds for good, so what denies it never applies.
        self.tests += [atom for atom in atoms if not atom.positive and atom.predicate not in deleted]

    def plan(self, trigger: Literal | None, facts: Facts) -> tuple[Step, ...]:
        """The steps that bind all parameters; `trigger` is a condition that a given fact fulfils."""
        known = set() if trigger is None else self._slots_of(trigger)
        atoms = [atom for atom in self.atoms if atom is not trigger]
        tests = list(self.tests)
        steps = [Step(None, (), (), (), self._due(tests, known))]
        while atoms:
            atom = min(atoms, key=lambda atom: self._cost(atom, known, facts))
            atoms.remove(atom)
            terms = [self.slots.get(term, term) for term in atom.terms]
            new = self._slots_of(atom) - known
            bound = tuple(at for at, term in enumerate(terms) if term not in new)
            free = tuple((at, term) for at, term in enumerate(terms) if isinstance(term, int) and term in new)
            known |= new
            key = tuple(terms[at] for at in bound)
            steps.append(Step(atom.predicate, bound, key, free, self._due(tests, known)))
        for slot in range(len(self.domains)):
            if slot not in known:
                known.add(slot)
                steps.append(Step(None, (), (), ((0, slot),), self._due(tests, known)))
        return tuple(steps)

    def _slots_of(self, literal: Literal) -> set[int]:
        return {self.slots[term] for term in literal.terms if term in self.slots}

    def _cost(self, atom: Literal, known: set[int], facts: Facts) -> tuple[int, bool, int]:
        """What to look up first: what leaves least open, hangs together with the rest, and has few facts."""
        slots = self._slots_of(atom)
        count = FULL if atom.predicate in self.added else facts.count(atom.predicate)
        return len(slots - known), not slots & known, count

    def _due(self, tests: list[Literal], known: set[int]) -> tuple[Literal, ...]:
        """The tests that can be made by now; they are taken off the list."""
        due = [test for test in tests if self._slots_of(test) <= known]
        tests[:] = [test for test in tests if test not in due]
        return tuple(due)

    def unify(self, literal: Literal, fact: Fact) -> Values | None:
        """The parameters that make a condition this fact; None if there are none."""
        values = [""] * len(self.domains)
        for term, item in zip(literal.terms, fact[1:], strict=True):
            slot = self.slots.get(term)
            if slot is None:
                if term != item:
                    return None
            elif item not in self.members[slot] or values[slot] not in ("", item):
                return None
            else:
                values[slot] = item
        return tuple(values)

    def fact(self, literal: Literal, values: Values) -> Fact:
        """The fact that a literal is with these parameters, which must be known."""
        slots = self.slots
        return (
            literal.predicate,
            *[values[slots[term]] if term in slots else term for term in literal.terms],
        )

    def after(self, step: Step, values: Values, facts: Facts) -> Iterator[Values]:
        """All ways to take a step, before its checks."""
        if step.predicate is None:
            ways: Iterable[Values] = [values]
            if step.free:
                slot = step.free[0][1]
                ways = ((*values[:slot], item, *values[slot + 1 :]) for item in self.domains[slot])
        else:
            key = tuple([values[term] if isinstance(term, int) else term for term in step.key])
            found = facts.index(step.predicate, step.bound).get(key, ())
            ways = self._extended(step, values, found) if step.free else [values] * len(found)
        return iter(ways)

    def passes(self, step: Step, values: Values, facts: Facts) -> bool:
        """Do the checks of a step hold?"""
        return all(self._holds(check, values, facts) for check in step.checks)

    def _extended(self, step: Step, values: Values, found: Iterable[Fact]) -> Iterator[Values]:
        for fact in found:
            made = list(values)
            for at, slot in step.free:
                item = fact[1 + at]
                if item not in self.members[slot] or made[slot] not in ("", item):
                    break
                made[slot] = item
            else:
                yield tuple(made)

    def _holds(self, check: Literal, values: Values, facts: Facts) -> bool:
        fact = self.fact(check, values)
        return (fact[1] == fact[2] if check.predicate == EQUALS else fact in facts.start) == check.positive

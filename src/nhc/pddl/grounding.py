"""A task without variables: what can change, in numbers.

Facts that never change are evaluated away, and so are facts that nothing depends on. What remains are the
bits of a state.
"""

from collections import defaultdict, deque
from collections.abc import Callable, Iterable
from math import prod
from typing import NamedTuple

from nhc.pddl.joins import Facts, Rule, Step, Values
from nhc.pddl.model import EQUALS, Action, Fact, Literal, Problem


class Limits(NamedTuple):
    """What grounding may come to before it gives up."""

    facts: int = 10_000
    """Facts that actions can add to those of the start."""
    actions: int = 100_000
    """Ground actions that could ever apply."""
    matches: int = 10_000_000
    """Partial lists of parameters; a million takes some seconds."""


class Exceeded(Exception):
    """A limit was met."""

    def __init__(self, what: str, limit: int, action: Action) -> None:
        super().__init__(f"{limit:,} {what}")
        self.action = action


class GroundAction(NamedTuple):
    """An action with its objects. Facts are numbers; deletes come before adds."""

    name: Fact
    needs: frozenset[int]
    denies: frozenset[int]
    """Facts that must not hold."""
    adds: frozenset[int]
    deletes: frozenset[int]
    """None of them is added."""
    clashes: bool
    """Does it say of some fact that it is deleted and added?"""


class Ground(NamedTuple):
    """A task as sets of numbered facts."""

    facts: list[Fact]
    """By number, in the order of predicates and objects."""
    actions: list[GroundAction]
    """In the order of the domain and of their objects."""
    start: frozenset[int]
    goal: tuple[frozenset[int], frozenset[int]] | None
    """Facts that must hold and facts that must not; None if the goal holds in no state in reach."""
    constant: int
    """Facts of the start that never change; they are evaluated away."""
    unread: int
    """Facts that change and that no condition mentions; they are left out."""


def possible_actions(problem: Problem) -> int:
    """How many ground actions there would be by types alone."""
    return sum(
        prod(len(problem.of_type(kind)) for _, kind in action.parameters) for action in problem.domain.actions
    )


def ground(problem: Problem, limits: Limits) -> Ground:
    """The task without variables. Raises Exceeded."""
    reach = _Reach(problem, limits)
    filled = [_filled(problem.domain.actions[number], values) for number, values in reach.run()]
    deleted = {fact for action in filled for fact in action.deletes}
    changing = {fact for fact in reach.seen if fact not in problem.init or fact in deleted}
    constant = problem.init - changing
    filled = [action for action in filled if constant.isdisjoint(action.denies)]
    goal = _goal(problem, reach.seen, constant)
    read = {fact for action in filled for fact in (*action.needs, *action.denies)}
    read |= set().union(*goal) if goal else set()
    facts = sorted(changing & read, key=_order(problem))
    numbers = {fact: number for number, fact in enumerate(facts)}
    return Ground(
        facts,
        [_numbered(action, numbers) for action in filled],
        frozenset(numbers[fact] for fact in problem.init if fact in numbers),
        None if goal is None else (_numbers(goal[0], numbers), _numbers(goal[1], numbers)),
        len(constant),
        len(changing - read),
    )


class _Filled(NamedTuple):
    """A ground action in facts."""

    name: Fact
    needs: frozenset[Fact]
    denies: frozenset[Fact]
    adds: frozenset[Fact]
    deletes: frozenset[Fact]


def _filled(action: Action, objects: Values) -> _Filled:
    values = {name: item for (name, _), item in zip(action.parameters, objects, strict=True)}
    parts = (action.condition, action.effect)
    sides = [_facts(part, positive, values) for part in parts for positive in (True, False)]
    return _Filled((action.name, *objects), *sides)


def _facts(literals: Iterable[Literal], positive: bool, values: dict[str, str]) -> frozenset[Fact]:
    """The facts that must hold, or must not."""
    atoms = (literal for literal in literals if literal.predicate != EQUALS)
    return frozenset(literal.fact(values) for literal in atoms if literal.positive == positive)


def _numbers(facts: frozenset[Fact], numbers: dict[Fact, int]) -> frozenset[int]:
    return frozenset(numbers[fact] for fact in facts if fact in numbers)


def _numbered(action: _Filled, numbers: dict[Fact, int]) -> GroundAction:
    needs, denies, adds, deletes = (_numbers(side, numbers) for side in action[1:])
    clashes = not action.adds.isdisjoint(action.deletes)
    return GroundAction(action.name, needs, denies, adds, deletes - adds, clashes)


def _goal(
    problem: Problem, reached: set[Fact], constant: frozenset[Fact]
) -> tuple[frozenset[Fact], frozenset[Fact]] | None:
    """What must hold and what must not; None if that is seen to be out of reach."""
    equal = [literal for literal in problem.goal if literal.predicate == EQUALS]
    wanted, unwanted = (_facts(problem.goal, positive, {}) for positive in (True, False))
    possible = wanted <= reached and wanted.isdisjoint(unwanted) and constant.isdisjoint(unwanted)
    if possible and all((x.terms[0] == x.terms[1]) == x.positive for x in equal):
        return wanted, unwanted
    return None


def _order(problem: Problem) -> Callable[[Fact], tuple[int, ...]]:
    """The place of a fact in the order of predicates and objects."""
    places = {name: at for at, name in enumerate(problem.objects)}
    predicates = {name: at for at, name in enumerate(problem.domain.predicates)}
    return lambda fact: (predicates[fact[0]], *[places[name] for name in fact[1:]])


class _Reach:
    """What is in reach when nothing is ever deleted.

    New facts wait in a queue, each to be matched with the conditions that it could fulfil.
    """

    def __init__(self, problem: Problem, limits: Limits) -> None:
        actions = problem.domain.actions
        effects = [literal for action in actions for literal in action.effect]
        added = {literal.predicate for literal in effects if literal.positive}
        deleted = {literal.predicate for literal in effects if not literal.positive}
        self.problem, self.limits, self.matches = problem, limits, 0
        self.facts = Facts(problem.init)
        self.seen = set(problem.init)
        self.queue = deque(sorted(fact for fact in problem.init if fact[0] in added))
        self.rules = [Rule(number, action, problem, added, deleted) for number, action in enumerate(actions)]
        self.actions: set[tuple[int, Values]] = set()
        for fact in problem.init:
            if fact[0] not in added:
                self.facts.add(fact)

    def run(self) -> list[tuple[int, Values]]:
        """Numbers of actions and their objects, in the order of domain and objects. Raises Exceeded."""
        waiting: dict[str, list[tuple[Rule, Literal, tuple[Step, ...]]]] = defaultdict(list)
        for rule in self.rules:
            for trigger in rule.triggers:
                waiting[trigger.predicate].append((rule, trigger, rule.plan(trigger, self.facts)))
            if not rule.triggers:
                self._bind(rule, rule.plan(None, self.facts), ("",) * len(rule.domains))
        while self.queue:
            fact = self.queue.popleft()
            self.facts.add(fact)
            for rule, trigger, steps in waiting[fact[0]]:
                values = rule.unify(trigger, fact)
                if values is not None:
                    self._bind(rule, steps, values)
        places = {name: at for at, name in enumerate(self.problem.objects)}
        return sorted(self.actions, key=lambda found: (found[0], [places[name] for name in found[1]]))

    def _bind(self, rule: Rule, steps: tuple[Step, ...], values: Values) -> None:
        """Find all actions of a rule with some parameters given."""
        # Depth first, as all partial lists at once may not fit into memory.
        opened = [rule.after(steps[0], values, self.facts)]
        while opened:
            way = next(opened[-1], None)
            if way is None:
                opened.pop()
                continue
            self.matches += 1
            if self.matches > self.limits.matches:
                raise Exceeded("partial lists of parameters", self.limits.matches, rule.action)
            if not rule.passes(steps[len(opened) - 1], way, self.facts):
                continue
            if len(opened) < len(steps):
                opened.append(rule.after(steps[len(opened)], way, self.facts))
            elif (rule.number, way) not in self.actions:
                self._add(rule, way)

    def _add(self, rule: Rule, values: Values) -> None:
        self.actions.add((rule.number, values))
        if len(self.actions) > self.limits.actions:
            raise Exceeded("ground actions", self.limits.actions, rule.action)
        for literal in rule.adds:
            fact = rule.fact(literal, values)
            if fact not in self.seen:
                self.seen.add(fact)
                self.queue.append(fact)
        if len(self.seen) - len(self.problem.init) > self.limits.facts:
            raise Exceeded("facts", self.limits.facts, rule.action)

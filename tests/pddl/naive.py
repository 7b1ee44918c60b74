"""The slow twin of grounding and expansion: all objects for all parameters, facts as tuples in sets."""

from collections.abc import Iterator
from itertools import product

from nhc.pddl.model import Action, Fact, Literal, Problem


def holds(literal: Literal, values: dict[str, str], state: frozenset[Fact]) -> bool:
    name, *terms = literal.fact(values)
    true = terms[0] == terms[1] if name == "=" else (name, *terms) in state
    return true is literal.positive


def after(action: Action, values: dict[str, str], state: frozenset[Fact]) -> frozenset[Fact]:
    deletes = {literal.fact(values) for literal in action.effect if not literal.positive}
    adds = {literal.fact(values) for literal in action.effect if literal.positive}
    return (state - deletes) | adds


def successors(problem: Problem, state: frozenset[Fact]) -> Iterator[tuple[Fact, frozenset[Fact]]]:
    """Ground actions that apply, in the order of domain and objects, and the states they lead to."""
    for action in problem.domain.actions:
        domains = [
            [name for name, own in problem.objects.items() if problem.domain.is_a(own, kind)]
            for _, kind in action.parameters
        ]
        for objects in product(*domains):
            values = {name: item for (name, _), item in zip(action.parameters, objects, strict=True)}
            if all(holds(literal, values, state) for literal in action.condition):
                yield (action.name, *objects), after(action, values, state)


def is_goal(problem: Problem, state: frozenset[Fact]) -> bool:
    return all(holds(literal, {}, state) for literal in problem.goal)

"""Plans as text, and a referee who replays them on the domain as it was written, without grounding."""

from collections.abc import Iterable, Sequence

from nhc.errors import InputError
from nhc.pddl.model import EQUALS, Action, Fact, Literal, Problem, fact_text
from nhc.pddl.text import Source


def write_plan(steps: Iterable[Fact]) -> str:
    """One action a line, `(name argument …)` in small letters, each with its line end."""
    return "".join(f"{fact_text(step)}\n" for step in steps)


def read_plan(data: str | bytes, file: str | None = None) -> list[Fact]:
    """The actions of a plan file: `;` begins a comment, capitals make no difference.

    Raises InputError: `pddl.plan` for what is not an action, and the codes of `Source.groups`.
    """
    source = Source(data, file)
    steps = []
    for group in source.groups("pddl.plan"):
        words = [source.word(item, "a name", "pddl.plan").text for item in group.items]
        if not words:
            raise InputError("pddl.plan", "expected an action, found `()`", source.place(group.at))
        steps.append(tuple(words))
    return steps


def fault_of_plan(problem: Problem, steps: Sequence[Fact]) -> str | None:
    """Why a sequence of actions, each a name and its objects, is no plan; None if it is one."""
    actions = {action.name: action for action in problem.domain.actions}
    state = set(problem.init)
    for number, step in enumerate(steps, 1):
        action = actions.get(step[0])
        if action is None:
            return f"step {number}: there is no action `{step[0]}`"
        fault = _fault_of_objects(problem, action, step[1:])
        if fault is not None:
            return f"step {number}, {fact_text(step)}: {fault}"
        values = {name: item for (name, _), item in zip(action.parameters, step[1:], strict=True)}
        broken = _broken(action.condition, values, state)
        if broken is not None:
            return f"step {number}, {fact_text(step)}: {broken} does not hold"
        state -= {literal.fact(values) for literal in action.effect if not literal.positive}
        state |= {literal.fact(values) for literal in action.effect if literal.positive}
    broken = _broken(problem.goal, {}, state)
    return None if broken is None else f"after the last step {broken} of the goal does not hold"


def _fault_of_objects(problem: Problem, action: Action, objects: Fact) -> str | None:
    if len(objects) != len(action.parameters):
        return f"expected {len(action.parameters)} objects, found {len(objects)}"
    for (name, kind), item in zip(action.parameters, objects, strict=True):
        if item not in problem.objects:
            return f"there is no object `{item}`"
        if not problem.domain.is_a(problem.objects[item], kind):
            return f"`{item}` is no `{kind}`, as {name} is"
    return None


def _broken(condition: Sequence[Literal], values: dict[str, str], state: set[Fact]) -> str | None:
    """The first literal that does not hold, with its objects."""
    for literal in condition:
        fact = literal.fact(values)
        holds = fact[1] == fact[2] if literal.predicate == EQUALS else fact in state
        if holds != literal.positive:
            text = fact_text(fact)
            return text if literal.positive else f"(not {text})"
    return None

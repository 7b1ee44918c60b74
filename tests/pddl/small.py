"""A small domain with a place for whatever a test wants to put in, and random domains."""

from hypothesis import strategies as st

DOMAIN = """\
(define (domain toy)
  (:requirements :strips :typing :negative-preconditions :equality)
  (:types block - object)
  {sections}
  (:predicates (p ?x - block) (q ?x ?y - block))
  {later}
  (:action go
    :parameters (?x ?y - block)
    :precondition {condition}
    :effect {effect}))
"""
PROBLEM = """\
(define (problem try)
  (:domain {domain})
  (:objects {objects} - block)
  (:init (p a) {init})
  (:goal {goal}))
"""
USUAL = {
    "sections": "",
    "later": "",
    "condition": "(p ?x)",
    "effect": "(and (q ?x ?y) (not (p ?x)))",
    "domain": "toy",
    "objects": "a b",
    "init": "",
    "goal": "(q a b)",
}


def texts(**parts: str) -> tuple[str, str]:
    """Domain and problem."""
    return DOMAIN.format(**USUAL | parts), PROBLEM.format(**USUAL | parts)


TYPES = ("object", "t", "u")
PREDICATES = {"f": 0, "g": 1, "h": 2, "s": 1, "r": 2}
"""`s` and `r` are never changed."""


@st.composite
def random_tasks(draw: st.DrawFn) -> tuple[str, str]:
    """Tasks of a few objects and actions: any types, constants, negations, equalities, clashing effects."""
    objects = {f"o{number}": draw(st.sampled_from(TYPES)) for number in range(draw(st.integers(1, 4)))}
    constants = {"k": draw(st.sampled_from(TYPES))} if draw(st.booleans()) else {}

    def atoms(names: list[str], predicates: str) -> st.SearchStrategy[str]:
        def filled(predicate: str) -> st.SearchStrategy[str]:
            arity = PREDICATES[predicate]
            terms = st.lists(st.sampled_from(names or ["k"]), min_size=arity, max_size=arity)
            return terms.map(lambda chosen: f"({' '.join([predicate, *chosen])})")

        usable = [name for name in predicates if PREDICATES[name] == 0 or names]
        return st.sampled_from(usable).flatmap(filled)

    def literals(names: list[str], predicates: str, most: int) -> str:
        signed = st.tuples(atoms(names, predicates), st.booleans()).map(
            lambda pair: pair[0] if pair[1] else f"(not {pair[0]})"
        )
        return f"(and {' '.join(draw(st.lists(signed, max_size=most)))})"

    actions = []
    for number in range(draw(st.integers(1, 3))):
        variables = [f"?v{at}" for at in range(draw(st.integers(0, 3)))]
        parameters = " ".join(f"{name} - {draw(st.sampled_from(TYPES))}" for name in variables)
        names = [*variables, *constants]
        condition = literals(names, "fghsr", 4)
        if len(names) > 1 and draw(st.booleans()):
            pair = f"(= {draw(st.sampled_from(names))} {draw(st.sampled_from(names))})"
            condition = f"(and {condition} {pair if draw(st.booleans()) else f'(not {pair})'})"
        effect = literals(names, "fgh", 4)
        actions.append(
            f"(:action a{number} :parameters ({parameters}) :precondition {condition} :effect {effect})"
        )
    declared = " ".join(f"({name} {' '.join(['?x', '?y'][:arity])})" for name, arity in PREDICATES.items())
    listed = [" ".join(f"{name} - {kind}" for name, kind in part.items()) for part in (constants, objects)]
    domain = f"(define (domain d) (:types t u - object) (:constants {listed[0]}) (:predicates {declared})\n"
    names = [*objects, *constants]
    init = " ".join(draw(st.lists(atoms(names, "fghsr"), max_size=8)))
    goal = literals(names, "fghs", 3)
    problem = f"(define (problem x) (:domain d) (:objects {listed[1]}) (:init {init}) (:goal {goal}))"
    return domain + "\n".join(actions) + ")", problem

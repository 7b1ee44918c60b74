"""The lines of an environment, read a second time; `nhc.algorithms.abstraction` says what they mean."""

from itertools import product
from typing import Final, NamedTuple

from nhc.certify.checker import NONE, Rejected

END, NEW, BELOW, ANY = "end", "new", "below", "any"
STORES = ("stores", "stores nothing")
REST: Final = "rest"
TESTS = ("exists", "missing", "at", "not at", "is", "is not")
MOVES = ("=", "= parent", "+ 1", "- 1", "becomes", "drop")
ONE_WORD = ("exists", "missing", "+ 1", "- 1", "drop")


class Tick(NamedTuple):
    """A tick that may come."""

    signals: tuple[int, ...]
    op: int
    target: str
    then: str
    steps: tuple[tuple[str, str, str], ...]
    """(what, mark, other mark or ghost), in order."""
    marks: frozenset[str]
    ghost: str
    stores: str
    """`stores` or `stores nothing`, empty if both are right."""
    line: str


class Lines(NamedTuple):
    """An environment."""

    start: str
    ticks: dict[str, list[Tick]]
    staying: frozenset[str]
    """Marks that stay on the cell that they were put on while it was the newest, or the one read last."""
    names_parents: bool
    """Is a mark put on the cell read last, as a parent? Then only such parents are told apart."""

    def at(self, state: str) -> list[Tick]:
        """The ticks that may come in a state. Raises Rejected."""
        if state not in self.ticks:
            raise Rejected(f"invariant: the environment has no state {state!r}")
        return self.ticks[state]


def step_of(text: str) -> tuple[str, str, str]:
    """A condition or a move."""
    words = text.split()
    if text in STORES:
        return text, "", ""
    if words[0] in ("drop", "new"):
        form, mark, rest = words[0], words[-1], []
        if words[0] == "new" and words[1] == "is":
            return "new is", "", words[2]
    else:
        mark, rest = words[0], words[1:]
        other = rest.pop() if " ".join(rest) not in ONE_WORD else ""
        form = " ".join(rest)
        if form in TESTS + MOVES:
            return form, mark, other
    if form not in ("drop", "new") or rest or len(words) != 2:
        raise Rejected(f"environment: cannot read {text!r}")
    return form, mark, ""


def read_lines(lines: list[str], ops: list[str]) -> Lines:
    """The environment. Raises Rejected."""
    ticks: dict[str, list[Tick]] = {}
    start = ""
    for line in lines:
        try:
            head, _, tail = line.partition("->")
            state, shown, op, *targets = head.split()
            then, _, text = tail.partition(":")
            steps = [step_of(part.strip()) for part in text.split(",") if part.strip()]
            number = NONE if op == ANY else [name.replace(" ", "-") for name in ops].index(op)
            choices = [(0, 1) if sign == "*" else (int(sign),) for sign in shown]
        except (ValueError, IndexError) as error:
            raise Rejected(f"environment: cannot read {line!r}") from error
        start = start or state
        if number == NONE and (targets or then.strip() != END):
            raise Rejected(f"environment: any operation will do at the end only, not in {line!r}")
        for signals, following in product(product(*choices), then.strip().split("|")):
            tick = Tick(
                signals,
                number,
                targets[0] if targets else "",
                following,
                tuple(step for step in steps if not step[0].startswith("new") and step[0] not in STORES),
                frozenset(mark for form, mark, _ in steps if form == "new"),
                "".join(ghost for form, _, ghost in steps if form == "new is"),
                next((form for form, _, _ in steps if form in STORES), ""),
                line,
            )
            ticks.setdefault(state, []).append(tick)
    if not any(tick.stores for group in ticks.values() for tick in group):
        ticks = {state: [tick._replace(stores=STORES[0]) for tick in group] for state, group in ticks.items()}
    every = [tick for group in ticks.values() for tick in group]
    open_ends = {tick.then for tick in every} - {END, *ticks}
    if not every or open_ends or not all(len(tick.signals) == len(every[0].signals) for tick in every):
        raise Rejected(f"environment: no line for {', '.join(sorted(open_ends)) or 'a tick'}")
    steps_of_all = [step for tick in every for step in tick.steps]
    put = {mark for tick in every for mark in tick.marks}
    put |= {mark for form, mark, other in steps_of_all if form == "=" and other in ("newest", "read")}
    moved = {
        mark
        for form, mark, other in steps_of_all
        if form in ("= parent", "+ 1", "- 1", "drop") or (form == "=" and other not in ("newest", "read"))
    }
    names_parents = any(form == "=" and other == "read" for form, _, other in steps_of_all)
    return Lines(start, ticks, frozenset(put - moved), names_parents)

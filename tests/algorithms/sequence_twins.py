"""The data sides of the sequence algorithms once more, on Python's own lists, dictionaries and texts.

Words are those of the tape. A twin has `observe` and `act`, `written` and `done`; nothing is encoded.
"""

from collections.abc import Callable
from typing import Protocol

from nhc.algorithms.tape import BLANK, END, LARGEST, MINUS, NIL, PLUS, START, TIMES


class Twin(Protocol):
    """What is compared."""

    written: list[int]
    done: bool

    def observe(self) -> tuple[set[str], int]:
        """The names of the signals that are on, and the word to store."""
        ...

    def act(self, op: str, word: int) -> None:
        """An operation by its name."""
        ...


class Stream:
    """copy, reverse, duplicate, every-second, odds-first, hanoi; with a counter, repeat."""

    def __init__(self, symbols: tuple[int, ...], times: int = 1) -> None:
        self.left, self.times = [*symbols], times
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        signals = {"counter at 0"} if self.times == 0 else set()
        return (signals, self.left.pop(0)) if self.left else (signals | {"ended"}, BLANK)

    def act(self, op: str, word: int) -> None:
        self.written += [word] if op == "emit" else []
        self.times -= op == "dec"
        self.done = op == "stop"


class Recognizer:
    """brackets and counts."""

    def __init__(self, tokens: list[tuple[str, int]]) -> None:
        self.left, self.read, self.begun = tokens, BLANK, False
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        if not self.begun:
            self.begun = True
            return set(), START
        if not self.left:
            return {"end"}, BLANK
        kind, word = self.left.pop(0)
        return {kind} | ({"match"} if kind == "close" and word + self.read == 0 else set()), word

    def act(self, op: str, word: int) -> None:
        self.read, self.done = word, op != "nop"
        self.written += [int(op == "accept")] * self.done


class Calculator:
    """postfix."""

    def __init__(self, tokens: tuple[int | str, ...]) -> None:
        self.left: list[int | str] = ["start", *tokens]
        self.operator, self.value, self.back = "*", 0, False
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        if self.back:
            return set(), self.value
        if not self.left:
            return {"end"}, END
        token = self.left.pop(0)
        if isinstance(token, int):
            return {"number"}, token
        if token == "start":
            return set(), START
        self.operator = token
        return {"operator"}, {"+": PLUS, "-": MINUS, "*": TIMES}[token]

    def act(self, op: str, word: int) -> None:
        self.back, self.done = op in ("apply", "hold"), op == "stop"
        if op == "next":
            self.value = word
        if op == "apply":
            signs = {"+": int.__add__, "-": int.__sub__, "*": int.__mul__}
            self.value = signs[self.operator](word, self.value)
            self.done = not -LARGEST <= self.value <= LARGEST
        self.written += [self.value] if op == "stop" else []


class Walker:
    """preorder."""

    def __init__(self, tree: tuple[tuple[int, int], ...]) -> None:
        self.children, self.last = {node: pair for node, pair in enumerate(tree)}, 0
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        return ({"at nil"} if self.last == NIL else set()), self.last

    def act(self, op: str, word: int) -> None:
        left, right = self.children.get(word, (-1, -1))
        child = {"left": left, "right": right}.get(op)
        self.last = BLANK if child is None else NIL if child == -1 else child
        self.written += [word] if op == "left" else []
        self.done = op == "stop"


class Adder:
    """add."""

    def __init__(self, base: int, first: tuple[int, ...], second: tuple[int, ...]) -> None:
        self.base, self.left = base, [*first, PLUS, *second]
        self.addend = self.carry = 0
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        if not self.left:
            return {"ended"} | ({"carry"} if self.carry else set()), END
        word = self.left.pop(0)
        return ({"plus"} if word == PLUS else set()), word

    def act(self, op: str, word: int) -> None:
        if op == "load":
            self.addend = word
        elif op.startswith("add"):
            self.done = max(self.addend, word) < 0
            carry, last = divmod(sum(max(each, 0) for each in (self.addend, word)) + (op != "add"), self.base)
            self.carry = min(carry, 1)
            self.written += [] if self.done and op == "add" else [last]


class Index:
    """intersect and recall."""

    def __init__(self, stored: list[int], queries: tuple[int, ...], *, values: bool) -> None:
        self.left, self.queries, self.values = [START, *stored], [*queries], values
        self.read: int | None = None
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        if self.left:
            self.read = None
            return set(), self.left.pop(0)
        signals = {"no more"} if not self.queries else {"equal"} if self.queries[0] == self.read else set()
        self.asked = True
        return signals | {"ended"}, BLANK

    def act(self, op: str, word: int) -> None:
        self.read = word if hasattr(self, "asked") else None
        if self.values:
            self.written += {"emit": [word], "fail": [NIL]}.get(op, [])
        elif op == "emit" and self.queries and hasattr(self, "asked"):
            self.written.append(self.queries[0])
        if op in ("emit", "fail", "skip") and hasattr(self, "asked"):
            self.queries = self.queries[1:]
        self.done = op == "stop"


class Chooser:
    """sort."""

    def __init__(self, symbols: tuple[int, ...]) -> None:
        self.left, self.seen, self.less = [START, *symbols], list[int](), False
        self.written, self.done = list[int](), False

    def observe(self) -> tuple[set[str], int]:
        if self.left:
            return set(), self.left.pop(0)
        return {"ended"} | ({"less"} if self.less else set()), BLANK

    def act(self, op: str, word: int) -> None:
        self.less = op == "min" and word < min(self.seen, default=LARGEST + 1)
        self.seen = [] if op == "emit" else self.seen + [word] * (op == "min")
        self.written += [word] if op == "emit" else []
        self.done = op == "stop"


TWINS: dict[str, Callable[..., Twin]] = {
    **dict.fromkeys(("copy", "reverse", "duplicate", "every-second", "odds-first", "hanoi"), Stream),
    "repeat": lambda instance: Stream(*instance),
    "brackets": lambda tokens: Recognizer([("open" if token > 0 else "close", token) for token in tokens]),
    "counts": lambda word: Recognizer([(letter, place) for place, letter in enumerate(word, 1)]),
    "postfix": Calculator,
    "preorder": Walker,
    "add": lambda instance: Adder(*instance),
    "intersect": lambda instance: Index([*instance[0]], instance[1], values=False),
    "recall": lambda instance: Index(sum(instance[0], ()), instance[1], values=True),
    "sort": Chooser,
}

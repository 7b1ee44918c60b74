"""Reads the text form of a program back: what shows that the text says all that the program does."""

import re
from typing import NamedTuple

from nhc.algorithms.tree.algorithm import TREES
from nhc.algorithms.tree.nodes import path
from nhc.domains.protocol import OPS
from nhc.program.compiled import CONTENT
from nhc.program.interpreter import Machine
from nhc.program.listing import START, Choice, Listing, Rule, Situation, Source
from nhc.program.table import Phase
from nhc.program.text import CELL_WORDS, SECTIONS

TOKEN = re.compile(
    r"[ \t\r\n]+|#[^\n]*|(?P<name>[A-Z][A-Za-z0-9-]*)|(?P<key>[a-z]+)|(?P<comma>,)|(?P<sign>.)", re.DOTALL
)
MECHANISM_OF = {word: mechanism for mechanism, word in CELL_WORDS.items()}


class Token(NamedTuple):
    """A piece of text: a name, a key word, a comma, a sign that programs do not have, or the end."""

    kind: str
    text: str
    at: int


def parse_text(text: str) -> Listing:
    """The listing that a text says. Raises ValueError."""
    pieces = (found for found in TOKEN.finditer(text) if found.lastgroup)
    tokens = [Token(str(found.lastgroup), found.group(), found.start()) for found in pieces]
    return _Parser([*tokens, Token("end", "", len(text))]).program()


class _Parser:
    """Recursive descent over the tokens, one method a phrase."""

    def __init__(self, tokens: list[Token]) -> None:
        self.tokens, self.at = tokens, 0

    def program(self) -> Listing:
        """program := 'program' TASK 'start' actions { section }"""
        self._key("program")
        task = self._key(*TREES)
        self._key("start")
        rules = {START: self._actions("")}
        while not self._accept("end"):
            section = self._key(*SECTIONS.values())
            phase = next(phase for phase, name in SECTIONS.items() if name == section)
            while self._is("on"):
                self._rule(phase, rules)
        return Listing(task, rules)

    def _rule(self, phase: Phase, rules: dict[Situation, Rule]) -> None:
        """rule := 'on' WORD 'after' OP { ',' WORD 'after' OP } 'mark' WORD actions"""
        self._key("on")
        situations: list[Situation] = []
        while True:
            token = self._next
            situation = Situation(phase, self._name(), self._after())
            if situation in rules or situation in situations:
                raise self._wrong("one rule a situation", token)
            situations.append(situation)
            if not self._accept("comma"):
                break
        self._key("mark")
        rule = self._actions(self._name())
        rules.update(dict.fromkeys(situations, rule))

    def _actions(self, mark: str) -> Rule:
        """actions := 'add' WORD 'read' source { ',' 'else' source } 'do' choice { ',' choice }"""
        self._key("add")
        add = self._name()
        self._key("read")
        sources = [self._source()]
        while self._accept("comma"):
            self._key("else")
            sources.append(self._source())
        self._key("do")
        choices = [self._choice()]
        while self._accept("comma"):
            choices.append(self._choice())
        return Rule(mark, add, tuple(sources), tuple(choices))

    def _source(self) -> Source:
        """source := 'first' words | 'next' | 'previous' | 'child' | 'parent'"""
        key = self._key("first", *MECHANISM_OF)
        return Source(CONTENT, self._words()) if key == "first" else Source(MECHANISM_OF[key])

    def _choice(self) -> Choice:
        """choice := OP [ 'if' words ]"""
        op = OPS.index(self._key(*OPS))
        return Choice(op, self._words() if self._accept("if") else ())

    def _words(self) -> tuple[str, ...]:
        """words := WORD { 'or' WORD }"""
        words = [self._name()]
        while self._accept("or"):
            words.append(self._name())
        return tuple(words)

    def _after(self) -> int:
        self._key("after")
        return OPS.index(self._key(*OPS))

    @property
    def _next(self) -> Token:
        return self.tokens[self.at]

    def _is(self, wanted: str) -> bool:
        """Is the next token this keyword, or of this kind (comma, end)?"""
        return wanted in (self._next.text, self._next.kind)

    def _accept(self, wanted: str) -> bool:
        """Step over the next token if it is `wanted`."""
        found = self._is(wanted)
        self.at += found and self._next.kind != "end"
        return found

    def _key(self, *wanted: str) -> str:
        token = self._next
        if token.kind != "key" or token.text not in wanted:
            raise self._wrong(" or ".join(wanted), token)
        self.at += 1
        return token.text

    def _name(self) -> str:
        token = self._next
        if token.kind != "name":
            raise self._wrong("a word such as FRESH", token)
        self.at += 1
        return token.text

    def _wrong(self, expected: str, token: Token) -> ValueError:
        return ValueError(f"expected {expected}, found {token.text or 'the end'} at {token.at}")


def run_to_goal(rules: Listing, goal: int) -> list[tuple[int, int]]:
    """Address read and operation of every tick on the free tree with the goal at node `goal` >= 1.

    The run lasts as long as breadth-first search, and for Plan the way back, takes.
    """
    machine = Machine(rules)
    back = end_ticks(rules.task, goal)
    return [machine.tick(phase) for phase in [Phase.SEARCH] * goal + [Phase.BACK] * back]


def end_ticks(task: str, goal: int) -> int:
    """Ticks after the goal at a node was met: one to stop, or the way back."""
    return len(path(goal)) if TREES[task].backtracks else 1


def run_text(text: str, goal: int) -> list[tuple[int, int]]:
    """`run_to_goal` for a program's text."""
    return run_to_goal(parse_text(text), goal)

"""Brackets: is every bracket closed, by one of its type, in the right order? Of any number of types."""

from typing import TYPE_CHECKING

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.algorithms.tape import (
    BLANK,
    DONE,
    NOTHING,
    OWN,
    POSITION,
    START,
    Functions,
    Int64,
    Loaded,
    Words,
    Written,
    loaded,
)

if TYPE_CHECKING:  # This needs JAX, which a command may not need.
    from nhc.algorithms.judge import Judge

NOP, ACCEPT, REJECT = range(3)
OPEN, CLOSE, ENDED, MATCH = 1, 2, 4, 8
READ = OWN
"""The register of the word read last."""
TYPES = 1_000_000

Tokens = tuple[int, ...]
"""Type t = 1, 2, ... opens as t and closes as -t. May be empty."""


def observe_brackets(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The kind of the token that comes, and whether it closes the word read last."""
    position = registers[POSITION]
    if position == len(tape):
        return ENDED, BLANK
    registers[POSITION] = position + 1
    token = tape[position]
    if token == START:
        return 0, token
    if token > 0:
        return OPEN, token
    return (CLOSE + MATCH if -token == registers[READ] else CLOSE), token


def act_verdict(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Keep the word read; or write 1 or 0, which ends the run."""
    registers[READ] = word
    registers[DONE] = op != NOP
    return NOTHING if op == NOP else 2 - op


def random_brackets(size: int, rng: np.random.Generator, types: int) -> Tokens:
    """`size` brackets of 1, 3 or `types` types, often balanced if they can be; then perhaps one is changed.

    Consumes `rng`.
    """
    most = int(rng.choice([1, min(3, types), types]))
    up, must_close = rng.choice([0.3, 0.5, 0.7]), size % 2 == 0 and rng.random() < 0.75
    tokens, stack = list[int](), list[int]()
    for left in range(size, 0, -1):
        full = must_close and len(stack) >= left
        if not full and (not stack or rng.random() < up):
            stack.append(int(rng.integers(1, most + 1)))
            tokens.append(stack[-1])
        else:
            tokens.append(-stack.pop())
    if size and rng.random() < 0.3:
        tokens[int(rng.integers(size))] = int(rng.integers(1, most + 1) * rng.choice([-1, 1]))
    return tuple(tokens)


class Brackets(SequenceAlgorithm[Tokens]):
    """A string of brackets becomes True or False."""

    name = "brackets"
    signals = ("open", "close", "end", "match")
    ops = ("nop", "accept", "reject")
    sizes = ((4,), (0, 1, 2, 3), (5,), (6,), (7,), (8,))
    fitnesses = ("steps", "answer")
    functions = Functions(observe_brackets, act_verdict)
    control = "a stack: push, pop, what is on top; and whether it is empty"
    alu = "says whether a bracket closes the word read last"

    def judge(self, fitness: str) -> "Judge":
        """`answer` judges the verdict."""
        from nhc.algorithms.sequence.answers import Verdict

        return super().judge(fitness) if fitness == "steps" else Verdict(self.signals.index("match"), NOP)

    def random(self, size: int, rng: np.random.Generator) -> Tokens:
        """Random brackets of up to `TYPES` types."""
        return random_brackets(size, rng, TYPES)

    def listed(self, size: int) -> list[Tokens]:
        """All beginnings of balanced strings with `size` tokens, and where the last token closes nothing."""
        found: list[tuple[Tokens, Tokens]] = [((), ())]
        for token in range(1, size + 1):
            shorter = [text for text, _ in found]
            opened = [((*text, token), (*stack, token)) for text, stack in found]
            found = opened + [((*text, -stack[-1]), stack[:-1]) for text, stack in found if stack]
        wrong = [(*text, -size - 1) for text in shorter] if size else []
        return [text for text, _ in found] + wrong

    def load(self, instance: Tokens) -> Loaded:
        """`START` and the tokens; nothing was read."""
        return loaded([START, *instance], BLANK)

    def answer(self, written: Written) -> bool:
        """Was the string accepted?"""
        return written == (1,)

    def teacher(self, instance: Tokens) -> list[Lesson]:
        """Read the top of the stack as it is after each token; `START` is at its bottom."""
        stack, lessons = [START], [Lesson(NOP, START)]
        for token in instance:
            if token > 0:
                stack.append(token)
            elif stack[-1] == -token:
                stack.pop()
            else:
                return [*lessons, Lesson(REJECT, FREE)]
            lessons.append(Lesson(NOP, stack[-1]))
        return [*lessons, Lesson(ACCEPT if len(stack) == 1 else REJECT, FREE)]

    def spec(self, instance: Tokens) -> bool:
        """Each bracket closes the newest one that was opened at its depth."""
        depth, opened = 0, dict[int, int]()
        for token in instance:
            if token > 0:
                depth += 1
                opened[depth] = token
            elif opened.get(depth, 0) != -token:
                return False
            else:
                depth -= 1
        return depth == 0

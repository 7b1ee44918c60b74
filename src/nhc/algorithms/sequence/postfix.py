"""Postfix: the value of an expression of numbers, each operator after its two operands."""

import numpy as np

from nhc.algorithms.protocol import FREE, Lesson
from nhc.algorithms.sequence.algorithm import LARGE_STEPS, SequenceAlgorithm
from nhc.algorithms.tape import (
    DONE,
    END,
    LARGEST,
    MINUS,
    NOTHING,
    OVERFLOW,
    OWN,
    PLUS,
    POSITION,
    START,
    TIMES,
    Functions,
    Int64,
    Loaded,
    Words,
    Written,
    loaded,
)

NEXT, APPLY, HOLD, STOP = range(4)
NUMBER, OPERATOR, ENDED = 1, 2, 4
VALUE, LATCH, FED_BACK = OWN, OWN + 1, OWN + 2
"""The ALU's last word, the operator that waits, and whether that word is stored instead of a token."""
CODES = {"+": PLUS, "-": MINUS, "*": TIMES}
SMALL = 1_000_000_000

Token = int | str
Expression = tuple[Token, ...]
"""Whole numbers and "+", "-", "*"; a number alone is one too."""


def observe_postfix(tape: Words, registers: Words) -> tuple[Int64, Int64]:
    """The kind of the next token; none while the ALU's word is fed back."""
    if registers[FED_BACK]:
        return 0, registers[VALUE]
    position = registers[POSITION]
    if position == len(tape):
        return ENDED, END
    registers[POSITION] = position + 1
    token = tape[position]
    if token == START:
        return 0, token
    if token in (PLUS, MINUS, TIMES):
        registers[LATCH] = token
        return OPERATOR, token
    return NUMBER, token


def act_postfix(op: int, word: int, tape: Words, registers: Words) -> Int64:
    """Take the word and the next token; or apply the operator to the word and the last one; or hold that."""
    value = registers[VALUE]
    registers[FED_BACK] = op in (APPLY, HOLD)
    registers[DONE] = op == STOP
    if op == NEXT:
        registers[VALUE] = word
    elif op == APPLY:
        large = False
        if registers[LATCH] == PLUS:
            value = word + value
        elif registers[LATCH] == MINUS:
            value = word - value
        else:
            large = word != 0 and abs(value) > LARGEST // abs(word)
            value = 0 if large else word * value
        if large or abs(value) > LARGEST:
            registers[OVERFLOW] = 1
            registers[DONE] = 1
        registers[VALUE] = value
    return value if op == STOP else NOTHING


def applied(operator: Token, left: int, right: int) -> int:
    """The value of an operator."""
    return {"+": left + right, "-": left - right, "*": left * right}[str(operator)]


class Postfix(SequenceAlgorithm[Expression]):
    """3 4 + 2 * becomes 14. A number beyond `LARGEST` ends the run without a result."""

    name = "postfix"
    signals = ("number", "operator", "end")
    ops = ("next", "apply", "hold", "stop")
    sizes = ((2,), (0, 1), (3,), (4,), (5,))
    defaults = LARGE_STEPS
    functions = Functions(observe_postfix, act_postfix)
    control = "a stack: pop two words in three ticks, and push the result onto the word below both"
    alu = "keeps the operator that came; computes with the word read and the one before"

    def random(self, size: int, rng: np.random.Generator) -> Expression:
        """`size` operators; products are asked for where they stay small."""
        tokens, values, left = list[Token](), list[int](), size
        share = rng.choice([0.3, 0.5, 0.8])
        while left or len(values) != 1:
            may_push = len(values) <= left
            if len(values) < 2 or (may_push and rng.random() < share):
                values.append(int(rng.integers(-99, 100)))
                tokens.append(values[-1])
                continue
            right, other = values.pop(), values.pop()
            kinds = "+-*" if abs(other * right) <= SMALL else "+-"
            tokens.append(kinds[int(rng.integers(len(kinds)))])
            values.append(applied(tokens[-1], other, right))
            left -= 1
        return tuple(tokens)

    def listed(self, size: int) -> list[Expression]:
        """All shapes, with sums of powers of two: no two words are equal."""
        return [tuple(_numbered(shape)) for shape in _shapes(size)]

    def load(self, instance: Expression) -> Loaded:
        """`START` and the tokens; no operator waits."""
        tokens = [CODES[token] if isinstance(token, str) else token for token in instance]
        return loaded([START, *tokens], 0, 0, 0)

    def answer(self, written: Written) -> int:
        """The one word written."""
        return written[0]

    def teacher(self, instance: Expression) -> list[Lesson]:
        """A number is read as it comes. For an operator: the second word, the one below, then the result."""
        words, lessons = [START], [Lesson(NEXT, START)]
        for token in instance:
            if isinstance(token, str):
                right, left = words.pop(), words.pop()
                lessons += [Lesson(APPLY, left), Lesson(HOLD, words[-1])]
                words.append(applied(token, left, right))
            else:
                words.append(token)
            lessons.append(Lesson(NEXT, words[-1]))
        return [*lessons, Lesson(STOP, FREE)]

    def spec(self, instance: Expression) -> int | None:
        """The first operator and its operands become their value, until one number is left.

        The value takes the operator's place. A chain of links leads from each token to the one before it, and
        skips the operands from then on.
        """
        tokens, before = list(instance), list(range(-1, len(instance) - 1))
        for place, token in enumerate(instance):
            if isinstance(token, str):
                right = before[place]
                left = before[right]
                value = applied(token, int(tokens[left]), int(tokens[right]))
                if abs(value) > LARGEST:
                    return None
                tokens[place], before[place] = value, before[left]
        return int(tokens[-1])


def _shapes(operators: int) -> list[str]:
    """All postfix expressions of so many operators, as "n" and "+"."""
    if not operators:
        return ["n"]
    splits = [(_shapes(left), _shapes(operators - 1 - left)) for left in range(operators)]
    return [first + second + "+" for firsts, seconds in splits for first in firsts for second in seconds]


def _numbered(shape: str) -> list[Token]:
    return [1 << shape[:place].count("n") if kind == "n" else kind for place, kind in enumerate(shape)]

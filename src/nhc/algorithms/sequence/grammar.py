"""Notations with a grammar, and the table that names the notation of each sequence algorithm."""

from typing import TypeAlias, cast

from nhc.algorithms.sequence.add import Numbers
from nhc.algorithms.sequence.brackets import Tokens
from nhc.algorithms.sequence.counts import LETTERS
from nhc.algorithms.sequence.notation import (
    Asked,
    LookupNotation,
    Notation,
    OrderedNotation,
    RecallNotation,
    RepeatNotation,
    SymbolsNotation,
    Text,
    Token,
    fault,
    some,
    whole,
)
from nhc.algorithms.sequence.postfix import CODES, Expression
from nhc.algorithms.sequence.preorder import NONE, Tree
from nhc.algorithms.sequence.stream import Symbols
from nhc.algorithms.tape import LARGEST
from nhc.errors import Place

PAIRS = "()[]{}<>«»‹›⟨⟩⟦⟧⟪⟫「」『』【】〈〉《》"
"""Bracket type t = 1, 2, ... is the t-th pair."""
MOST_DISKS = 60
OPERATORS = " ".join(CODES)


class BracketsNotation(Notation[Tokens]):
    """Brackets; blanks do not matter."""

    usage = f"BRACKETS, of {PAIRS}"
    example = "([]{})"

    def read(self, text: Text) -> Asked[Tokens]:
        """Each sign must be a bracket. Raises InputError (`input.sign`)."""
        tokens = tuple(self._token(sign) for sign in text.signs())
        return Asked(tokens, {self._code(sign): sign for sign in PAIRS})

    def _token(self, sign: Token) -> int:
        if sign.text not in PAIRS:
            raise fault("input.sign", f"a bracket, one of {PAIRS}", repr(sign.text), sign.place)
        return self._code(sign.text)

    def _code(self, sign: str) -> int:
        kind, closes = divmod(PAIRS.index(sign), 2)
        return -(kind + 1) if closes else kind + 1

    def write(self, instance: Tokens) -> str:
        """Raises ValueError for more types than there are pairs of signs."""
        if any(abs(token) > len(PAIRS) // 2 for token in instance):
            raise ValueError(f"there are {len(PAIRS) // 2} pairs of brackets")
        return "".join(PAIRS[2 * (abs(token) - 1) + (token < 0)] for token in instance)


class LettersNotation(Notation[str]):
    """A word of the letters a, b and c; blanks do not matter."""

    usage = "WORD, of a, b and c"
    example = "aabbcc"

    def read(self, text: Text) -> Asked[str]:
        """Raises InputError (`input.sign`) for other letters. Words that memory stores are places."""
        signs = text.signs()
        for sign in signs:
            if sign.text not in LETTERS:
                raise fault("input.sign", "a, b or c", repr(sign.text), sign.place)
        word = "".join(sign.text for sign in signs)
        return Asked(word, {place: f"{place}:{letter}" for place, letter in enumerate(word, start=1)})

    def write(self, instance: str) -> str:
        """As it is."""
        return instance


class PostfixNotation(Notation[Expression]):
    """Whole numbers and operators, with blanks between."""

    usage = f"'NUMBER NUMBER OPERATOR ...', of {OPERATORS}"
    example = "3 4 + 2 *"

    def read(self, text: Text) -> Asked[Expression]:
        """Raises InputError: `input.operands` for an operator without two operands, or a value too many."""
        height, tokens = 0, list[int | str]()
        for word in some(text.words(), text, "an expression"):
            if word.text in CODES:
                if height < 2:
                    raise fault("input.operands", f"two values before {word.text}", f"{height}", word.place)
                height -= 1
                tokens.append(word.text)
            else:
                height += 1
                tokens.append(self._number(word))
        if height != 1:
            raise fault("input.operands", "one value at the end", f"{height}", text.end)
        return Asked(tuple(tokens))

    def _number(self, word: Token) -> int:
        if not word.text.lstrip("+-").isdecimal():
            raise fault("input.sign", f"a whole number or one of {OPERATORS}", repr(word.text), word.place)
        return whole(word, -LARGEST, LARGEST)

    def write(self, instance: Expression) -> str:
        """With blanks between."""
        return " ".join(map(str, instance))


class SumNotation(Notation[Numbers]):
    """Two decimal numbers, of any length."""

    usage = "NUMBER NUMBER"
    example = "999 1"

    def read(self, text: Text) -> Asked[Numbers]:
        """Raises InputError: `input.count` unless there are two, `input.number` where one has other signs."""
        numbers = text.words()
        if len(numbers) != 2:
            raise fault("input.count", "two numbers", f"{len(numbers)}", text.end)
        for number in numbers:
            if not (number.text.isascii() and number.text.isdecimal()):
                raise fault("input.number", "a number of digits only", repr(number.text[:40]), number.place)
        first, second = (tuple(map(int, reversed(number.text))) for number in numbers)
        return Asked((10, first, second))

    def write(self, instance: Numbers) -> str:
        """Raises ValueError for another base than 10."""
        base, *numbers = instance
        if base != 10:
            raise ValueError(f"expected base 10, found {base}")
        return " ".join("".join(map(str, reversed(digits))) for digits in numbers)

    def show(self, answer: object, asked: Asked[Numbers]) -> str:
        """The number, without zeros before it."""
        del asked
        digits = reversed(answer) if isinstance(answer, tuple) else ()
        return "".join(map(str, digits)).lstrip("0") or "0"


class DisksNotation(Notation[Symbols]):
    """The height of a tower; disk 1 is the smallest."""

    usage = "DISKS"
    example = "3"

    def read(self, text: Text) -> Asked[Symbols]:
        """Raises InputError (`input.count`, `input.number`)."""
        words = text.words()
        if len(words) != 1:
            raise fault("input.count", "one number of disks", f"{len(words)}", text.end)
        return Asked(tuple(range(1, whole(words[0], 1, MOST_DISKS) + 1)))

    def write(self, instance: Symbols) -> str:
        """The height."""
        return str(len(instance))


class TreeNotation(Notation[Tree]):
    """`a(b(d,),c)`: a node's name, and in brackets what is to its left and to its right, perhaps nothing."""

    usage = "'NAME(LEFT,RIGHT)'"
    example = "a(b(d,),c)"

    def read(self, text: Text) -> Asked[Tree]:
        """Nodes are numbered as they come. Raises InputError (`input.tree`)."""
        return _TreeReader(text).read()

    def write(self, instance: Tree) -> str:
        """Nodes are called by their numbers."""
        parts, waiting = list[str](), list[int | str]([0])
        while waiting:
            node = waiting.pop()
            if isinstance(node, str):
                parts.append(node)
            elif node != NONE:
                parts.append(str(node))
                left, right = instance[node]
                if (left, right) != (NONE, NONE):
                    waiting += [")", right, ",", left, "("]
        return "".join(parts)


class _TreeReader:
    """Reads a tree sign by sign, without recursion: trees may be deep."""

    def __init__(self, text: Text) -> None:
        self._tokens, self._end = text.found(r"[^\s(),]+|[(),]"), text.end
        self._children: list[list[int]] = []
        self._names: dict[int, str] = {}

    def read(self) -> Asked[Tree]:
        """The tree."""
        inside = list[tuple[int, int]]()
        """Open nodes, and the side that is read."""
        newest, closed = NONE, False
        for text, place in self._tokens:
            if text == "(" and newest != NONE:
                inside.append((newest, 0))
                newest = NONE
            elif text == "," and inside and inside[-1][1] == 0:
                inside.append((inside.pop()[0], 1))
                newest, closed = NONE, False
            elif text == ")" and inside and inside[-1][1] == 1:
                inside.pop()
                newest, closed = NONE, True
            elif text not in "()," and newest == NONE and not closed and (inside or not self._children):
                newest = self._node(text, inside)
            else:
                raise self._fault(text, place, inside)
        if inside or not self._children:
            raise self._fault("the end", self._end, inside)
        return Asked(tuple((left, right) for left, right in self._children), self._names)

    def _node(self, name: str, inside: list[tuple[int, int]]) -> int:
        node = len(self._children)
        self._children.append([NONE, NONE])
        self._names[node] = name
        if inside:
            parent, side = inside[-1]
            self._children[parent][side] = node
        return node

    def _fault(self, found: str, place: Place, inside: list[tuple[int, int]]) -> Exception:
        expected = "a tree such as a(b(d,),c)"
        if inside:
            expected = (
                f"{'a comma' if inside[-1][1] == 0 else 'a bracket that closes'} or a node of {expected}"
            )
        return fault("input.tree", expected, repr(found) if found != "the end" else found, place)


AnyNotation: TypeAlias = Notation[object]
"""A notation whose instances are only passed on."""

_SYMBOLS = SymbolsNotation()
NOTATIONS: dict[str, AnyNotation] = {
    name: cast(AnyNotation, notation)
    for name, notation in {
        **dict.fromkeys(("copy", "reverse", "duplicate", "every-second", "odds-first"), _SYMBOLS),
        "repeat": RepeatNotation(),
        "brackets": BracketsNotation(),
        "postfix": PostfixNotation(),
        "preorder": TreeNotation(),
        "add": SumNotation(),
        "hanoi": DisksNotation(),
        "intersect": LookupNotation(),
        "recall": RecallNotation(),
        "sort": OrderedNotation(),
        "counts": LettersNotation(),
    }.items()
}
"""By the name of the algorithm."""

"""How a person writes an instance and reads an answer: what all notations share, and those of symbols.

A symbol is any word without blanks, or any sign. Control never sees data, so symbols become numbers in the
order in which they first come; their names come back in the answer.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Generic, NamedTuple, TypeAlias

from nhc.algorithms.protocol import InstanceT
from nhc.algorithms.sequence.intersect import Lookup
from nhc.algorithms.sequence.recall import Question as Recalled
from nhc.algorithms.sequence.repeat import Repetition
from nhc.algorithms.sequence.stream import Symbols
from nhc.algorithms.tape import BLANK, END, LARGEST, MINUS, NIL, PLUS, START, TIMES
from nhc.errors import InputError, Place

MARKS = {BLANK: "blank", START: "start", END: "end", NIL: "nil", PLUS: "+", MINUS: "-", TIMES: "*"}
"""Names of words that are no symbols."""
SLASH, EQUALS = "/", "="
MISSING = "-"
"""Stands for the value of a key that is missing."""
WHOLE = re.compile(r"[+-]?\d+")


class Token(NamedTuple):
    """A word or a sign of a text, and where it stands."""

    text: str
    place: Place


@dataclass(frozen=True)
class Text:
    """What a person wrote: arguments of a command as one line, or a file."""

    lines: tuple[str, ...]
    file: str | None = None
    one: bool = False
    """Was it one argument?"""

    @property
    def glue(self) -> str:
        """Between the symbols of an answer: a file has one a line."""
        return " " if self.file is None else "\n"

    def words(self) -> list[Token]:
        """Words between blanks."""
        return self.found(r"\S+")

    def signs(self) -> list[Token]:
        """Each sign that is no blank."""
        return self.found(r"\S")

    def found(self, pattern: str) -> list[Token]:
        """What fits a pattern, in order."""
        return [
            Token(match[0], self.at(number, match.start()))
            for number, line in enumerate(self.lines)
            for match in re.finditer(pattern, line)
        ]

    def at(self, line: int, column: int) -> Place:
        """A place; both count from 0 here. Arguments have no lines."""
        return Place(self.file, None if self.file is None else line + 1, column + 1)

    @property
    def end(self) -> Place:
        """Behind the last sign."""
        return self.at(max(len(self.lines) - 1, 0), len(self.lines[-1]) if self.lines else 0)


def argument_text(arguments: Sequence[str]) -> Text:
    """The arguments of a command as a text of one line."""
    return Text((" ".join(arguments),), one=len(arguments) == 1)


@dataclass(frozen=True)
class Asked(Generic[InstanceT]):
    """An instance that a person wrote, and how its words are called."""

    instance: InstanceT
    names: Mapping[int, str] = field(default_factory=dict)
    glue: str = " "
    """Between the symbols of an answer."""

    def name(self, word: object) -> str:
        """A word as a person reads it."""
        if not isinstance(word, int):
            return MISSING if word is None else str(word)
        return self.names.get(word) or MARKS.get(word) or str(word)


AnyAsked: TypeAlias = Asked[object]
"""An instance that is only passed on."""


class Notation(ABC, Generic[InstanceT]):
    """One way to write instances."""

    usage: str
    """What comes after the name of a model."""
    example: str

    @abstractmethod
    def read(self, text: Text) -> Asked[InstanceT]:
        """The instance of a text. Raises InputError (`input.*`) with its place where it is none."""

    @abstractmethod
    def write(self, instance: InstanceT) -> str:
        """An instance as one line, which `read` takes. Raises ValueError if there is none."""

    def line(self, instance: InstanceT) -> str:
        """An instance to look at: as it is written, else as Python shows it."""
        try:
            return self.write(instance)
        except ValueError:
            return repr(instance)

    def show(self, answer: object, asked: Asked[InstanceT]) -> str:
        """An answer as one line."""
        if isinstance(answer, bool):
            return "yes" if answer else "no"
        if isinstance(answer, tuple):
            return asked.glue.join(map(asked.name, answer))
        return asked.name(answer)


def file_text(path: Path) -> Text:
    """A file in UTF-8. Raises InputError (`input.file`)."""
    try:
        return Text(tuple(path.read_text(encoding="utf-8").splitlines()), str(path))
    except OSError as error:
        raise InputError("input.file", f"cannot be read: {error.strerror}", Place(str(path))) from error
    except UnicodeDecodeError as error:
        raise InputError("input.file", "expected text in UTF-8", Place(str(path))) from error


def fault(code: str, expected: str, found: str, place: Place) -> InputError:
    """The error for a text that is not in a notation."""
    return InputError(code, f"expected {expected}, found {found}", place)


def whole(token: Token, least: int, most: int) -> int:
    """The whole number of a token. Raises InputError (`input.number`) outside of its range."""
    # A number of many thousand digits would take Python long to read.
    small = WHOLE.fullmatch(token.text) is not None and len(token.text) <= 40
    if not small or not least <= int(token.text) <= most:
        raise fault(
            "input.number", f"a whole number from {least:,} to {most:,}", repr(token.text[:40]), token.place
        )
    return int(token.text)


def numbered(symbols: Iterable[str]) -> dict[str, int]:
    """Each symbol's number, 1, 2, ... in the order in which they first come."""
    return {symbol: number for number, symbol in enumerate(dict.fromkeys(symbols), start=1)}


def names_of(numbers: Mapping[str, int]) -> dict[int, str]:
    """The symbols by their numbers."""
    return {number: symbol for symbol, number in numbers.items()}


def some(tokens: list[Token], text: Text, what: str = "at least one symbol") -> list[Token]:
    """The tokens. Raises InputError (`input.empty`) if there are none."""
    if not tokens:
        raise fault("input.empty", what, "none", text.end)
    return tokens


def symbols_of(text: Text) -> tuple[list[str], str]:
    """The signs of one argument, blanks too, or the words of several; and what glues them in an answer."""
    one = text.one and text.lines[0] != ""
    found = text.found(r".") if one else text.words()
    return [token.text for token in some(found, text)], "" if one else text.glue


class SymbolsNotation(Notation[Symbols]):
    """Symbols in a row."""

    usage = "TEXT, or SYMBOL SYMBOL ..."
    example = "hello"

    def read(self, text: Text) -> Asked[Symbols]:
        """Numbers in the order of coming."""
        symbols, glue = symbols_of(text)
        numbers = numbered(symbols)
        return Asked(tuple(map(numbers.__getitem__, symbols)), names_of(numbers), glue)

    def write(self, instance: Symbols) -> str:
        """The numbers."""
        return " ".join(map(str, instance))


class OrderedNotation(SymbolsNotation):
    """Symbols that have an order: numbers, or else words as Python orders text."""

    usage = "NUMBER NUMBER ..., or TEXT, or WORD WORD ..."
    example = "5 3 9 1"

    def read(self, text: Text) -> Asked[Symbols]:
        """Numbers as they are, words by their places among all words in order."""
        words = text.words()
        if words and all(WHOLE.fullmatch(word.text) for word in words):
            return Asked(tuple(whole(word, -LARGEST, LARGEST) for word in words), {}, text.glue)
        symbols, glue = symbols_of(text)
        numbers = numbered(sorted({*symbols}))
        return Asked(tuple(map(numbers.__getitem__, symbols)), names_of(numbers), glue)


class RepeatNotation(Notation[Repetition]):
    """How often, then symbols."""

    usage = "TIMES SYMBOL SYMBOL ..., or TIMES TEXT"
    example = "3 hello"

    def read(self, text: Text) -> Asked[Repetition]:
        """One word after the number is taken sign by sign."""
        count, *words = some(text.words(), text, "how often, then symbols")
        times = whole(count, 0, LARGEST)
        signs = len(words) == 1 and text.file is None
        symbols = list(words[0].text) if signs else [word.text for word in words]
        if not symbols:
            raise fault("input.empty", "at least one symbol after the number", "none", text.end)
        numbers = numbered(symbols)
        glue = "" if signs else text.glue
        return Asked((tuple(map(numbers.__getitem__, symbols)), times), names_of(numbers), glue)

    def write(self, instance: Repetition) -> str:
        """The number, then the symbols."""
        symbols, times = instance
        return " ".join(map(str, (times, *symbols)))


def two_lists(text: Text) -> tuple[list[Token], list[Token]]:
    """The words before and after the one slash. Raises InputError (`input.slash`, `input.empty`)."""
    words = text.words()
    slashes = [number for number, word in enumerate(words) if word.text == SLASH]
    if len(slashes) != 1:
        place = words[slashes[1]].place if slashes else text.end
        raise fault("input.slash", f"one {SLASH} between two lists", f"{len(slashes)}", place)
    return some(words[: slashes[0]], text, "words before the slash"), words[slashes[0] + 1 :]


class LookupNotation(Notation[Lookup]):
    """A list and queries."""

    usage = "SYMBOL ... / QUERY ..."
    example = "3 1 4 / 1 5"

    def read(self, text: Text) -> Asked[Lookup]:
        """Equal words are equal symbols."""
        stored, queries = two_lists(text)
        numbers = numbered(word.text for word in (*stored, *queries))
        first, second = (tuple(numbers[word.text] for word in words) for words in (stored, queries))
        return Asked((first, second), names_of(numbers), text.glue)

    def write(self, instance: Lookup) -> str:
        """Numbers, and the slash."""
        stored, queries = instance
        return " ".join(map(str, (*stored, SLASH, *queries)))


class RecallNotation(Notation[Recalled]):
    """Keys with values, then keys."""

    usage = "KEY=VALUE ... / KEY ..."
    example = "ann=7 bob=9 / bob eve"

    def read(self, text: Text) -> Asked[Recalled]:
        """Keys and values are symbols alike. Of equal keys the first counts."""
        pairs, queries = two_lists(text)
        for pair in pairs:
            if not re.fullmatch(r"[^=]+=[^=]+", pair.text):
                raise fault("input.pair", "KEY=VALUE", repr(pair.text), pair.place)
        stored = [tuple(pair.text.split(EQUALS)) for pair in pairs]
        numbers = numbered([*(word for pair in stored for word in pair), *(word.text for word in queries)])
        return Asked(
            (
                tuple((numbers[key], numbers[value]) for key, value in stored),
                tuple(numbers[word.text] for word in queries),
            ),
            names_of(numbers),
            text.glue,
        )

    def write(self, instance: Recalled) -> str:
        """Numbers, equals signs and the slash."""
        pairs, queries = instance
        stored = [f"{key}{EQUALS}{value}" for key, value in pairs]
        return " ".join([*stored, SLASH, *map(str, queries)])

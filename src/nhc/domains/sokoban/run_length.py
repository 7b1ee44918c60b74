"""Run lengths: `4#` is four walls, `2(#-)` a group twice, groups nest; for boards and for moves.

The scheme of the SOK text format. Digits are never cells or moves, so no mark is needed to detect it.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.errors import InputError, Place

LIMIT = 1_000_000
"""Most signs that a text may expand to; a few characters could ask for more than fits any memory."""

DIGITS = "0123456789"


class Sign(NamedTuple):
    """One character and where it stands; `line` and `column` count from 1."""

    text: str
    line: int
    column: int


def expand(signs: Iterable[Sign], code: str, file: str | None = None, level: int | None = None) -> list[Sign]:
    """The signs without counts and brackets; each copy keeps the place of its original.

    Raises InputError (the given `code`) for a count without a sign, a count of zero, brackets that do not
    match, and texts that expand to more than a million signs.
    """
    reader = _Reader(code, Place(file, level=level))
    for sign in signs:
        if sign.text in DIGITS:
            reader.digits.append(sign)
        elif sign.text == "(":
            reader.open(sign)
        elif sign.text == ")":
            reader.close(sign)
        else:
            reader.repeat([sign], reader.take_count(), sign)
    return reader.finish()


class _Group(NamedTuple):
    """A bracket that is open: what stood before it, how often it comes, and the bracket itself."""

    before: list[Sign]
    times: int
    bracket: Sign


@dataclass
class _Reader:
    """Where the expansion stands: signs of the innermost group, the groups around it, pending digits."""

    code: str
    place: Place
    signs: list[Sign] = field(default_factory=list)
    groups: list[_Group] = field(default_factory=list)
    digits: list[Sign] = field(default_factory=list)

    def take_count(self) -> int:
        """The number before a sign or bracket, 1 without one."""
        number = "".join(digit.text for digit in self.digits) or "1"
        if len(number) > len(str(LIMIT)) or not 1 <= int(number) <= LIMIT:
            raise self._error(
                f"a run length is a number from 1 to {LIMIT}, found {number[:20]}", self.digits[0]
            )
        self.digits.clear()
        return int(number)

    def repeat(self, group: list[Sign], times: int, at: Sign) -> None:
        """Append a group several times."""
        if len(self.signs) + len(group) * times > LIMIT:
            raise self._error(f"run lengths expand to more than {LIMIT} signs", at)
        self.signs.extend(group * times)

    def open(self, bracket: Sign) -> None:
        """Begin a group."""
        self.groups.append(_Group(self.signs, self.take_count(), bracket))
        self.signs = []

    def close(self, bracket: Sign) -> None:
        """End a group and repeat it."""
        self._expect_no_digits("`)`")
        if not self.groups:
            raise self._error("this `)` has no `(`", bracket)
        inner, outer = self.signs, self.groups.pop()
        self.signs = outer.before
        self.repeat(inner, outer.times, bracket)

    def finish(self) -> list[Sign]:
        """All signs, if nothing is left open."""
        self._expect_no_digits("the end")
        if self.groups:
            raise self._error("this `(` has no `)`", self.groups[-1].bracket)
        return self.signs

    def _expect_no_digits(self, found: str) -> None:
        if self.digits:
            raise self._error(f"expected a sign after this number, found {found}", self.digits[0])

    def _error(self, message: str, at: Sign) -> InputError:
        return InputError(self.code, message, Place(self.place.file, at.line, at.column, self.place.level))

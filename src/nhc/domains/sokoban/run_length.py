"""Run lengths: `4#` is four walls, `2(#-)` a group twice, groups nest; for boards and for moves.

The scheme of the SOK text format. Digits are never cells or moves, so no mark is needed to detect it.
"""

from collections.abc import Iterable
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


class _Group(NamedTuple):
    """A bracket that is open: what stood before it, its count, and the bracket itself."""

    before: list[Sign]
    count: int
    bracket: Sign


def expand(signs: Iterable[Sign], code: str, file: str | None = None, level: int | None = None) -> list[Sign]:
    """The signs without counts and brackets; each copy keeps the place of its original.

    Raises InputError (the given `code`) for a count without a sign, a count of zero, brackets that do not
    match, and texts that expand to more than a million signs.
    """
    result: list[Sign] = []
    open_groups: list[_Group] = []
    digits: list[Sign] = []

    def fail(message: str, at: Sign) -> InputError:
        return InputError(code, message, Place(file, at.line, at.column, level))

    def count() -> int:
        number = "".join(digit.text for digit in digits) or "1"
        if len(number) > len(str(LIMIT)) or not 1 <= int(number) <= LIMIT:
            raise fail(f"a run length is a number from 1 to {LIMIT}, found {number[:20]}", digits[0])
        digits.clear()
        return int(number)

    def repeat(group: list[Sign], times: int, at: Sign) -> None:
        if len(result) + len(group) * times > LIMIT:
            raise fail(f"run lengths expand to more than {LIMIT} signs", at)
        result.extend(group * times)

    for sign in signs:
        if sign.text in DIGITS:
            digits.append(sign)
        elif sign.text == "(":
            open_groups.append(_Group(result, count(), sign))
            result = []
        elif sign.text == ")":
            if digits:
                raise fail("expected a sign after this number, found `)`", digits[0])
            if not open_groups:
                raise fail("this `)` has no `(`", sign)
            group, (result, times, _) = result, open_groups.pop()
            repeat(group, times, sign)
        else:
            repeat([sign], count(), sign)
    if digits:
        raise fail("expected a sign after this number, found the end", digits[0])
    if open_groups:
        raise fail("this `(` has no `)`", open_groups[-1].bracket)
    return result

"""Numbers on the command line: lists such as `0..14`, `3` and `0,4,7..9`, and counts with their nouns."""

import re

from nhc.errors import ConfigError

MOST = 100_000
"""Numbers of one list: more are a slip of the key."""
PART = re.compile(r"(\d{1,10})(?:\.\.(\d{1,10}))?")


def parse_numbers(text: str, what: str = "seeds") -> list[int]:
    """The numbers in their order. Raises ConfigError (`cli.numbers`) for anything else, an empty range, or
    more than `MOST` of them."""
    numbers: list[int] = []
    for part in text.split(","):
        match = PART.fullmatch(part.strip())
        last = None if match is None else int(match[2] or match[1])
        if match is None or last is None or last < int(match[1]):
            raise ConfigError("cli.numbers", f"{what}: expected a form like 0..14 or 1,5,7, found {text!r}")
        if len(numbers) + last - int(match[1]) >= MOST:
            raise ConfigError("cli.numbers", f"{what}: expected at most {MOST:,} numbers, found {text!r}")
        numbers.extend(range(int(match[1]), last + 1))
    return numbers

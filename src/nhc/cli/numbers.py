"""Numbers on the command line: lists such as `0..14`, `3` and `0,4,7..9`, and counts with their nouns."""

import re

from nhc.errors import ConfigError

SEEDS = 2**32
PART = re.compile(r"(\d+)(?:\.\.(\d+))?")


def parse_numbers(text: str, what: str = "seeds") -> list[int]:
    """The numbers in their order. Raises ConfigError (`cli.numbers`) for anything else or an empty range."""
    numbers: list[int] = []
    for part in text.split(","):
        match = PART.fullmatch(part.strip())
        last = None if match is None else int(match[2] or match[1])
        if match is None or last is None or last < int(match[1]):
            raise ConfigError("cli.numbers", f"{what}: expected a form like 0..14 or 1,5,7, found {text!r}")
        numbers.extend(range(int(match[1]), last + 1))
    return numbers


def require_seed(seed: int) -> None:
    """Raises ConfigError (`config.value`) unless the seed can be one."""
    if not 0 <= seed < SEEDS:
        raise ConfigError("config.value", f"seed: expected 0..{SEEDS - 1}, found {seed}")


def counted(number: int, what: str) -> str:
    """A number with its noun: `1 move`, `1,200 moves`."""
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"

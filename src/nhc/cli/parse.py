"""Parsing of a command's options, the same way for all, and what all say to a person."""

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Mapping
from typing import ParamSpec, TypeVar

import tyro

from nhc.errors import ConfigError
from nhc.runs.environment import host_threads

OptionsT = TypeVar("OptionsT")
News = ParamSpec("News")
Command = Callable[[list[str]], int]
"""From arguments to an exit code."""

NARROWEST = 40
"""Columns; in fewer, laying out the help does not end."""
LONGEST = 100_000
"""Numbers of one list: more are a slip of the key."""
PART = re.compile(r"(\d{1,10})(?:\.\.(\d{1,10}))?")


def parse(kind: type[OptionsT], arguments: list[str], *, name: str, pairs: bool = False) -> OptionsT:
    """The options in `arguments`; the docstring of `kind` is the help, with examples at its end.

    Help prints and exits with 0; a fault is ConfigError (`cli.options`). A flag is `--flag` or, if on by
    default, `--no-flag`; with `pairs` each can be written both ways.
    """
    text, _, examples = (kind.__doc__ or "").partition("Examples:\n")
    if shutil.get_terminal_size().columns < NARROWEST:
        os.environ["COLUMNS"] = str(NARROWEST)
    try:
        return tyro.cli(
            kind,
            prog=f"nhc {name}",
            description=with_examples(text, examples),
            args=arguments,
            config=() if pairs else (tyro.conf.FlagCreatePairsOff,),
        )
    except ConfigError as error:
        raise ConfigError("cli.options", f"nhc {' '.join([name, *arguments])}: {error.message}") from error
    except SystemExit as ending:
        if ending.code:
            raise ConfigError("cli.options", f"the options of nhc {name} are not as expected") from ending
        raise


def run_part(
    command: str, parts: Mapping[str, tuple[Command, str]], examples: str, arguments: list[str]
) -> int:
    """Run the part of a command that the first argument names; `parts` are functions and what they do.

    Help prints and exits with 0. Raises ConfigError (`cli.options`) if there is no part of that name.
    """
    if not arguments or arguments[0] in ("-h", "--help"):
        width = max(map(len, parts))
        lines = [f"  {name:<{width}}  {text}" for name, (_, text) in parts.items()]
        usage = with_examples("\n".join([f"usage: nhc {command} PART [OPTIONS]", "", *lines]), examples)
        print(f"{usage}\n\nEach part has its own --help.", file=sys.stdout if arguments else sys.stderr)
        if arguments:
            raise SystemExit(0)
        return 2
    if arguments[0] not in parts:
        wanted = f"nhc {command}: expected one of {', '.join(parts)}"
        raise ConfigError("cli.options", f"{wanted}; found {arguments[0]!r}")
    return parts[arguments[0]][0](arguments[1:])


def with_examples(text: str, examples: str) -> str:
    """A text with command lines below it, each a paragraph."""
    lines = map(str.strip, examples.strip().splitlines())
    return "\n\n".join([text.strip(), "Examples:", *lines])


def changed(options: object, *names: str) -> str:
    """Those of some options that are not what they usually are: `--jobs, --max-ticks`."""
    found = [name for name in names if getattr(options, name) != getattr(type(options), name)]
    return ", ".join(f"--{name.replace('_', '-')}" for name in found)


def parse_seeds(text: str) -> list[int]:
    """The seeds of several runs. Raises ConfigError (`cli.numbers`) as `parse_numbers`, and for one twice."""
    seeds = parse_numbers(text)
    if len({*seeds}) < len(seeds):
        raise ConfigError("cli.numbers", f"seeds: expected each once, found {text!r}")
    return seeds


def parse_numbers(text: str, what: str = "seeds") -> list[int]:
    """The numbers of `0..14`, `3` or `0,4,7..9` in their order.

    Raises ConfigError (`cli.numbers`) for anything else, an empty range, or more than `LONGEST` of them.
    """
    numbers: list[int] = []
    for part in text.split(","):
        match = PART.fullmatch(part.strip())
        last = None if match is None else int(match[2] or match[1])
        if match is None or last is None or last < int(match[1]):
            raise ConfigError("cli.numbers", f"{what}: expected a form like 0..14 or 1,5,7, found {text!r}")
        if len(numbers) + last - int(match[1]) >= LONGEST:
            raise ConfigError("cli.numbers", f"{what}: expected at most {LONGEST:,} numbers, found {text!r}")
        numbers.extend(range(int(match[1]), last + 1))
    return numbers


def processes(jobs: int | None) -> int:
    """As many as are asked for, by default one a core. Raises ConfigError (`config.value`) for none."""
    if jobs is not None and jobs < 1:
        raise ConfigError("config.value", f"jobs: expected at least 1, found {jobs}")
    return jobs or host_threads()


def counted(number: int, noun: str) -> str:
    """`1 move`, `2 moves`, `2 pushes`."""
    ending = "" if number == 1 else "es" if noun.endswith("sh") else "s"
    return f"{number:,} {noun}{ending}"


def message(text: str) -> None:
    """Tell the person something that is not data."""
    print(text, file=sys.stderr, flush=True)


def message_unless(quiet: bool) -> Callable[[str], None]:
    """`message`, or what says nothing."""
    return (lambda text: None) if quiet else message


def now_and_then(seconds: float, tell: Callable[News, None]) -> Callable[News, None]:
    """`tell`, called at most once in so many seconds, and not in the first of them."""
    last = time.monotonic()

    def told(*news: News.args, **named: News.kwargs) -> None:
        nonlocal last
        if time.monotonic() - last >= seconds:
            last = time.monotonic()
            tell(*news, **named)

    return told

"""Parsing of a command's options, the same way for all."""

import sys
from typing import TypeVar

import tyro

from nhc.errors import ConfigError

OptionsT = TypeVar("OptionsT")


def parse(
    kind: type[OptionsT],
    arguments: list[str],
    *,
    name: str,
    examples: str,
    default: OptionsT | None = None,
) -> OptionsT:
    """The options in `arguments`. Help prints and exits with 0, a fault with 2 and the code `cli.options`."""
    description = (kind.__doc__ or "").strip() + "\n\n" + examples
    try:
        return tyro.cli(
            kind,
            prog=f"nhc {name}",
            description=description,
            args=arguments,
            default=tyro.MISSING_NONPROP if default is None else default,
            config=(tyro.conf.FlagCreatePairsOff,),
        )
    except SystemExit as ending:
        if ending.code:
            raise ConfigError("cli.options", f"the options of nhc {name} are not as expected") from ending
        raise


def message(text: str) -> None:
    """Tell the person something that is not data."""
    print(text, file=sys.stderr, flush=True)

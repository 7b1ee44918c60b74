"""Parsing of a command's options, the same way for all."""

import sys
from typing import TypeVar

import tyro

OptionsT = TypeVar("OptionsT")


def parse(
    kind: type[OptionsT], arguments: list[str], *, name: str, examples: str, default: OptionsT
) -> OptionsT:
    """The options in `arguments`; a fault prints what was expected and exits with 2."""
    shown = (kind.__doc__ or "").strip() + "\n\n" + examples
    options: OptionsT = tyro.cli(
        kind,
        prog=f"nhc {name}",
        description=shown,
        args=arguments,
        default=default,
        config=(tyro.conf.FlagCreatePairsOff,),
    )
    return options


def message(text: str) -> None:
    """Tell the person something that is not data."""
    print(text, file=sys.stderr, flush=True)

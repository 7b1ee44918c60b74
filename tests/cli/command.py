"""Commands in this process: their exit code and what they print."""

import json
import re
from typing import NamedTuple

import pytest

from nhc.cli.main import run


class Done(NamedTuple):
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def error_code(self) -> str | None:
        """The code that ends the error message, which is the last that is said; None without one."""
        found = re.search(r"^error: .* \[([a-z]+\.[a-z_]+)\]\n\Z", self.err, re.DOTALL | re.MULTILINE)
        return None if found is None else found[1]

    @property
    def data(self) -> list[dict[str, object]]:
        """The JSON objects on stdout; nothing else may be there."""
        return [json.loads(line) for line in self.out.splitlines()]


class Command:
    """`nhc(...)` runs a command line."""

    def __init__(self, capture: pytest.CaptureFixture[str]) -> None:
        self._capture = capture

    def __call__(self, *arguments: object) -> Done:
        self._capture.readouterr()
        try:
            code = run([str(argument) for argument in arguments])
        except SystemExit as ending:
            assert ending.code is None or isinstance(ending.code, int)
            code = ending.code or 0
        return Done(code, *self._capture.readouterr())

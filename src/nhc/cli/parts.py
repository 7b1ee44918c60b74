"""Commands of several parts, such as `nhc modules train`; the file of a part is imported when it is used."""

import importlib
import sys
from collections.abc import Callable, Mapping
from typing import NamedTuple

from nhc.errors import ConfigError


class Parts(NamedTuple):
    """A command whose first argument names a part; `nhc.cli.COMMAND_PART` has its `run`."""

    command: str
    parts: Mapping[str, str]
    """Part -> what it does."""
    examples: str

    def run(self, arguments: list[str]) -> int:
        """Run a part. Raises ConfigError (`cli.options`) if there is none of that name."""
        if not arguments or arguments[0] in ("-h", "--help"):
            print(self.usage(), file=sys.stdout if arguments else sys.stderr)
            if arguments:
                raise SystemExit(0)
            return 2
        if arguments[0] not in self.parts:
            wanted = f"nhc {self.command}: expected one of {', '.join(self.parts)}"
            raise ConfigError("cli.options", f"{wanted}; found {arguments[0]!r}")
        return self.part(arguments[0])(arguments[1:])

    def part(self, name: str) -> Callable[[list[str]], int]:
        """The function behind a part."""
        module = importlib.import_module(f"nhc.cli.{self.command}_{name}")
        found: Callable[[list[str]], int] = module.run
        return found

    def usage(self) -> str:
        """What `--help` prints."""
        width = max(map(len, self.parts))
        lines = [f"  {name:<{width}}  {text}" for name, text in self.parts.items()]
        head = [f"usage: nhc {self.command} PART [OPTIONS]", "", *lines, "", "Examples:", ""]
        return "\n".join([*head, self.examples.strip(), "", "Each part has its own --help."])

"""The names of the algorithms that ship, for commands that must not load them."""

from typing import Literal, TypeAlias

Name: TypeAlias = Literal["search", "plan", "copy", "reverse"]
"""In the order of the registry."""

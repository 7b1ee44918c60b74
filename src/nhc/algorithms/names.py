"""The names of the algorithms that ship, for commands that must not load them."""

from typing import Literal, TypeAlias

Name: TypeAlias = Literal[
    "search",
    "plan",
    "graph-plan",
    "copy",
    "reverse",
    "duplicate",
    "repeat",
    "every-second",
    "odds-first",
    "brackets",
    "postfix",
    "preorder",
    "add",
    "hanoi",
    "intersect",
    "recall",
    "sort",
    "counts",
]
"""In the order of the registry."""

"""Compilation of the loops that run programs.

Compiled code borrows arrays from its caller: by default each access to a parameter counts a reference, which
takes three times as long as all the rest. So it must not allocate arrays.
"""

import inspect

from nhc import jit
from nhc.jit import FunctionT


def part(function: FunctionT) -> FunctionT:
    """A function that compiled loops call, compiled into each of them; a decorator."""
    return jit.compiler(inspect.unwrap(function), forceinline=True, _nrt=False)


def compiled(loop: FunctionT) -> FunctionT:
    """The compiled twin of a loop, made once a process. Decorators that check arguments are taken off."""
    return jit.compiled(loop, _nrt=False)

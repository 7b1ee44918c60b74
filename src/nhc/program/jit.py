"""Compilation of plain loops by numba, on first use and never at import.

Loops are kept on disk between processes, beside their module or, where that is read-only, in the user's
cache. Numba looks only at the file of a loop to see whether it changed, so all functions that a loop calls
are in that file too.

Compiled code borrows arrays from its caller: by default each access to a parameter counts a reference, which
takes three times as long as all the rest. So it must not allocate arrays.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from numba import njit

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


def part(function: FunctionT) -> FunctionT:
    """A function that compiled loops call, compiled into each of them; a decorator."""
    return njit(inspect.unwrap(function), forceinline=True, _nrt=False)


def compiled(loop: FunctionT) -> FunctionT:
    """The compiled twin of a loop, made once a process. Decorators that check arguments are taken off."""
    return _compiled(loop)


@cache
def _compiled(loop: FunctionT) -> FunctionT:
    plain = inspect.unwrap(loop)
    try:
        return njit(plain, cache=True, nogil=True, _nrt=False)
    except RuntimeError:  # numba found no folder that it may write to
        return njit(plain, nogil=True, _nrt=False)

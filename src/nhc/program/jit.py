"""Compilation of plain loops by numba, on first use and never at import.

Loops are kept on disk between processes, beside their module or, where that is read-only, in the user's
cache. Numba looks only at the file of a loop to see whether it changed, so all that a loop calls is in that
file too. Arrays that a named tuple holds are counted at every access, so loops unpack tuples first.
"""

import inspect
from collections.abc import Callable
from functools import cache
from typing import TypeVar

from numba import njit

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


def part(function: FunctionT) -> FunctionT:
    """A function that compiled loops call; a decorator. Compiled together with the loop."""
    return njit(inspect.unwrap(function), forceinline=True)


def compiled(loop: FunctionT) -> FunctionT:
    """The compiled twin of a loop, made once a process. Decorators that check arguments are taken off."""
    return _compiled(loop)


@cache
def _compiled(loop: FunctionT) -> FunctionT:
    plain = inspect.unwrap(loop)
    try:
        return njit(plain, cache=True, nogil=True)
    except RuntimeError:  # numba found no folder that it may write to
        return njit(plain, nogil=True)

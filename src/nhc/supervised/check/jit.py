"""Compilation of the check's plain loops by numba, on first use and never at import; kept on disk."""

import inspect
from collections.abc import Callable
from functools import cache
from typing import Protocol, TypeVar, cast

from numba import njit

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])


class Compiler(Protocol):
    """Numba's `njit`, typed."""

    def __call__(self, function: FunctionT, /, **options: bool) -> FunctionT:
        """A compiled function that is called like `function`."""
        ...


@cache
def compiled(loop: FunctionT) -> FunctionT:
    """The compiled twin of a loop; decorators that check arguments are taken off."""
    plain, compiler = inspect.unwrap(loop), cast(Compiler, njit)
    try:
        return compiler(plain, cache=True, nogil=True)
    except RuntimeError:  # numba found no folder that it may write to
        return compiler(plain, nogil=True)

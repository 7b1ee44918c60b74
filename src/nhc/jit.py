"""Compilation of plain loops by numba, on first use and never at import.

Loops are kept on disk between processes, beside their module or, where that is read-only, in the user's
cache. Numba looks only at the file of a loop to see whether it changed, so all functions that a loop calls
are in that file too.
"""

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Never, Protocol, TypeVar, cast

import numpy as np
from numba import cfunc, njit
from numba.np.numpy_support import carray
from numpy.typing import NDArray

FunctionT = TypeVar("FunctionT", bound=Callable[..., object])
ResultT = TypeVar("ResultT")


class Pointers(Protocol):
    """Numba's `cfunc`, likewise."""

    def __call__(self, signature: str, **options: bool) -> Callable[[FunctionT], FunctionT]:
        """A decorator: a compiled function that compiled loops take as an argument."""
        ...


class Compiler(Protocol):
    """Numba's `njit`, with options that its types leave out."""

    def __call__(self, function: FunctionT, /, **options: bool) -> FunctionT:
        """A compiled function that is called like `function`."""
        ...


compiler = cast(Compiler, njit)
pointers = cast(Pointers, cfunc)
array_at = cast(Callable[..., NDArray[np.int64]], carray)
borrower = cast(Callable[..., Never], None)
"""Stands in a lending function for the one that it is made for, see `pointer`."""


def part(function: FunctionT) -> FunctionT:
    """A function that compiled loops call, compiled into each of them; a decorator.

    They must not allocate arrays, see `compiled`.
    """
    return compiler(inspect.unwrap(function), forceinline=True, _nrt=False)


@cache
def compiled(loop: FunctionT) -> FunctionT:
    """The compiled twin of a loop, made once a process. Decorators that check arguments are taken off.

    By default each access to an array that a caller lent counts a reference, which takes three times as long
    as all the rest. So the loop must not allocate arrays.
    """
    plain = inspect.unwrap(loop)
    try:
        return compiler(plain, cache=True, nogil=True, _nrt=False)
    except RuntimeError:  # numba found no folder that it may write to
        return compiler(plain, nogil=True, _nrt=False)


@cache
def pointer(
    function: Callable[..., ResultT], lent: Callable[..., object], signature: str
) -> Callable[..., ResultT]:
    """The compiled twin of a function that calls no others, as an argument for compiled loops.

    A loop that calls it is compiled once for all functions with its signature. To hand arrays over takes
    longer than most of these functions do, so loops lend them: `lent` is a function that gets their addresses
    and lengths instead, makes arrays of them and calls `borrower`, which stands for `function`.
    """
    plain = inspect.unwrap(function)
    names = {"array_at": carray, "borrower": compiler(plain, _nrt=False)}
    # Numba keeps code by the file, name and line of what it compiles, so those are the function's own.
    its = plain.__code__
    code = lent.__code__.replace(co_filename=its.co_filename, co_firstlineno=its.co_firstlineno)
    what = repr((its.co_code, its.co_consts, its.co_names)).encode()
    twin = FunctionType(code, names, f"{plain.__name__}_{hashlib.sha256(what).hexdigest()[:8]}")
    twin.__module__, twin.__qualname__ = plain.__module__, f"{plain.__qualname__}_{twin.__name__}"
    try:
        return pointers(signature, cache=plain.__closure__ is None)(twin)
    except RuntimeError:
        return pointers(signature)(twin)

"""Functions that loops call by pointer: each is itself, however alike they are, in later processes too."""

import os
import subprocess
import sys
from pathlib import Path

SCRIPT = """
import numpy as np
from numba import njit
from nhc.jit import array_at, borrower, pointer

SIGNATURE = "int64(CPointer(int64), int64)"

def lent(row, words):
    return borrower(array_at(row, (words,)))

def adding(number):
    def made(row):
        return row[0] + number
    return made

@njit
def called(rule, row):
    return rule(row.ctypes, len(row))

first, second = lambda row: row[0] + 1, lambda row: row[0] - 1
rules = [first, second, adding(10), adding(20), lambda row: len(row)]
print(*(called(pointer(rule, lent, SIGNATURE), np.array([5, 6])) for rule in rules))
"""


def test_functions_that_are_alike_are_not_taken_for_each_other(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, script], capture_output=True, text=True, check=True, env={**os.environ}
        )
        assert done.stdout.split() == ["6", "4", "15", "25", "2"]
    assert list(tmp_path.rglob("*.nbi"))

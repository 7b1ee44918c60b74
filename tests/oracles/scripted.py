"""Machines for the tests of the oracle that do what a script says.

Their weights are zero and the biases of the interface are set anew before each tick: so a test says what
the heads emit, and the numbers that follow from it fit in the head.
"""

from dataclasses import replace

import numpy as np

from tests.oracles.machine import MECHANISMS, Cell, Oracle, OracleConfig, OracleTick, weight_shapes

# Orthogonal words, and one near to B.
A = np.array([1, 1, 1, 1, 1, 1, 1, 1], np.float32)
B = np.array([1, 1, 1, 1, -1, -1, -1, -1], np.float32)
C = np.array([1, 1, -1, -1, 1, 1, -1, -1], np.float32)
D = np.array([1, -1, 1, -1, 1, -1, 1, -1], np.float32)
NEAR_B = np.array([1, 1, 1, -1, -1, -1, -1, -1], np.float32)


def scripted(**options: object) -> Oracle:
    """A machine with zero weights."""
    config = replace(OracleConfig(), **options)
    return Oracle(
        {name: np.zeros(s, np.float32) for name, s in weight_shapes(config.signals).items()}, config
    )


def step(oracle: Oracle, data: int = 0, **blocks: object) -> OracleTick:
    """One tick with these interface biases, `read_key=...` for read.key, and the first signal."""
    for name, array in oracle.weights.items():
        if name.startswith("interface") and name.endswith(".b"):
            array[:] = 0
    for name, values in blocks.items():
        oracle.weights[f"interface.{name.replace('_', '.', 1)}.b"][:] = values
    return oracle.tick(data, [1, *[0] * (oracle.config.signals - 1)])


def modes(**values: float) -> list[float]:
    """The five modes, named as in MECHANISMS; the others are zero."""
    return [values.get(name.replace(" ", "_"), 0.0) for name in MECHANISMS]


def filled(contents: list[np.ndarray], **options: object) -> Oracle:
    """A machine that wrote these words with data 10, 11, ..., and read cell 0 each time (its key is zero)."""
    oracle = scripted(**options)
    heads = {"write_gate": 1, "write_allocation": 1, "constrained_word": contents[0]}
    for address, word in enumerate(contents):
        step(oracle, 10 + address, write_word=word, **heads)
    return oracle


def five_addresses(mix: str) -> Oracle:
    """A machine that writes nothing and whose mechanisms name the cells 4, 3, 2, 1 and 0."""
    oracle = scripted(mix=mix, write_gate="learned", constrained_head=False)
    oracle.cells = [Cell(address, word) for address, word in enumerate([B, C, D, NEAR_B, A, B])]
    oracle.cells[5] = Cell(5, B, 3, 2, 1, 0)
    oracle.read = oracle.last_written = 5
    return oracle


def quiet(**options: object) -> Oracle:
    """A scripted machine whose ops differ by 100."""
    oracle = scripted(**options)
    oracle.weights["transform_c.b"][2] = 100
    return oracle

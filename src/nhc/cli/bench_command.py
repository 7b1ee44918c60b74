"""`nhc bench`: speed as ratios, both sides measured in the same call."""

import time
from dataclasses import dataclass
from importlib import import_module
from typing import Literal

import tyro

from nhc.bench.measure import Row
from nhc.cli.parse import message, parse
from nhc.cli.tables import print_lines, print_table
from nhc.runs.environment import environment


@dataclass
class BenchOptions:
    """Measure speed on this machine; every figure is a ratio to a plain twin, or stands beside one.

    `train`: evaluation of populations against dense one-hot memory without early stop; then learning until a
    proof by exact levels, beside sampled ones. `run`: a long run by the network, looking up words through an
    index, against scanning all cells; then the compiled program, beside a plain Python search, a bare
    compiled loop over the same tree, and pyperplan if it is installed. `program`: the second half of `run`.
    `plan`: answers of graph search to a Sokoban level, the 3x3 puzzle and PDDL, beside plain Python, and
    beside pyperplan and Fast Downward where they are installed.

    Examples:
    nhc bench train
    nhc bench run --json
    nhc bench program
    nhc bench plan
    """

    what: tyro.conf.Positional[Literal["train", "run", "program", "plan"]]
    """Which path to measure."""
    json: bool = False
    """One JSON object a case."""


MEASURES = {
    "train": {
        "Evaluation, beside dense memory without early stop": "training:training_rows",
        "Exact levels, beside sampled ones": "training:proof_rows",
    },
    "run": {
        "The network, beside a scan of all cells": "running:running_rows",
        "The program": "program:program_rows",
    },
    "program": {"The program": "program:program_rows"},
    "plan": {"Search with a closed list, whole answers to the same tasks": "graphs:graph_rows"},
}
"""Titles of tables, and the measures in `nhc.bench` that fill them; imported only when they are asked for."""


def run(arguments: list[str]) -> int:
    """Measure and print."""
    options = parse(BenchOptions, arguments, name="bench")
    facts = environment()
    message(f"{facts['device']}, {facts['host_threads']} threads, jax {facts['jax']}")
    began = time.perf_counter()
    for title, name in MEASURES[options.what].items():
        module, _, function = name.partition(":")
        rows: list[Row] = getattr(import_module(f"nhc.bench.{module}"), function)()
        if options.json:
            print_lines(rows)
        else:
            print_table(title, list(rows[0]), [list(map(_shown, row.values())) for row in rows])
    message(f"measured in {time.perf_counter() - began:.0f} s")
    return 0


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) else str(value)

"""`nhc bench`: speed as ratios, both sides measured in the same call."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.runs.environment import environment

EXAMPLES = """\
Examples:

nhc bench train

nhc bench run --json

nhc bench program"""


@dataclass
class BenchOptions:
    """Measure speed on this machine; every figure is a ratio to a plain twin, or stands beside one.

    `train`: evaluation of populations against dense one-hot memory without early stop. `run`: a long run by
    the network, looking up words through an index, against scanning all cells; then the compiled program,
    beside a plain Python search, a bare compiled loop over the same tree, and pyperplan if it is installed.
    `program`: the second half of `run`.
    """

    what: tyro.conf.Positional[Literal["train", "run", "program"]]
    """Which path to measure."""
    json: bool = False
    """One JSON object a case."""


def run(arguments: list[str]) -> int:
    """Measure and print."""
    options = parse(BenchOptions, arguments, name="bench", examples=EXAMPLES)
    facts = environment()
    message(f"{facts['device']}, {facts['host_threads']} threads, jax {facts['jax']}")
    began = time.perf_counter()
    for title, measure in MEASUREMENTS[options.what].items():
        columns, rows = measure()
        if options.json:
            for row in rows:
                print(json.dumps(dict(zip(columns, row, strict=True))))
        else:
            print_table(title, columns, [[_shown(value) for value in row] for row in rows])
    message(f"measured in {time.perf_counter() - began:.0f} s")
    return 0


def _train_rows() -> tuple[list[str], list[list[object]]]:
    from nhc.bench.training import measure_training

    columns = ["case", "ticks/s", "iterations/s", "naive iterations/s", "times faster"]
    rows: list[list[object]] = [
        [
            each.case,
            round(each.ticks / each.seconds),
            round(each.iterations / each.seconds),
            round(each.iterations / each.naive_seconds),
            round(each.ratio, 1),
        ]
        for each in measure_training()
    ]
    return columns, rows


def _run_rows() -> tuple[list[str], list[list[object]]]:
    from nhc.bench.running import measure_running

    columns = ["case", "ticks", "seconds", "us/tick", "us/tick by scan", "times faster"]
    rows: list[list[object]] = [
        [
            each.case,
            each.ticks,
            round(each.seconds, 2),
            round(1e6 * each.seconds / each.ticks, 2),
            None if each.scan_us is None else round(each.scan_us, 2),
            None if each.scan_us is None else round(each.scan_us * each.ticks / each.seconds / 1e6, 1),
        ]
        for each in measure_running()
    ]
    return columns, rows


def _program_rows() -> tuple[list[str], list[list[object]]]:
    from nhc.bench.program import LONG_TICKS, PAPER_TICKS, PLAIN, SHORT_TICKS, measure_program

    timings = measure_program((PAPER_TICKS, SHORT_TICKS, LONG_TICKS))
    (plain,) = (each for each in timings if PLAIN in each.case)
    columns = [
        "case",
        "steps",
        "core ns/step",
        "million steps/core s",
        "times plain Python",
        "peak MiB so far",
    ]
    rows: list[list[object]] = [
        [
            each.case,
            each.steps,
            round(each.nanoseconds, 1),
            round(each.steps_per_second / 1e6, 2),
            round(plain.nanoseconds / each.nanoseconds, 2),
            None if each.peak_mib is None else round(each.peak_mib),
        ]
        for each in timings
    ]
    return columns, rows


Measure = Callable[[], tuple[list[str], list[list[object]]]]

MEASUREMENTS: dict[str, dict[str, Measure]] = {
    "train": {"Evaluation, beside dense memory without early stop": _train_rows},
    "run": {"The network, beside a scan of all cells": _run_rows, "The program": _program_rows},
    "program": {"The program": _program_rows},
}


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) else str(value)

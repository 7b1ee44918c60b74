"""`nhc bench`: speed as ratios, both sides measured in the same call."""

import json
import time
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
    the network, looking up words through an index, against scanning all cells. `program`: the compiled
    program, beside a plain Python search and a bare compiled loop over the same tree.
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
    columns, rows = MEASUREMENTS[options.what]()
    message(f"measured in {time.perf_counter() - began:.0f} s")
    if options.json:
        for row in rows:
            print(json.dumps(dict(zip(columns, row, strict=True))))
    else:
        print_table(f"nhc bench {options.what}", columns, [[_shown(value) for value in row] for row in rows])
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
    from nhc.bench.program import LONG_TICKS, PAPER_TICKS, SHORT_TICKS, measure_program

    columns = ["case", "steps", "ns/step", "core ns/step", "million steps/core s", "peak MiB of the process"]
    rows: list[list[object]] = [
        [
            each.case,
            each.steps,
            round(1e9 * each.seconds / each.steps, 1),
            round(each.nanoseconds, 1),
            round(each.steps_per_second / 1e6, 2),
            None if each.peak_mib is None else round(each.peak_mib),
        ]
        for each in measure_program((PAPER_TICKS, SHORT_TICKS, LONG_TICKS))
    ]
    return columns, rows


MEASUREMENTS = {"train": _train_rows, "run": _run_rows, "program": _program_rows}


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int | float) else str(value)

"""The fast check as training uses it: networks in, a verdict with training rows out."""

from collections.abc import Mapping

import numpy as np

from nhc.data.dense import Dense
from nhc.domains.local import FiniteWorld, LocalStateT, one_hot
from nhc.supervised.check.report import Report
from nhc.supervised.check.run import CheckOptions, check_networks
from nhc.supervised.check.tally import COUNTEREXAMPLES
from nhc.supervised.rows import width
from nhc.supervised.samples import act_rows, insert_rows, view_rows
from nhc.supervised.verdict import Note, Verdict, quiet


def check_fast(
    world: FiniteWorld[LocalStateT],
    module: str,
    networks: Mapping[str, Dense],
    note: Note = quiet,
    workers: int | None = 0,
) -> Verdict:
    """Transform_D, ALU or Output on the whole family; it ends early when enough cases went wrong.

    `workers` as in `CheckOptions`.
    """

    def on_progress(report: Report, chunks: int) -> None:
        note(report.chunks, chunks)

    options = CheckOptions(modules=frozenset({module}), workers=workers, stop_after=COUNTEREXAMPLES)
    report = check_networks(world, networks, options, on_progress)
    tally = report.tallies[module]
    label, rows = report.label(module), np.zeros((0, width(world.form, module)), np.uint8)
    if not tally.wrong:
        return Verdict(label, tally.cases, tally.errors, rows)
    symbols = np.array([case.symbols for case in tally.wrong], np.uint8)
    ops = np.array([case.op for case in tally.wrong])
    if module == "transform_d":
        rows = view_rows(world, symbols)
    elif module == "alu":
        rows = act_rows(world, symbols, ops)
    else:
        rows = insert_rows(world, world.decode(one_hot(symbols, len(world.form.symbols))), ops)
    return Verdict(label, tally.cases, tally.errors, rows)

"""Every machine of the zoo that takes inputs, on random inputs of many lengths: docs/suite/sweep.md.

Run it from anywhere: `python benchmarks/sweep.py --out docs/suite/sweep.md [NAME ...]`. For each it does what
three calls of `nhc eval zoo:NAME` do, see `PARTS`. What is done is kept in `--folder` and not repeated, so
the work can be done in portions: some parts (`--parts`), or fewer inputs of each short length (`--inputs`).
"""

import argparse
import json
import sys
from pathlib import Path
from typing import NamedTuple

from nhc.algorithms.sequence.family import SEQUENCES
from nhc.computer.sequences import EngineName
from nhc.computer.sweep import Sweep, lengths_that_fit, machine_of, merged, most_ticks_of, portions, swept
from nhc.experiments.suite import markdown_table
from nhc.runs.storage import write_text_atomically
from nhc.statistics import label_sampled
from nhc.zoo import ZOO_PREFIX, zoo_names

SEED = 1_000_000
COLUMNS = ("machine", "lengths", "inputs", "failed", "failure rate <=", "most ticks", "ns/tick")
SHORTER = {"counts": 1}
"""Than a long length: no word of the language has one that three does not divide."""


class Part(NamedTuple):
    """One call of `nhc eval`."""

    key: str
    title: str
    engine: EngineName
    lengths: range
    inputs: int
    max_ticks: int

    def command(self, name: str) -> str:
        """As it is typed."""
        first, last = self.lengths[0], self.lengths[-1]
        lengths = f"{first}" if first == last else f"{first}..{last}"
        options = f"--lengths {lengths} --n {self.inputs} --engine {self.engine} --max-ticks {self.max_ticks}"
        return f"nhc eval zoo:{name} {options} --seed {SEED}"


PARTS = (
    Part("short", "Every length up to 300", "program", range(1, 301), 1000, 1_000_000),
    Part("network", "Length 10,000, by the network", "network", range(10_000, 10_001), 3, 200_000),
    Part("long", "Length 1,000,000", "program", range(1_000_000, 1_000_001), 3, 100_000_000),
)
ABOUT = """# Zoo machines on random inputs

What each machine of the zoo answered to random inputs, beside the specification of its algorithm, which
finds answers in another way than the teacher. An answer counts if all of it is right. *Sampled*: each
input is drawn by the algorithm's own `random`, and the lengths of a row have equal numbers of them. The
bound is exact (Clopper and Pearson), one-sided, at 95 %. Which of these machines are *proved* for every
length as well, is told in [what it can learn](../algorithms.md).

`python benchmarks/sweep.py --out docs/suite/sweep.md` makes this page. Seed {seed}; the same seed gives the
same inputs however many processes share them. Times are those of the processor for the runs alone, with what
each call costs, which is most of a short run, and with the compilation of the network. For `counts` a long
length is one less, since three must divide it where the answer can be yes.
"""


class Row(NamedTuple):
    """What came of a part with one machine."""

    first: int
    """Length."""
    last: int
    left_out: int
    """Lengths asked for that take too many ticks."""
    most_ticks: int
    """That a run may take, also by its memory."""
    inputs: int
    failures: int
    longest_run: int
    ns_per_tick: float
    first_failure: dict[str, object] | None

    @property
    def each(self) -> int:
        """Inputs of a length."""
        return self.inputs // (self.last - self.first + 1)

    def cells(self, name: str) -> tuple[str, ...]:
        """One for each column."""
        span = f"{self.first:,}" + (f"..{self.last:,}" if self.last > self.first else "")
        bound = label_sampled(self.failures, self.inputs).split("<= ")[1].split(" (")[0]
        counts = f"{self.inputs:,}", f"{self.failures:,}", bound, f"{self.longest_run:,}"
        return f"`zoo:{name}`", span, *counts, f"{self.ns_per_tick:,.0f}"

    def notes(self, name: str, part: Part) -> list[str]:
        """What was asked for and not done, and what failed first."""
        found = list[str]()
        if self.left_out:
            memory = " that 2 GiB of memory hold" if self.most_ticks < part.max_ticks else ""
            why = f"a run of a longer input takes more than the {self.most_ticks:,} ticks"
            found.append(f"`{name}` reaches length {self.last:,}: {why}{memory or ' allowed'}.")
        if self.first_failure:
            found.append(f"First failure of `{name}`: {json.dumps(self.first_failure)}")
        return found


def measured(name: str, part: Part, folder: Path) -> Row:
    """What came of a part, from the file with most inputs if there is one with enough."""
    kept = [(int(file.stem.rpartition("-")[2]), file) for file in folder.glob(f"{name}-{part.key}-*.json")]
    inputs, file = max(kept, default=(0, folder))
    if inputs >= part.inputs:
        return Row(**json.loads(file.read_text()))
    model, file = ZOO_PREFIX + name, folder / f"{name}-{part.key}-{part.inputs}.json"
    asked = [length - (SHORTER.get(name, 0) if len(part.lengths) == 1 else 0) for length in part.lengths]
    most = most_ticks_of(model, part.engine, part.max_ticks, None)
    lengths, left_out = lengths_that_fit(machine_of(model, part.engine).algorithm, asked, most)
    sweep = Sweep(model, part.engine, SEED, most)
    every = merged([*swept(sweep, portions(lengths, part.inputs), 1)])
    wrong = every.first_failure and every.first_failure._asdict()
    counts = (every.inputs, every.failures, every.longest_run, every.nanoseconds, wrong)
    row = Row(lengths[0], lengths[-1], left_out, most, *counts)
    folder.mkdir(parents=True, exist_ok=True)
    write_text_atomically(file, json.dumps(row._asdict()))
    return row


def section(part: Part, rows: dict[str, Row]) -> list[str]:
    """A part's table, and which lengths and inputs it left out."""
    inputs = max(row.each for row in rows.values())
    command = part._replace(inputs=inputs).command("NAME")
    table = markdown_table(COLUMNS, [row.cells(name) for name, row in rows.items()], 2)
    notes = [note for name, row in rows.items() for note in row.notes(name, part)]
    fewer = [f"`{name}` ({row.each:,})" for name, row in rows.items() if row.each < inputs]
    notes += [f"Fewer inputs of each length than {inputs:,}: {', '.join(fewer)}."] if fewer else []
    return [f"## {part.title}", "", f"`{command}`", "", *table, *(f"\n{note}" for note in notes), ""]


def main() -> int:
    """Run what is left to do, and write the page. Ends with 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    keys = [part.key for part in PARTS]
    parser.add_argument("--parts", nargs="+", default=keys, choices=keys)
    parser.add_argument("--inputs", type=int, default=PARTS[0].inputs)
    parser.add_argument("--folder", type=Path, default=Path("runs/sweep"))
    parser.add_argument("--out", type=Path, default=Path("runs/sweep/report.md"))
    options = parser.parse_args()
    shipped = [algorithm.name for algorithm in SEQUENCES if algorithm.name in zoo_names()]
    lines, failures = [ABOUT.format(seed=f"{SEED:,}")], 0
    for part in (PARTS[0]._replace(inputs=options.inputs), *PARTS[1:]):
        if part.key in options.parts:
            rows = dict[str, Row]()
            for name in options.names or shipped:
                row = rows[name] = measured(name, part, options.folder)
                failures += row.failures
                print(f"{name}, {part.key}: {row.failures} of {row.inputs} failed", flush=True)
            lines += section(part, rows)
    write_text_atomically(options.out, "\n".join(lines).rstrip() + "\n")
    return int(failures > 0)


if __name__ == "__main__":
    sys.exit(main())

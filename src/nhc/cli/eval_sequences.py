"""`nhc eval` with a machine that takes inputs: whole answers beside the specification, by length."""

from contextlib import closing
from itertools import pairwise

from nhc.cli.eval_command import EvalOptions
from nhc.cli.parse import counted, message, parse_numbers, processes
from nhc.cli.tables import print_lines, print_table
from nhc.computer.sweep import (
    MOST_LENGTH,
    LengthResult,
    Portion,
    Sweep,
    Wrong,
    by_length,
    lengths_that_fit,
    machine_of,
    merged,
    most_ticks_of,
    portions,
    swept,
)
from nhc.errors import ConfigError
from nhc.runs.progress import Standing, progress_unless
from nhc.statistics import label_sampled

DEFAULT_LENGTHS = "1..300"
ROWS = 10
"""Lengths stand together in so many rows."""
RUN = 100
"""What the call of a run costs, in ticks."""


def run_inputs(options: EvalOptions) -> int:
    """Run random inputs of each length and print the table. Exit 1 if any answer was wrong.

    Raises ConfigError (`eval.range`, `config.value`), and what `sweep` raises.
    """
    lengths = parse_numbers(options.lengths or DEFAULT_LENGTHS, "lengths")
    if min(lengths) < 1 or max(lengths) > MOST_LENGTH or options.n < 1:
        wanted = f"expected lengths 1..{MOST_LENGTH:,} and n >= 1"
        raise ConfigError("eval.range", f"{wanted}, found {options.lengths} and {options.n}")
    jobs, engine = processes(options.jobs), options.engine or "program"
    most_ticks = most_ticks_of(options.model, engine, options.max_ticks, options.max_memory)
    algorithm = machine_of(options.model, engine).algorithm
    kept, left_out = lengths_that_fit(algorithm, lengths, most_ticks)
    if not kept:
        raise ConfigError("eval.range", f"no input of {algorithm.name} takes at most {most_ticks:,} ticks")
    items = portions(kept, options.n)
    costs = [cost(item, algorithm.ticks(item.length)) for item in items]
    results = list[LengthResult]()
    sweep = Sweep(options.model, engine, options.seed, most_ticks)
    whole, done, failures, ticks = sum(costs), 0, 0, 0
    with closing(progress_unless(options.quiet)) as progress:
        for result in swept(sweep, items, jobs):
            done += costs[len(results)]
            results.append(result)
            failures, ticks = failures + result.failures, ticks + result.ticks
            fields = (("length", f"{result.length:,}"), ("failed", f"{failures:,}"))
            progress.update(Standing(fields, done, whole - done, (("ticks", ticks),), good=not failures))
    note = f"at most {most_ticks:,} ticks a run: {left_out:,} longer lengths left out" if left_out else None
    report(options, by_length(results), note)
    return 1 if failures else 0


def cost(item: Portion, ticks: int | None) -> int:
    """What a portion may take, in ticks."""
    return (item.last - item.first) * (RUN + (3 * item.length if ticks is None else ticks))


def report(options: EvalOptions, results: list[LengthResult], note: str | None) -> None:
    """The table, or a line of JSON for each length; and the first failure."""
    if options.json:
        print_lines(result.fields() for result in results)
    else:
        step = -(-len(results) // ROWS)
        groups = [results[start : start + step] for start in range(0, len(results), step)]
        columns = ["lengths", "inputs", "failed", "failure rate <= (95 %)", "most ticks", "ns/tick (CPU)"]
        title = f"{options.model}, random inputs by the {options.engine or 'program'}: sampled"
        print_table(title, columns, [cells(group) for group in groups])
        every = merged(results)
        print(f"Lengths {span(results)}, {label_sampled(every.failures, every.inputs)}")
    if note is not None:
        message(note)
    wrong = next(((each.length, each.first_failure) for each in results if each.first_failure), None)
    if wrong is not None:
        tell(*wrong)


def cells(group: list[LengthResult]) -> list[str]:
    """The row of some lengths."""
    every = merged(group)
    counts = [f"{count:,}" for count in (every.inputs, every.failures)]
    numbers = [f"{100 * every.bound:.4f} %", f"{every.longest_run:,}", f"{every.nanoseconds:,.0f}"]
    return [span(group), *counts, *numbers]


def span(results: list[LengthResult]) -> str:
    """The lengths, from least to most; commas where some between are missing."""
    first, last = results[0].length, results[-1].length
    if last - first + 1 == len(results):
        return f"{first:,}" if first == last else f"{first:,}..{last:,}"
    before = [result.length for result in results]
    whole = [n for n, (a, b) in enumerate(pairwise(before), 1) if b - a > 1]
    parts = [results[a:b] for a, b in zip([0, *whole], [*whole, None], strict=True)]
    return ", ".join(map(span, parts)) if len(parts) <= ROWS else f"{first:,} to {last:,}"


def tell(length: int, wrong: Wrong) -> None:
    """The first failure."""
    message(f"The first failure: length {length:,}, input {wrong.number}, {counted(wrong.ticks, 'tick')}")
    message(f"  input     {wrong.input}")
    message(f"  expected  {wrong.expected}")
    message(f"  found     {wrong.found}")

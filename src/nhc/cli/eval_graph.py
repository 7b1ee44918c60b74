"""`nhc eval` with a machine for graph-plan: boards of the 3x3 puzzle, beside their true distances."""

import time
from collections import Counter
from collections.abc import Mapping
from functools import cache, partial
from pathlib import Path
from typing import cast

from nhc.cli.eval_command import EvalOptions
from nhc.cli.parse import message, message_unless, now_and_then, processes
from nhc.cli.tables import print_lines, print_table
from nhc.errors import ConfigError
from nhc.model import Model, load_model
from nhc.planning.graph_search import control_note, verdict_of
from nhc.planning.puzzle_boards import Board, Solved, distances, drawn, plan_lengths
from nhc.runs.jsonlines import JsonLines
from nhc.runs.pool import in_order

TOGETHER = 100
"""Boards that a process solves at a time, and that one line of a log tells of."""
WORLD = "sliding-3x3"
SHOWN = 5
"""Boards that are told of where plans are wrong."""


def run_boards(options: EvalOptions, model: Model) -> int:
    """Solve boards and print how many of each distance had a shortest plan. Exit 1 if any had none.

    Raises ConfigError (`eval.range`) for another world, and what `processes` and `begun_log` raise.
    """
    if options.domain not in (WORLD, EvalOptions.domain):
        wanted = f"expected --domain {WORLD} and n >= 1 for a machine for graph-plan"
        raise ConfigError("eval.range", f"{wanted}, found {options.domain} and {options.n}")
    jobs, known = processes(options.jobs), distances()
    boards = drawn(known, len(known) if options.all else options.n, options.seed)
    if not options.quiet:
        message(f"{options.model}: {control_note(verdict_of(model))}")
    of = {"weights": model.hash, "boards": len(boards), "seed": options.seed}
    log, lengths = (None, []) if options.out is None else begun_log(options.out, of, len(boards))
    tell, began, before = message_unless(options.quiet), time.perf_counter(), len(lengths)

    def seconds_each() -> float:
        return (time.perf_counter() - began) / max(1, len(lengths) - before)

    def standing() -> None:
        each, left = seconds_each(), len(boards) - len(lengths)
        count = f"{len(lengths):,}/{len(boards):,} boards"
        tell(f"  {count}, {each:.3f} s each, about {left * each:,.0f} s left")

    news = now_and_then(5.0, standing)
    slices = [boards[start : start + TOGETHER] for start in range(before, len(boards), TOGETHER)]
    for found in in_order(partial(lengths_of, options.model), slices, jobs):
        lengths += found
        if log is not None:
            log.append([{"iteration": len(lengths), "lengths": found}])
        news()
    each = seconds_each()
    done = [Solved(board, known[board], length) for board, length in zip(boards, lengths, strict=False)]
    report(options, Counter(known.values()), done, each)
    return 0 if all(one.right for one in done) else 1


def lengths_of(model: str, boards: list[Board]) -> list[int | None]:
    """Lengths of plans; raises what `plan_lengths` does."""
    return plan_lengths(_loaded(model), boards)


_loaded = cache(load_model)
"""In each process one machine, which keeps what it computed of control."""


def begun_log(path: Path, of: Mapping[str, object], boards: int) -> tuple[JsonLines, list[int | None]]:
    """A log of the run that `of` describes, begun or to go on with, and the lengths of plans that it has.

    Its `iteration` counts boards. Raises ConfigError (`eval.out`) for another file, which stays as it is, and
    what `JsonLines` raises.
    """
    log, head = JsonLines(path), {"iteration": 0, **of}
    kept = log.read()
    if path.exists() and path.stat().st_size and kept[:1] != [head]:
        found = kept[0] if kept else "no complete line"
        raise ConfigError("eval.out", f"{path}: expected a log of {head}, found {found}")
    if kept:
        log.truncate_after(boards)  # A torn last line goes.
    else:
        log.append([head])
    return log, [length for record in kept[1:] for length in cast("list[int | None]", record["lengths"])]


def report(options: EvalOptions, sizes: Counter[int], done: list[Solved], each: float) -> None:
    """A row for each distance, what is wrong, and the seconds that `each` new board took."""
    tried = Counter(one.distance for one in done)
    right = Counter(one.distance for one in done if one.right)
    rows = [(far, sizes[far], tried[far], right[far]) for far in sorted(sizes)]
    columns = ("distance", "boards", "tried", "shortest plan")
    if options.json:
        print_lines(dict(zip(columns, row, strict=True)) for row in rows)
    else:
        print_table(f"{options.model} on {WORLD}", columns, [[f"{cell:,}" for cell in row] for row in rows])
    wrong = [one for one in done if not one.right]
    for one in wrong[:SHOWN]:
        message(f"puzzle {' '.join(map(str, one.board))}: {one.distance} away, found {one.length}")
    if not options.json:
        far = max(one.length or 0 for one in done)
        count = f"{len(done) - len(wrong):,} of {len(done):,} boards solved by a shortest plan"
        print(f"{count}, the longest has {far} actions; {each:.3f} s a board")

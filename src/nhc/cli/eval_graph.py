"""`nhc eval` with a machine for graph-plan: boards of the 3x3 puzzle, beside their true distances."""

import json
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import cast

from nhc.cli.eval_command import EvalOptions
from nhc.cli.parse import message, now_and_then
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.model import Model, load_model
from nhc.planning.graph_search import control_note, verdict_of
from nhc.planning.puzzle_boards import Board, Solved, distances, drawn, plan_lengths
from nhc.runs.environment import host_threads
from nhc.runs.jsonlines import JsonLines
from nhc.runs.pool import in_order, outcomes

TOGETHER = 100
"""Boards that a process solves at a time, and that one line of a log tells of."""
WORLD = "sliding-3x3"
SHOWN = 5
"""Boards that are told of where plans are wrong."""


def run_boards(options: EvalOptions, model: Model) -> int:
    """Solve boards and print how many of each distance had a shortest plan. Exit 1 if any had none.

    Raises ConfigError (`eval.range`) for another world, and for fewer than one board.
    """
    if options.domain not in (WORLD, EvalOptions.domain) or options.n < 1:
        wanted = f"expected --domain {WORLD} and n >= 1 for a machine for graph-plan"
        raise ConfigError("eval.range", f"{wanted}, found {options.domain} and {options.n}")
    if options.jobs is not None and options.jobs < 1:
        raise ConfigError("config.value", f"jobs: expected at least 1, found {options.jobs}")
    known = distances()
    boards = drawn(known, len(known) if options.all else options.n, options.seed)
    if not options.quiet:
        message(f"{options.model}: {control_note(verdict_of(model))}")
    of = {"weights": model.hash, "boards": len(boards), "seed": options.seed}
    log = None if options.out is None else BoardLog(options.out, of, len(boards))
    done = [] if log is None else log.solved(boards, known)
    began, before = time.perf_counter(), len(done)

    def tell() -> None:
        each = (time.perf_counter() - began) / max(1, len(done) - before)
        left = (len(boards) - len(done)) * each
        message(f"  {len(done):,}/{len(boards):,} boards, {each:.3f} s each, about {left:,.0f} s left")

    news = now_and_then(5.0, tell)
    for lengths in lengths_of(options.model, boards[before:], options.jobs or host_threads()):
        boards_now = boards[len(done) : len(done) + len(lengths)]
        done += [
            Solved(board, known[board], length) for board, length in zip(boards_now, lengths, strict=True)
        ]
        if log is not None:
            log.append(lengths, len(done))
        if not options.quiet:
            news()
    each = (time.perf_counter() - began) / max(1, len(done) - before)
    report(options, Counter(known.values()), done, each)
    return 0 if all(one.right for one in done) else 1


def lengths_of(model: str, boards: list[Board], processes: int) -> Iterator[list[int | None]]:
    """Lengths of plans in the order of the boards, `TOGETHER` at a time; raises what `plan_lengths` does."""
    slices = [boards[start : start + TOGETHER] for start in range(0, len(boards), TOGETHER)]
    solve, workers = partial(_lengths, model), min(processes, len(slices))
    yield from map(solve, slices) if workers < 2 else in_order(outcomes(solve, slices, workers))


def _lengths(model: str, boards: list[Board]) -> list[int | None]:
    return plan_lengths(_loaded(model), boards)


_loaded = cache(load_model)
"""In each process one machine, which keeps what it computed of control."""


class BoardLog:
    """Lengths of plans in the order of the boards, in a file; `iteration` counts boards."""

    def __init__(self, path: Path, of: Mapping[str, object], boards: int) -> None:
        """Opens the log, or begins one, of the run that `of` describes.

        Raises ConfigError (`eval.out`) for another file, which stays as it is, and what `JsonLines` raises.
        """
        self._lines, head = JsonLines(path), {"iteration": 0, **of}
        self._kept = self._lines.read()
        if path.exists() and path.stat().st_size and self._kept[:1] != [head]:
            found = self._kept[0] if self._kept else "no complete line"
            raise ConfigError("eval.out", f"{path}: expected a log of {head}, found {found}")
        if self._kept:
            self._lines.truncate_after(boards)  # A torn last line goes.
        else:
            self._lines.append([head])

    def solved(self, boards: list[Board], known: dict[Board, int]) -> list[Solved]:
        """What came of the first boards."""
        lengths = [length for record in self._kept[1:] for length in cast("list[int]", record["lengths"])]
        return [Solved(board, known[board], length) for board, length in zip(boards, lengths, strict=False)]

    def append(self, lengths: list[int | None], count: int) -> None:
        """What came of further boards, after which there are `count`."""
        self._lines.append([{"iteration": count, "lengths": lengths}])


def report(options: EvalOptions, sizes: Counter[int], done: list[Solved], each: float) -> None:
    """A row for each distance, what is wrong, and the seconds that `each` new board took."""
    tried = Counter(one.distance for one in done)
    right = Counter(one.distance for one in done if one.right)
    rows = [(far, sizes[far], tried[far], right[far]) for far in sorted(sizes)]
    columns = ("distance", "boards", "tried", "shortest plan")
    if options.json:
        for row in rows:
            print(json.dumps(dict(zip(columns, row, strict=True))))
    else:
        print_table(f"{options.model} on {WORLD}", columns, [[f"{cell:,}" for cell in row] for row in rows])
    wrong = [one for one in done if not one.right]
    for one in wrong[:SHOWN]:
        message(f"puzzle {' '.join(map(str, one.board))}: {one.distance} away, found {one.length}")
    if not options.json:
        far = max(one.length or 0 for one in done)
        count = f"{len(done) - len(wrong):,} of {len(done):,} boards solved by a shortest plan"
        print(f"{count}, the longest has {far} actions; {each:.3f} s a board")

"""`nhc eval` with a machine for graph-plan: boards of the 3x3 puzzle, beside their true distances."""

import json
import time
from collections import Counter

from nhc.cli.eval_command import EvalOptions
from nhc.cli.parse import message, now_and_then
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.planning.graph_search import control_note, verdict_of
from nhc.planning.puzzle_boards import Solved, distances, drawn, solved

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
    known = distances()
    boards = drawn(known, len(known) if options.all else options.n, options.seed)
    if not options.quiet:
        message(f"{options.model}: {control_note(verdict_of(model))}")
    began, done = time.perf_counter(), list[Solved]()

    def tell() -> None:
        each = (time.perf_counter() - began) / len(done)
        left = (len(boards) - len(done)) * each
        message(f"  {len(done):,}/{len(boards):,} boards, {each:.3f} s each, about {left:,.0f} s left")

    news = now_and_then(5.0, tell)
    for one in solved(model, boards, known):
        done.append(one)
        if not options.quiet:
            news()
    report(options, Counter(known.values()), done, time.perf_counter() - began)
    return 0 if all(one.right for one in done) else 1


def report(options: EvalOptions, sizes: Counter[int], done: list[Solved], seconds: float) -> None:
    """A row for each distance, and what is wrong."""
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
        print(f"{count}, the longest has {far} actions; {seconds:.0f} s, {seconds / len(done):.3f} s a board")

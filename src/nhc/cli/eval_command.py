"""`nhc eval`: successes by level on freshly sampled tasks, with data modules in the loop."""

import json
import time
from dataclasses import dataclass

import tyro

from nhc.cli.numbers import parse_numbers, require_seed
from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.domains.registry import make_domain
from nhc.errors import ConfigError
from nhc.model import load_model
from nhc.planning.evaluate import LevelResult, evaluate_level
from nhc.planning.modules import chosen_modules
from nhc.planning.states import computer_for
from nhc.statistics import label_sampled, upper_bound

DEEPEST_LEVEL = 200
"""Beyond it one task at a time is the better way: nhc solve."""

EXAMPLES = """\
Examples:

nhc eval zoo:plan

nhc eval zoo:plan --domain sokoban-8x8 --levels 1..21 --n 1000

nhc eval zoo:plan --domain sliding-3x3 --levels 1..21 --n 100

nhc eval runs/search-seed0/model.safetensors --levels 21 --json"""


@dataclass
class EvalOptions:
    """Evaluate a trained machine on sampled tasks; the claim is labelled *sampled*, with its exact bound.

    A task counts as solved if the operation and the data word of every tick are those of breadth-first
    search and, for a planner, of the way back, and if the run ends on the right tick.
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    domain: str = "sokoban-6x6"
    """Where tasks come from: sokoban-WxH, sokoban-permuted, sliding-3x3, stacking or free-tree."""
    modules: str = "exact"
    """Data modules: `exact`, `learned` (those that ship), or a file."""
    levels: str = "1..21"
    """Levels, for example 1..21 or 1,5,9."""
    n: int = 1000
    """Tasks a level."""
    seed: int = 1_000_000
    """Decides the tasks; apart from the small seeds that training used."""
    json: bool = False
    """One JSON object a level."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Evaluate and print the table. Exit 1 if any task failed."""
    options = parse(EvalOptions, arguments, name="eval", examples=EXAMPLES)
    require_seed(options.seed)
    model, domain = load_model(options.model), make_domain(options.domain)
    chosen = chosen_modules(options.modules, domain)
    computer = computer_for(model, domain, chosen.modules)
    levels = parse_numbers(options.levels, "levels")
    if min(levels) < 1 or max(levels) > DEEPEST_LEVEL or options.n < 1:
        found = f"expected levels 1..{DEEPEST_LEVEL} and n >= 1, found {options.levels} and {options.n}"
        raise ConfigError("eval.range", found)
    began = time.perf_counter()
    results: list[LevelResult] = []
    for number, level in enumerate(levels, start=1):
        results.append(evaluate_level(computer, domain, level, count=options.n, seed=options.seed))
        left = (time.perf_counter() - began) / number * (len(levels) - number)
        if not options.quiet:
            message(f"  level {level}: {results[-1].solved}/{options.n} solved, about {left:.0f} s left")
        if options.json:
            print(json.dumps({**results[-1]._asdict(), "failure_rate_bound": bound(results[-1])}))
    if not options.json:
        print_results(options, chosen.note, results)
    return 0 if all(result.failures == 0 for result in results) else 1


def bound(result: LevelResult) -> float:
    """Exact 95 % upper bound on the failure rate."""
    return upper_bound(result.failures, result.tasks)


def shown_level(result: LevelResult) -> str:
    """The level, with the one that its tasks come from if it has none of its own."""
    empty = result.drawn_from != result.level
    return f"{result.level} (empty, tasks of {result.drawn_from})" if empty else str(result.level)


def print_results(options: EvalOptions, note: str, results: list[LevelResult]) -> None:
    """The table, and the claim over all levels."""
    rows = [
        [
            shown_level(result),
            f"{result.solved:,}",
            f"{result.tasks:,}",
            f"{100 * bound(result):.3f} %",
            f"{100 * result.acceptance:.1f} %",
        ]
        for result in results
    ]
    columns = ["level", "solved", "tasks", "failure rate <= (95 %)", "worlds with a task"]
    print_table(f"{options.model} on {options.domain}, {note}: sampled", columns, rows, left=0)
    failures, tasks = sum(result.failures for result in results), sum(result.tasks for result in results)
    print(f"All levels, {label_sampled(failures, tasks)}")

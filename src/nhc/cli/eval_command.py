"""`nhc eval`: successes on freshly sampled tasks: by level with data modules in the loop, or by length."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from nhc.cli.parse import changed, message_unless, parse, parse_numbers
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.statistics import label_sampled, upper_bound
from nhc.streams import require_seed
from nhc.zoo import DEFAULT_CHOICE

DEEPEST_LEVEL = 200
"""Beyond it one task at a time is the better way: nhc solve."""


@dataclass
class EvalOptions:
    """Evaluate a trained machine on sampled tasks; the claim is labelled *sampled*, with its exact bound.

    A task counts as solved if the operation and the data word of every tick are those of breadth-first
    search and, for a planner, of the way back, and if the run ends on the right tick. A machine for
    graph-plan solves boards of the 3x3 puzzle instead: each plan is replayed, and has to be as long as the
    board is far from the goal, by a search of all boards. Machines that take an input, such as zoo:sort, get
    random ones of each length: whole answers are compared with the specification.

    Examples:
    nhc eval zoo:plan
    nhc eval zoo:plan --domain sokoban-8x8 --levels 1..21 --n 1000
    nhc eval zoo:plan --domain sliding-3x3 --levels 1..21 --n 100
    nhc eval runs/search-seed0/model.safetensors --levels 21 --json
    nhc eval zoo:graph-plan --domain sliding-3x3 --all --out boards.jsonl
    nhc eval zoo:sort --lengths 1..300
    nhc eval zoo:reverse --lengths 10000 --n 3 --engine network
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    domain: str = "sokoban-6x6"
    """Where tasks come from: sokoban-WxH, sokoban-permuted, sliding-3x3, stacking or free-tree."""
    modules: str = DEFAULT_CHOICE
    """Data modules: `learned` (those that ship; exact ones where there are none), `exact`, or a file."""
    levels: str = "1..21"
    """Levels, for example 1..21 or 1,5,9."""
    lengths: str | None = None
    """Lengths of inputs, 1..300 by default; the longest that fits for those that take too many ticks."""
    engine: Literal["program", "network"] | None = None
    """How inputs are run: by the table (the default), or by the network itself at every tick."""
    max_ticks: int | None = None
    """Budget of a run on an input: 100,000,000 ticks by default, of the network 1,000,000."""
    max_memory: int | None = None
    """Budget of a run by the table in bytes, 2 GiB by default."""
    n: int = 1000
    """Tasks a level; inputs a length; boards of the puzzle."""
    all: bool = False
    """All 181,440 boards of the puzzle, which takes hours."""
    out: Path | None = None
    """File that keeps which boards were solved; a later call goes on from there."""
    jobs: int | None = None
    """Processes that solve boards or run inputs; one a core by default."""
    seed: int = 1_000_000
    """Decides the tasks; apart from the small seeds that training used."""
    json: bool = False
    """One JSON object a level, or a length."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Evaluate and print the table. Exit 1 if any task failed."""
    options = parse(EvalOptions, arguments, name="eval")
    require_seed(options.seed)
    from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
    from nhc.model import load_model

    model = load_model(options.model)
    if isinstance(model.algorithm, SequenceAlgorithm):
        refuse(options, model.algorithm.name, "domain", "modules", "levels", "all", "out")
        from nhc.cli.eval_sequences import run_inputs

        return run_inputs(options)
    refuse(options, model.algorithm.name, "lengths", "engine", "max_ticks", "max_memory")
    levels = parse_numbers(options.levels, "levels")
    if min(levels) < 1 or max(levels) > DEEPEST_LEVEL or options.n < 1:
        found = f"expected levels 1..{DEEPEST_LEVEL} and n >= 1, found {options.levels} and {options.n}"
        raise ConfigError("eval.range", found)
    if model.algorithm.name == "graph-plan":
        from nhc.cli.eval_graph import run_boards

        return run_boards(options, model)
    if options.all or options.out or options.jobs is not None:
        wanted = "expected a machine for graph-plan, such as zoo:graph-plan"
        raise ConfigError("eval.range", f"--all, --out and --jobs: {wanted}")
    from nhc.domains.registry import make_domain
    from nhc.planning.evaluate import evaluate_level
    from nhc.planning.states import chosen_modules, computer_for

    domain = make_domain(options.domain)
    chosen = chosen_modules(options.modules, domain)
    computer = computer_for(model, domain, chosen.modules)
    tell, began = message_unless(options.quiet), time.perf_counter()
    rows: list[list[str]] = []
    failures = 0
    for number, level in enumerate(levels, start=1):
        result = evaluate_level(computer, domain, level, count=options.n, seed=options.seed)
        failures += result.failures
        bound = upper_bound(result.failures, result.tasks)
        left = (time.perf_counter() - began) / number * (len(levels) - number)
        tell(f"  level {level}: {result.solved}/{options.n} solved, about {left:.0f} s left")
        if options.json:
            print(json.dumps({**result._asdict(), "failure_rate_bound": bound}))
        # A level without tasks of its own names the one that its tasks come from.
        empty = "" if result.drawn_from == level else f" (empty, tasks of {result.drawn_from})"
        counts = [f"{level}{empty}", f"{result.solved:,}", f"{result.tasks:,}"]
        rows.append([*counts, f"{100 * bound:.3f} %", f"{100 * result.acceptance:.1f} %"])
    if not options.json:
        columns = ["level", "solved", "tasks", "failure rate <= (95 %)", "worlds with a task"]
        title = f"{options.model} on {options.domain}, {chosen.note}: sampled"
        print_table(title, columns, rows, left=0)
        print(f"All levels, {label_sampled(failures, options.n * len(levels))}")
    return 1 if failures else 0


def refuse(options: EvalOptions, name: str, *others: str) -> None:
    """Raises ConfigError (`eval.range`) if options are given that mean nothing for an algorithm."""
    if found := changed(options, *others):
        raise ConfigError("eval.range", f"expected options for a machine for {name}, found {found}")

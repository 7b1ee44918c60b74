"""`nhc transfer`: a trained machine, unchanged, on the whole curriculum of other worlds."""

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import tyro

from nhc.algorithms.tree.algorithm import TreeAlgorithm as Algorithm
from nhc.cli.numbers import require_seed
from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.domains.registry import AnyReadable, make_domain
from nhc.domains.states import picked, plain
from nhc.errors import ConfigError
from nhc.model import load_model
from nhc.planning.modules import chosen_modules
from nhc.planning.states import computer_for
from nhc.planning.transfer import Transfer, transfer
from nhc.runs.canonical import readable_json
from nhc.runs.storage import write_text_atomically
from nhc.runs.transfer_figure import Panel, draw_transfer
from nhc.statistics import label_sampled
from nhc.streams import random_stream

PAPER_ITERATIONS = 10_000
BATCH = 20
TARGETS = ("sokoban-permuted", "sliding-3x3", "stacking")
"""The worlds of the paper's Figure 4."""

EXAMPLES = """\
Examples:

nhc transfer zoo:plan

nhc transfer zoo:search --to sokoban-8x8 --iterations 2000

nhc transfer runs/plan-seed0/model.safetensors --to sliding-3x3 stacking --out runs/transfer"""


@dataclass
class TransferOptions:
    """Run a trained machine over all curriculum levels of other worlds, with their learned data modules.

    Nothing is learned. 10,000 iterations of 20 samples, as in the paper's Figure 4, which is drawn.
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    to: tuple[str, ...] = TARGETS
    """The worlds."""
    modules: str = "learned"
    """Data modules: `learned` (those that ship; exact ones where there are none), `exact`, or a file."""
    iterations: int = PAPER_ITERATIONS
    """Batches of 20 samples."""
    seed: int = 0
    """Decides the samples."""
    out: Path | None = None
    """Folder for picture and figures; runs/transfer-TASK by default."""
    json: bool = False
    """One JSON object a world."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Transfer to each world and draw. Exit 1 if a sample was not solved perfectly."""
    options = parse(TransferOptions, arguments, name="transfer", examples=EXAMPLES)
    require_seed(options.seed)
    if options.iterations < 1:
        raise ConfigError("transfer.range", f"expected at least one iteration, found {options.iterations}")
    model = load_model(options.model)
    domains = [make_domain(name) for name in options.to]
    done: list[Transfer] = []
    for domain in domains:
        chosen = chosen_modules(options.modules, domain)
        computer = computer_for(model, domain, chosen.modules)
        note = silent if options.quiet else progress(domain.name, options.iterations)
        if not options.quiet:
            message(f"{options.model} on {domain.name}: {chosen.note}")
        done.append(
            transfer(computer, domain, iterations=options.iterations, seed=options.seed, on_progress=note)
        )
        if options.json:
            print(json.dumps(summary(done[-1])))
            sys.stdout.flush()
    folder = options.out or Path("runs") / f"transfer-{model.algorithm.name}"
    panels = [
        panel(one, domain, model.algorithm, options.seed) for one, domain in zip(done, domains, strict=True)
    ]
    folder.mkdir(parents=True, exist_ok=True)
    picture, _ = draw_transfer(panels, folder / "transfer")
    write_text_atomically(picture.with_suffix(".json"), readable_json([summary(one) for one in done]))
    if not options.json:
        print_results(options.model, done)
    message(f"Picture: {picture}")
    return 0 if not any(one.mistakes for one in done) else 1


def silent(samples: int, mistakes: int) -> None:
    """Says nothing."""
    del samples, mistakes


def progress(world: str, iterations: int) -> Callable[[int, int], None]:
    """Says now and then how far a transfer is."""
    began = last = time.monotonic()
    total = iterations * BATCH

    def on_progress(samples: int, mistakes: int) -> None:
        nonlocal last
        now = time.monotonic()
        if now - last >= 5.0:
            last = now
            left = (now - began) * (total - samples) / samples
            message(f"  {world}: {samples:,}/{total:,} samples, {mistakes} mistakes, about {left:.0f} s left")

    return on_progress


def summary(one: Transfer) -> dict[str, object]:
    """The figures of one world."""
    return {
        "world": one.domain,
        "task": one.task,
        "modules": one.modules,
        "samples": one.samples,
        "mistakes": one.mistakes,
        "lowest_fitness": float(one.fitness.min()),
        "empty_levels": {str(level): behind for level, behind in one.behind.items()},
        "seconds": round(one.seconds, 1),
        "samples_per_s": round(one.samples / one.seconds),
        "claim": label_sampled(one.mistakes, one.samples),
    }


def panel(one: Transfer, domain: AnyReadable, algorithm: Algorithm, seed: int) -> Panel:
    """What the figure shows of one world."""
    state = plain(picked(domain.sample(random_stream(seed, "picture"), 1), 0))
    return Panel(
        title=f"{algorithm.name} on {one.domain}, {one.modules}",
        world=domain.draw(state),
        level=one.level,
        fitness=np.asarray(one.fitness),
        maximum=algorithm.maximum,
        behind=one.behind,
        note=f"{one.samples:,} samples, {one.mistakes:,} mistakes",
    )


def print_results(model: str, done: list[Transfer]) -> None:
    """One row a world."""
    columns = ["world", "modules", "samples", "mistakes", "lowest fitness", "failure rate", "samples/s", "s"]
    rows = [
        [
            one.domain,
            one.modules,
            f"{one.samples:,}",
            f"{one.mistakes:,}",
            f"{one.fitness.min():.2f}",
            label_sampled(one.mistakes, one.samples),
            f"{one.samples / one.seconds:,.0f}",
            f"{one.seconds:.0f}",
        ]
        for one in done
    ]
    print_table(f"{model}, frozen, on the curriculum of other worlds: sampled", columns, rows, left=2)

"""`nhc modules train`: learn the data modules of a world, with live progress and a run directory."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from nhc.cli.numbers import parse_numbers
from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.streams import require_seed
from nhc.supervised.config import ModulesConfig
from nhc.supervised.keeping import ModuleSummary, resume_in_directory, train_in_directory
from nhc.supervised.progress import ModulesProgress, SilentModulesProgress, modules_progress_on
from nhc.supervised.sizes import MODULES

RUNS = Path("runs")

EXAMPLES = """\
Examples:

nhc modules train sokoban-6x6

nhc modules train sokoban-6x6 --module alu --seed 3

nhc modules train sokoban-6x6 --seeds 0..4 --out runs/modules

nhc modules train --resume runs/sokoban-6x6-modules-seed0"""


@dataclass
class ModulesTrainOptions:
    """Learn the data modules of a world from samples, until a check finds no error.

    When fresh samples show no errors, the module is checked; what the check finds goes into the training
    samples. The run directory keeps configuration, metrics, checkpoints and the modules.
    """

    domain: tyro.conf.Positional[str | None] = None
    """A world made of cells, such as sokoban-6x6; not needed with --resume."""
    module: Literal["input", "transform_d", "alu", "output"] | None = None
    """One module only; all four by default."""
    seed: int = 0
    """Decides everything random."""
    seeds: str | None = None
    """Several runs one after the other, for example 0..4."""
    equality: Literal["monotone", "free"] = "monotone"
    """Signs of Input's weights: fixed, which makes its proof short, or free."""
    budget: int = 100_000
    """Updates of a module."""
    out: Path | None = None
    """Run directory; with --seeds the folder of the run directories."""
    overwrite: bool = False
    """Replace an earlier run there."""
    resume: Path | None = None
    """Continue the run in this directory, with its own settings."""
    json: bool = False
    """One JSON object a module on stdout."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Train and print a table. Exit 1 if a module did not get to a check without errors."""
    options = parse(ModulesTrainOptions, arguments, name="modules train", examples=EXAMPLES)
    summaries = resumed(options) if options.resume is not None else trained(options)
    if options.json:
        for summary in summaries:
            print(json.dumps(summary._asdict()))
    else:
        print_summaries(summaries)
    return 0 if all(summary.errors == 0 for summary in summaries) else 1


def trained(options: ModulesTrainOptions) -> list[ModuleSummary]:
    """New runs, one a seed. Raises ConfigError (`domain.unknown`, `config.value`, `cli.numbers`)."""
    if options.domain is None:
        raise ConfigError("domain.unknown", "expected a world such as sokoban-6x6, or --resume; found none")
    seeds = [options.seed] if options.seeds is None else parse_numbers(options.seeds)
    if len({*seeds}) < len(seeds):
        raise ConfigError("cli.numbers", f"seeds: expected each once, found {options.seeds!r}")
    summaries: list[ModuleSummary] = []
    for seed in seeds:
        config = config_of(options, options.domain, seed)
        path = RUNS / run_name(options.domain, seed) if options.out is None else options.out
        if options.seeds is not None and options.out is not None:
            path = options.out / run_name(options.domain, seed)
        message(f"Learning the data modules of {options.domain}, seed {seed}: {path}")
        summaries += train_in_directory(config, path, progress(options), overwrite=options.overwrite)
    return summaries


def resumed(options: ModulesTrainOptions) -> list[ModuleSummary]:
    """The rest of a run. Raises ConfigError (`cli.options`) for options that only a new run has."""
    if options.resume is None or options.domain is not None or options.seeds is not None:
        raise ConfigError("cli.options", "--resume: expected no world and no --seeds, the run has its own")
    message(f"Continuing {options.resume}")
    return resume_in_directory(options.resume, progress(options))


def config_of(options: ModulesTrainOptions, domain: str, seed: int) -> ModulesConfig:
    """The full configuration. Raises ConfigError (`config.value`)."""
    require_seed(seed)
    if options.budget < 1:
        raise ConfigError("config.value", f"budget: expected at least 1, found {options.budget}")
    return ModulesConfig.of_world(
        domain,
        modules=MODULES if options.module is None else (options.module,),
        seed=seed,
        equality=options.equality,
        budget=options.budget,
    )


def run_name(domain: str, seed: int) -> str:
    """The directory name of a run."""
    return f"{domain}-modules-seed{seed}"


def progress(options: ModulesTrainOptions) -> ModulesProgress:
    """What is shown on stderr."""
    return SilentModulesProgress() if options.quiet else modules_progress_on(sys.stderr)


def print_summaries(summaries: list[ModuleSummary]) -> None:
    """A row a module."""
    columns = ["module", "seed", "updates", "seconds", "counterexample rounds", "errors", "cases", "check"]
    rows = [
        [
            each.module,
            f"{each.seed}",
            f"{each.updates:,}",
            f"{each.seconds:.1f}",
            f"{each.counterexample_rounds}",
            "not checked" if each.errors is None else f"{each.errors:,}",
            f"{each.cases:,}",
            each.check,
        ]
        for each in summaries
    ]
    clean = sum(each.errors == 0 for each in summaries)
    world, model = summaries[0].world, summaries[-1].model
    print_table(f"{world}: {clean} of {len(summaries)} modules without errors; {model}", columns, rows)

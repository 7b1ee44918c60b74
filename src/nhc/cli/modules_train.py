"""`nhc modules train`: learn the data modules of a world, or go on from those of a file."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse, parse_seeds
from nhc.cli.tables import print_lines, print_table
from nhc.errors import ConfigError, ModelError
from nhc.runs.progress import progress_unless
from nhc.zoo import modules_path

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.supervised.files import DataModel
    from nhc.supervised.keeping import ModuleSummary

RUNS = Path("runs")


@dataclass
class ModulesTrainOptions:
    """Learn the data modules of a world from samples, until a check finds no error.

    When fresh samples show no errors, the module is checked; what the check finds goes into the training
    samples. The run directory keeps configuration, metrics, checkpoints and the modules. With --init each
    module of a file begins with its check: if that finds nothing, it stays as it is, else it learns from what
    the check found.

    Examples:
    nhc modules train sokoban-6x6
    nhc modules train sokoban-6x6 --module alu --seed 3
    nhc modules train sokoban-6x6 --seeds 0..4 --out runs/modules
    nhc modules train --init modules.safetensors --module transform_d
    nhc modules train --resume runs/sokoban-6x6-modules-seed0
    """

    domain: tyro.conf.Positional[str | None] = None
    """A world made of cells, such as sokoban-6x6; not needed with --init and --resume."""
    module: Literal["input", "transform_d", "alu", "output"] | None = None
    """One module only; by default all four, or those of the file."""
    init: str | None = None
    """Go on from the modules of a file, or zoo:WORLD for those that ship."""
    seed: int | None = None
    """Decides everything random; by default 0, with --init 1, since samples of the same seed were seen."""
    seeds: str | None = None
    """Several runs one after the other, for example 0..4."""
    budget: int | None = None
    """Updates of a module; by default 100,000, with --init as many as the file was trained with."""
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
    options = parse(ModulesTrainOptions, arguments, name="modules train")
    summaries = resumed(options) if options.resume is not None else trained(options)
    if options.json:
        print_lines(summary._asdict() for summary in summaries)
    else:
        print_summaries(summaries)
    return 0 if all(summary.errors == 0 for summary in summaries) else 1


def trained(options: ModulesTrainOptions) -> "list[ModuleSummary]":
    """New runs, one a seed. Raises ConfigError (`domain.unknown`), what `seeds_of` and `model_of` raise."""
    from nhc.supervised.config import MODULES, ModulesConfig
    from nhc.supervised.keeping import train_in_directory
    from nhc.supervised.run import config_of_model, state_of_model

    model = None if options.init is None else model_of(options, options.init)
    domain = options.domain if model is None else model.world
    if domain is None:
        raise ConfigError("domain.unknown", "expected a world such as sokoban-6x6, or --resume; found none")
    modules = MODULES if model is None else model.modules
    modules = modules if options.module is None else (options.module,)
    summaries: list[ModuleSummary] = []
    for seed in seeds_of(options):
        if model is None:
            budget = {} if options.budget is None else {"budget": options.budget}
            config, first = ModulesConfig.of_world(domain, modules=modules, seed=seed, **budget), None
        else:
            config = config_of_model(model, modules, seed=seed, budget=options.budget)
            first = state_of_model(model, config)
        path = options.out or RUNS
        if options.seeds is not None or options.out is None:
            path /= f"{domain}-modules-seed{seed}"
        message(f"Learning the data modules of {domain}, seed {seed}: {path}")
        progress = progress_unless(options.quiet)
        summaries += train_in_directory(config, path, progress, overwrite=options.overwrite, first=first)
    return summaries


def seeds_of(options: ModulesTrainOptions) -> list[int]:
    """Raises ConfigError (`cli.numbers`, `config.value`)."""
    from nhc.streams import require_seed

    usual = 0 if options.init is None else 1
    seeds = [usual if options.seed is None else options.seed]
    if options.seeds is not None:
        seeds = parse_seeds(options.seeds)
    for seed in seeds:
        require_seed(seed)
    if options.budget is not None and options.budget < 1:
        raise ConfigError("config.value", f"budget: expected at least 1, found {options.budget}")
    return seeds


def model_of(options: ModulesTrainOptions, init: str) -> "DataModel":
    """The modules to go on from.

    Raises ConfigError (`cli.options`) if another world is named, ModelError: `model.incomplete` without the
    module, and those of `load_with_world`.
    """
    from nhc.supervised.files import load_with_world

    model, world = load_with_world(modules_path(init))
    if options.domain not in (None, world.name):
        raise ConfigError("cli.options", f"--init: expected modules of {options.domain}, found {world.name}")
    if not model.modules or (options.module is not None and options.module not in model.modules):
        raise ModelError("model.incomplete", f"expected the module {options.module or ''}, found none")
    return model


def resumed(options: ModulesTrainOptions) -> "list[ModuleSummary]":
    """The rest of a run. Raises ConfigError (`cli.options`) for options that only a new run has."""
    from nhc.supervised.keeping import resume_in_directory

    new = (options.domain, options.seeds, options.init)
    if options.resume is None or any(option is not None for option in new):
        raise ConfigError("cli.options", "--resume: expected no world, --seeds or --init: the run has them")
    message(f"Continuing {options.resume}")
    return resume_in_directory(options.resume, progress_unless(options.quiet))


def print_summaries(summaries: "list[ModuleSummary]") -> None:
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

"""`nhc modules repair`: check modules, and learn what went wrong until a check finds no error."""

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import tyro

from nhc.cli.modules_train import RUNS
from nhc.cli.parse import message, parse
from nhc.cli.tables import print_table
from nhc.errors import ConfigError, ModelError
from nhc.streams import require_seed
from nhc.supervised.files import load_with_world
from nhc.supervised.progress import ModulesProgress, SilentModulesProgress, modules_progress_on
from nhc.supervised.repair import ModuleRepair, repair_config, repair_in_directory, resume_repair
from nhc.supervised.run import local_world
from nhc.supervised.shipped import modules_path

EXAMPLES = """\
Examples:

nhc modules repair damaged.safetensors

nhc modules repair damaged.safetensors --module transform_d --out runs/repaired

nhc modules repair --resume runs/repaired"""


@dataclass
class ModulesRepairOptions:
    """Go on training data modules, from the counterexamples of a check, until a check finds none.

    Each module begins with its check. If that finds nothing, the module stays as it is. The run directory is
    that of `nhc modules train`.
    """

    model: tyro.conf.Positional[str | None] = None
    """A file of data modules, or zoo:WORLD for those that ship; not needed with --resume."""
    module: Literal["input", "transform_d", "alu", "output"] | None = None
    """One module only; all of the file by default."""
    seed: int = 1
    """Of the fresh samples; another one than that of the training."""
    budget: int | None = None
    """Updates of a module; by default as many as the model could train with."""
    out: Path | None = None
    """Run directory; by default under runs/, by the world's name."""
    overwrite: bool = False
    """Replace an earlier run there."""
    resume: Path | None = None
    """Continue the repair in this directory, with its own settings."""
    json: bool = False
    """One JSON object a module on stdout."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Repair and print a table. Exit 1 if a module did not get to a check without errors."""
    options = parse(ModulesRepairOptions, arguments, name="modules repair", examples=EXAMPLES)
    repairs = resumed(options) if options.resume is not None else repaired(options)
    if options.json:
        for repair in repairs:
            print(json.dumps(repair._asdict()))
    else:
        print_repairs(repairs)
    return 0 if all(repair.after == 0 for repair in repairs) else 1


def repaired(options: ModulesRepairOptions) -> list[ModuleRepair]:
    """A new run. Raises ConfigError (`cli.options`, `config.value`), ModelError (`model.incomplete`)."""
    if options.model is None:
        raise ConfigError("cli.options", "expected a file of data modules, or --resume; found none")
    require_seed(options.seed)
    if options.budget is not None and options.budget < 1:
        raise ConfigError("config.value", f"budget: expected at least 1, found {options.budget}")
    model, _ = load_with_world(modules_path(options.model), local_world)
    modules = model.modules if options.module is None else (options.module,)
    if not modules or not {*modules} <= {*model.modules}:
        raise ModelError("model.incomplete", f"expected the module {options.module or ''}, found none")
    config = repair_config(model, modules, seed=options.seed, budget=options.budget)
    out = RUNS / f"{model.world}-repair" if options.out is None else options.out
    message(f"Repairing data modules of {model.world}: {out}")
    return repair_in_directory(model, config, out, progress(options), overwrite=options.overwrite)


def resumed(options: ModulesRepairOptions) -> list[ModuleRepair]:
    """The rest of a run. Raises ConfigError (`cli.options`) for options that only a new run has."""
    if options.resume is None or options.model is not None or options.module is not None:
        raise ConfigError("cli.options", "--resume: expected no model and no --module, the run has its own")
    message(f"Continuing {options.resume}")
    return resume_repair(options.resume, progress(options))


def progress(options: ModulesRepairOptions) -> ModulesProgress:
    """What is shown on stderr."""
    return SilentModulesProgress() if options.quiet else modules_progress_on(sys.stderr)


def print_repairs(repairs: list[ModuleRepair]) -> None:
    """A row a module."""
    columns = ["module", "errors before", "counterexample rounds", "updates", "errors after"]
    columns += ["check", "seconds"]
    rows = [
        [
            each.module,
            "not checked" if each.before is None else f"{each.before:,}",
            f"{each.counterexample_rounds}",
            f"{each.updates:,}",
            "not checked" if each.after is None else f"{each.after:,}",
            each.check,
            f"{each.seconds:.1f}",
        ]
        for each in repairs
    ]
    clean = sum(each.after == 0 for each in repairs)
    world, model = repairs[0].world, repairs[-1].model
    print_table(f"{world}: {clean} of {len(repairs)} modules without errors; {model}", columns, rows)

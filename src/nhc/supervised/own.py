"""The short way to learned data modules of any finite world: learn, check all of it, get a table.

In memory and in one process; `nhc modules train` keeps runs of the worlds that have names.
"""

from pathlib import Path
from typing import NamedTuple

from nhc.data.learned import LearnedModules
from nhc.data.networks import dense
from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import StateT
from nhc.errors import ModelError
from nhc.runs.progress import Progress, SilentProgress
from nhc.supervised import files
from nhc.supervised.check.report import COUNTED
from nhc.supervised.check.run import CheckOptions, check_networks
from nhc.supervised.config import ModulesConfig, Sizes
from nhc.supervised.equality_proof import Proved, Refuted, prove_equality
from nhc.supervised.files import DataModel, encoding_hash, learned_modules
from nhc.supervised.run import RunState, Standings, train_modules, trained_model
from nhc.supervised.world_check import check_world

SMALL = Sizes(equality=(10,), view=(64,), acts=(32, 32), change=(64, 32), inserts=(64, 32), mask=(64, 64))
"""Hidden units for worlds of a few thousand states; the paper's, for Sokoban, are `Sizes()`."""


class ModuleCheck(NamedTuple):
    """What the check of one module found."""

    module: str
    """`input`, `transform_d`, `alu`, `output`, or `composed`, the last three in a row."""
    label: str
    """`proved` for Input, `exhaustive` for the others, unless something is wrong or open."""
    cases: int | None
    """None for Input, which is proved for all pairs of words."""
    errors: int
    margin: float
    """The smallest distance of a decision from being another one; not positive if one is wrong."""
    passed: bool


class ModulesReport(NamedTuple):
    """A check of all modules of a world; as text a table."""

    world: str
    family: str
    states: int
    """By enumeration."""
    formula: int
    """What the world says that there are."""
    modules: tuple[ModuleCheck, ...]
    passed: bool
    """Was the whole family seen, without an error, and Input proved?"""

    def __str__(self) -> str:
        lines = [f"{self.world}: {self.family}; {self.states:,} states, {self.formula:,} by formula"]
        for name, label, cases, errors, margin, _ in self.modules:
            counted = "all pairs" if cases is None else f"{cases:,} cases"
            lines.append(f"  {name:<12} {label:<11} {counted:>13}  {errors:>4,} errors  margin {margin:.3f}")
        return "\n".join(lines)


def learn_modules(
    world: FiniteWorld[StateT],
    seed: int = 0,
    *,
    sizes: Sizes = SMALL,
    budget: int = 100_000,
    progress: Progress | None = None,
) -> tuple[LearnedModules, ModulesReport]:
    """Learn the four data modules of a world from samples of it, and check them on its whole family.

    A module is learned until a complete check finds no error in it; only if `budget` updates did not suffice,
    the report has errors. The same seed gives the same weights on one machine. Raises what `check_world`
    raises for a world that does not fit together.
    """
    check_world(world, seed=seed)
    config = ModulesConfig(domain=world.name, seed=seed, sizes=sizes, budget=budget)
    shown = Standings(world, config, SilentProgress() if progress is None else progress)
    run = RunState(0, {})
    try:
        for after, record in train_modules(world, config, run, shown.checking):
            run = after
            shown.note(run, record)
    finally:
        shown.progress.close()
    modules = learned_modules(trained_model(world, config, run, {}))
    return modules, check_modules(world, modules)


def check_modules(world: FiniteWorld[StateT], modules: LearnedModules) -> ModulesReport:
    """Run data modules on every state of a world and every operation, and prove Input for all pairs of words.

    Raises ModelError (`model.encoding`) for modules of another world, ConfigError (`world.views`).
    """
    if modules.form != world.form or modules.world != world.name:
        raise ModelError("model.encoding", f"expected modules for {world.name}, found {modules.name}")
    report = check_networks(world, modules.networks, CheckOptions())
    counted = [
        ModuleCheck(name, report.label(name), counts.cases, counts.errors, counts.margin, counts.passed)
        for name, counts in ((name, report.tallies[name]) for name in COUNTED)
    ]
    rows = (_equality_check(world, modules), *counted)
    passed = report.passed and all(row.passed for row in rows)
    return ModulesReport(world.name, world.family, report.enumerated, report.formula, rows, passed)


def save_modules(path: str | Path, world: FiniteWorld[StateT], modules: LearnedModules) -> None:
    """Write data modules of a world to a file, atomically. Raises StorageError (`storage.write`)."""
    model = DataModel(modules.networks, modules.form, modules.world, encoding_hash(world), {})
    files.save_modules(Path(path), model)


def load_modules(path: str | Path, world: FiniteWorld[StateT]) -> LearnedModules:
    """Read data modules of a world from a file.

    Raises ModelError: `model.encoding` if they are of another world, or if the world has changed since, and
    what `nhc.supervised.files.load_modules` raises.
    """
    return learned_modules(files.load_modules(Path(path), world))


def _equality_check(world: FiniteWorld[StateT], modules: LearnedModules) -> ModuleCheck:
    verdict = prove_equality(dense(modules.networks, "equality"), world.form)
    if isinstance(verdict, Proved):
        return ModuleCheck("input", "proved", None, 0, verdict.margin, True)
    if isinstance(verdict, Refuted):
        return ModuleCheck("input", "refuted", None, 1, -abs(verdict.logit), False)
    return ModuleCheck("input", "undecided", None, 0, 0.0, False)

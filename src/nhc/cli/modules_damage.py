"""`nhc modules damage`: change one bias of a data module so little that only a handful of cases go wrong."""

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import tyro

from nhc.cli.modules_check import LARGEST_FAMILY, Shown
from nhc.cli.parse import message, parse
from nhc.domains.finite import finite_world
from nhc.domains.local import FiniteWorld, WordForm
from nhc.domains.protocol import OPS
from nhc.domains.registry import AnyState
from nhc.errors import ConfigError, ModelError
from nhc.streams import require_seed
from nhc.supervised.check.damage import Damage, find_damage
from nhc.supervised.check.run import NEEDS
from nhc.supervised.check.tally import Counterexample
from nhc.supervised.files import DataModel, load_with_world, save_modules
from nhc.supervised.shipped import modules_path

SHOWN = 5
"""Wrong cases that are printed."""

EXAMPLES = """\
Examples:

nhc modules damage zoo:sliding-3x3 --out damaged.safetensors

nhc modules damage zoo:sokoban-6x6 --module output --most 3 --out damaged.safetensors"""


@dataclass
class ModulesDamageOptions:
    """Damage a data module on purpose, to see that a check finds it and that a repair mends it.

    Looks for a change of one bias that makes at least one and at most --most of all cases wrong, which two
    complete checks of the module confirm.
    """

    model: tyro.conf.Positional[str]
    """A file of data modules without errors, or zoo:WORLD for those that ship."""
    out: Path
    """The file of the damaged modules."""
    module: Literal["transform_d", "alu", "output"] = "transform_d"
    """What is damaged."""
    most: int = 5
    """Cases that may go wrong."""
    seed: int = 0
    """Which bias is tried first."""
    workers: int | None = None
    """Processes of the checks; one a core by default, 0 for none beside this one."""
    json: bool = False
    """One JSON object on stdout, with all wrong cases."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Damage a module, write the file, say what was changed.

    Raises ConfigError (`modules.large`) for families that no check can enumerate, ModelError
    (`model.incomplete`, `modules.wrong`, `modules.damage`).
    """
    options = parse(ModulesDamageOptions, arguments, name="modules damage", examples=EXAMPLES)
    require_seed(options.seed)
    if options.most < 1:
        raise ConfigError("config.value", f"most: expected at least 1, found {options.most}")
    model, world = load_with_world(modules_path(options.model), finite_world)
    require_enumerable(world)
    damage = damaged(model, world, options)
    save_modules(options.out, damaged_model(model, damage))
    message(f"Damaged modules: {options.out}")
    if options.json:
        print(json.dumps({**record_of(model, damage), "wrong": damage.tally.as_json()["wrong"]}))
    else:
        print(text_of(world.form, options.module, damage))
    return 0


def require_enumerable(world: FiniteWorld[AnyState]) -> None:
    """Raises ConfigError (`modules.large`)."""
    if world.family_size > LARGEST_FAMILY:
        found = f"{world.name} with {world.family_size:,} states"
        raise ConfigError("modules.large", f"expected a family that can be checked completely, found {found}")


def damaged(model: DataModel, world: FiniteWorld[AnyState], options: ModulesDamageOptions) -> Damage:
    """Raises ModelError: `model.incomplete` without the module, `modules.wrong`, `modules.damage`."""
    module = options.module
    if not {*NEEDS[module]} <= model.networks.keys():
        raise ModelError("model.incomplete", f"expected the networks of {module}, found none")
    damage = find_damage(
        world,
        model.networks,
        module,
        most=options.most,
        seed=options.seed,
        workers=options.workers,
        note=(lambda text: None) if options.quiet else message,
        on_progress=Shown(options.quiet),
    )
    if damage is None:
        found = f"found no bias of {module} whose change makes 1 to {options.most} cases wrong"
        raise ModelError("modules.damage", f"{found}; try a larger --most")
    return damage


def damaged_model(model: DataModel, damage: Damage) -> DataModel:
    """The model with the damage and a record of it; its check record is gone."""
    record = {**model.record, "damaged": record_of(model, damage)}
    return replace(model, networks={**model.networks, **damage.networks}, record=record, check=None)


def record_of(model: DataModel, damage: Damage) -> dict[str, object]:
    """Plain values: of what weights which bias was changed, and what that did."""
    return {
        "weights": model.hash,
        "network": damage.network,
        "unit": damage.unit,
        "change": damage.change,
        "cases": damage.tally.cases,
        "errors": damage.tally.errors,
        "margin": damage.tally.margin,
    }


def text_of(form: WordForm, module: str, damage: Damage) -> str:
    """What was changed, and some wrong cases."""
    tally = damage.tally
    lines = [
        f"Changed bias {damage.unit} of the last layer of `{damage.network}` by {damage.change:+.4f}.",
        f"{module}: {tally.errors} of {tally.cases:,} cases wrong, margin {tally.margin:.4f}.",
        *(case_text(form, module, case) for case in tally.wrong[:SHOWN]),
    ]
    if tally.errors > SHOWN:
        lines.append(f"  and {tally.errors - SHOWN} more")
    return "\n".join(lines)


def case_text(form: WordForm, module: str, case: Counterexample) -> str:
    """A wrong case: the number of its state or view, its operation, its symbols."""
    names = (*form.symbols, "beyond")
    kind = "view" if module == "alu" else "state"
    op = "" if case.op < 0 else f", {OPS[case.op]}"
    return f"  {kind} {case.state}{op}: {' '.join(names[symbol] for symbol in case.symbols)}"

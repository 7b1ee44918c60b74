"""`nhc zoo`: the trained models that ship with the package."""

import json
from dataclasses import dataclass

from nhc.cli.parse import parse
from nhc.cli.tables import print_table
from nhc.machine.layout import weight_count
from nhc.model import ZOO_PREFIX, load_model, zoo_names, zoo_path
from nhc.supervised.check.report import check_note
from nhc.supervised.files import blocks, load_modules
from nhc.supervised.shipped import PREFIX, modules_path, shipped_worlds

EXAMPLES = """\
Examples:

nhc zoo

nhc zoo --json

nhc solve zoo:plan --sample level=8"""


@dataclass
class ZooOptions:
    """List the trained models that ship with nhc; use them by name wherever a model is expected."""

    json: bool = False
    """One JSON object a model."""


def run(arguments: list[str]) -> int:
    """Print the lists."""
    options = parse(ZooOptions, arguments, name="zoo", examples=EXAMPLES)
    machines = [machine_row(name) for name in zoo_names()]
    modules = [modules_row(world) for world in shipped_worlds()]
    if options.json:
        for row in (*machines, *modules):
            print(json.dumps(row))
        return 0
    print_rows("Trained models", machines, left=3)
    print_rows("Learned data modules", modules, left=1)
    return 0


def machine_row(name: str) -> dict[str, object]:
    """What is known about a machine."""
    model = load_model(ZOO_PREFIX + name)
    config = model.record.get("config")
    return {
        "model": ZOO_PREFIX + name,
        "task": model.algorithm.name,
        "fitness": config.get("fitness") if isinstance(config, dict) else "?",
        "seed": model.record.get("seed"),
        "weights": weight_count(model.config),
        "learning_iterations": model.record.get("learning_iterations"),
        "iterations": model.record.get("iterations"),
        "mastered": model.record.get("mastered"),
        "bytes": zoo_path(name).stat().st_size,
        "hash": model.hash,
    }


def modules_row(world: str) -> dict[str, object]:
    """What is known about the data modules of a world."""
    path = modules_path(PREFIX + world)
    model = load_modules(path)
    return {
        "data_modules": PREFIX + world,
        "weights": sum(int(block.size) for block in blocks(model.networks).values()),
        "check": check_note(path, model.hash),
        "bytes": path.stat().st_size,
        "hash": model.hash,
    }


def print_rows(title: str, rows: list[dict[str, object]], *, left: int) -> None:
    """A table, hashes cut to what tells them apart."""
    shown = [[str(value) if key != "hash" else str(value)[:12] for key, value in row.items()] for row in rows]
    print_table(title, [key.replace("_", " ") for key in rows[0]] if rows else [], shown, left=left)

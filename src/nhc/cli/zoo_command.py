"""`nhc zoo`: the trained models that ship with the package, from their files, without JAX."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from nhc.cli.parse import parse
from nhc.cli.tables import print_lines, print_table
from nhc.runs.arrays import load_arrays, weight_hash
from nhc.supervised.check.report import check_note
from nhc.zoo import ZOO_PREFIX, modules_path, shipped_worlds, zoo_names, zoo_path


@dataclass
class ZooOptions:
    """List the trained models that ship with nhc; use them by name wherever a model is expected.

    Examples:
    nhc zoo
    nhc zoo --json
    nhc solve zoo:plan --sample level=8
    """

    json: bool = False
    """One JSON object a model."""


def run(arguments: list[str]) -> int:
    """Print the lists."""
    options = parse(ZooOptions, arguments, name="zoo")
    machines = [machine_row(name) for name in zoo_names()]
    modules = [modules_row(world) for world in shipped_worlds()]
    if options.json:
        print_lines([*machines, *modules])
        return 0
    print_rows("Trained models", machines, left=3)
    print_rows("Learned data modules", modules, left=1)
    return 0


def machine_row(name: str) -> dict[str, object]:
    """What is known about a machine."""
    path = zoo_path(name)
    metadata, weights = weights_of(path)
    record = metadata.get("record")
    record = record if isinstance(record, dict) else {}
    config = record.get("config")
    return {
        "model": ZOO_PREFIX + name,
        "task": metadata.get("task"),
        "fitness": config.get("fitness") if isinstance(config, dict) else "?",
        "seed": record.get("seed"),
        "weights": weights["weights"],
        "learning_iterations": record.get("learning_iterations"),
        "iterations": record.get("iterations"),
        "mastered": record.get("mastered"),
        "certified": record.get("certified", False),
        "bytes": weights["bytes"],
        "hash": weights["hash"],
    }


def modules_row(world: str) -> dict[str, object]:
    """What is known about the data modules of a world."""
    path = modules_path(ZOO_PREFIX + world)
    _, weights = weights_of(path)
    row = {"data_modules": ZOO_PREFIX + world, "weights": weights["weights"]}
    return {**row, "check": check_note(path, str(weights["hash"])), **weights}


def weights_of(path: Path) -> tuple[dict[str, object], dict[str, object]]:
    """The metadata of a model file, and its size. Raises what `load_arrays` raises."""
    arrays, metadata = load_arrays(path)
    count = sum(int(array.size) for array in arrays.values())
    return metadata, {"weights": count, "bytes": path.stat().st_size, "hash": weight_hash(arrays)}


def print_rows(title: str, rows: Sequence[dict[str, object]], *, left: int) -> None:
    """A table, hashes cut to what tells them apart."""
    shown = [[str(value) if key != "hash" else str(value)[:12] for key, value in row.items()] for row in rows]
    print_table(title, [key.replace("_", " ") for key in rows[0]] if rows else [], shown, left=left)

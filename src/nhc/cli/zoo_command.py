"""`nhc zoo`: the trained models that ship with the package."""

import json
from dataclasses import dataclass

from nhc.cli.parse import parse
from nhc.cli.tables import print_table
from nhc.machine.layout import weight_count
from nhc.model import ZOO_PREFIX, load_model, zoo_names, zoo_path

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
    """Print the list."""
    options = parse(ZooOptions, arguments, name="zoo", examples=EXAMPLES)
    rows = []
    for name in zoo_names():
        model = load_model(ZOO_PREFIX + name)
        config = model.record.get("config")
        fitness = config.get("fitness") if isinstance(config, dict) else "?"
        entry: dict[str, object] = {
            "model": ZOO_PREFIX + name,
            "task": model.algorithm.name,
            "fitness": fitness,
            "seed": model.record.get("seed"),
            "weights": weight_count(model.config),
            "learning_iterations": model.record.get("learning_iterations"),
            "iterations": model.record.get("iterations"),
            "mastered": model.record.get("mastered"),
            "bytes": zoo_path(name).stat().st_size,
            "hash": model.hash,
        }
        rows.append(entry)
    if options.json:
        for row in rows:
            print(json.dumps(row))
        return 0
    shown = [[str(value) if key != "hash" else str(value)[:12] for key, value in row.items()] for row in rows]
    print_table("Trained models", [key.replace("_", " ") for key in rows[0]] if rows else [], shown, left=3)
    return 0

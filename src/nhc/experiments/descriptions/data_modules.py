"""Bad memories for the data modules, where the paper calls them crucial: with and without them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nhc.experiments.description import (
    Claim,
    Columns,
    Description,
    Finding,
    Finished,
    Results,
    Settings,
    Table,
    Variant,
    decided,
)
from nhc.experiments.figures import draw_modules
from nhc.experiments.job import Record, table, whole
from nhc.experiments.kinds import modules_values

WORLDS = ("sokoban-6x6", "sokoban-permuted", "sliding-3x3")
RUNS = 2
SHARES = {"with": 0.5, "without": 0.0}
NAME = "module-memories"
CLEAN, WRONG, UNCHECKED = "without errors", "with errors", "not checked"


def descriptions() -> list[Description]:
    """One."""
    return [
        Description(
            NAME,
            "section on data modules",
            "Bad memories for the data modules",
            variants,
            draw,
            tables,
            tuple(map(crucial_claim, WORLDS)),
            "A module counts as learned when the check of its whole family finds no error. What a check "
            "finds is not learned from, in neither variant, so that bad memories are all that differs. A "
            "module whose budget ends before its stream runs clean is never checked.",
        )
    ]


def label_of(world: str, memories: str) -> str:
    """The variant's name."""
    return f"{world}, {memories} bad memories"


def variants(settings: Settings) -> list[Variant]:
    """Each world with and without; the defaults of `nhc modules train` else, but without counterexamples."""
    worlds: tuple[str, ...] = WORLDS
    runs, size = settings.runs_of(RUNS), dict[str, object]()
    if settings.quick:
        worlds, runs, size = ("stacking",), 1, {"modules": ("alu",), "budget": 9_000}
    seeds = range(settings.seed, settings.seed + runs)
    return [
        Variant.of(
            label_of(world, name),
            "modules",
            [modules_values(world, seed=seed, memory_share=share, pool_share=0.0, **size) for seed in seeds],
        )
        for world in worlds
        for name, share in SHARES.items()
    ]


def modules_of(run: Finished) -> dict[str, Record]:
    """Module -> what came of it."""
    found = table(run.result, "modules")
    return {name: table(found, name) for name in found}


def tables(results: Results) -> list[Table]:
    """A row a module of a run."""
    columns: Columns[tuple[str, object, str, Record]] = {
        "variant": lambda item: item[0],
        "seed": lambda item: item[1],
        "module": lambda item: item[2],
        "updates": lambda item: item[3]["updates"],
        "errors in the first check": lambda item: _or(item[3]["first_check_errors"], "-"),
        "counterexample rounds": lambda item: item[3]["rounds"],
        "errors": lambda item: _or(item[3]["errors"], UNCHECKED),
        "cases": lambda item: item[3]["cases"],
    }
    items = [
        (label, run.job.values["seed"], module, one)
        for label, run in results.labelled
        for module, one in modules_of(run).items()
    ]
    return [Table.of(NAME, "Data modules with and without bad memories", columns, items)]


def _or(value: object, absent: str) -> object:
    return absent if value is None else value


def draw(results: Results, folder: Path) -> list[Path]:
    """Updates of each module, by world; and was its check clean?"""
    updates: dict[str, dict[str, list[tuple[int, bool]]]] = {}
    for label, run in results.labelled:
        world, _, memories = label.partition(", ")
        for module, one in modules_of(run).items():
            place = updates.setdefault(memories, {}).setdefault(f"{world}\n{module}", [])
            place.append((whole(one, "updates"), one["errors"] == 0))
    return [draw_modules(updates, stem=folder / NAME)] if updates else []


def judge_crucial(results: Results, world: str) -> Finding:
    """Do all modules get to zero errors with bad memories, and some not without?"""
    counts = {name: endings(results.of(label_of(world, name))) for name in SHARES}
    text = "; ".join(
        f"{name}: {count[CLEAN]} of {count.total()} modules without errors, {count[WRONG]} with errors, "
        f"{count[UNCHECKED]} not checked before the budget ended"
        for name, count in counts.items()
    )
    having, lacking = (count[CLEAN] == count.total() for count in counts.values())
    return decided(text, having and counts["without"][WRONG] > 0, lacking or counts["with"][WRONG] > 0)


def endings(runs: Sequence[Finished]) -> Counter[str]:
    """How many modules ended without errors, with errors, and without a check."""
    errors = [one["errors"] for run in runs for one in modules_of(run).values()]
    return Counter(UNCHECKED if count is None else WRONG if count else CLEAN for count in errors)


def crucial_claim(world: str) -> Claim:
    """The paper's statement for one world."""
    return Claim(
        f"crucial-{world}",
        f"Bad memories are crucial to reach full accuracy: {world}",
        "100 %",
        "all modules without errors with bad memories, and some with errors without them; not reached if all "
        "are without errors without them, or some with errors with them",
        tuple(label_of(world, name) for name in SHARES),
        lambda results: judge_crucial(results, world),
    )

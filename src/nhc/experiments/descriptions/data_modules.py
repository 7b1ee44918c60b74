"""Bad memories for the data modules, where the paper calls them crucial: with and without them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from nhc.experiments.data_figure import draw_modules
from nhc.experiments.description import (
    Claim,
    Description,
    Finding,
    Finished,
    Results,
    Table,
    Variant,
    Verdict,
)
from nhc.experiments.description import variant as variant_of
from nhc.experiments.fields import table, whole
from nhc.experiments.settings import Settings
from nhc.supervised.config import ModulesConfig

WORLDS = ("sokoban-6x6", "sokoban-permuted", "sliding-3x3")
QUICK_WORLD, QUICK_MODULE, QUICK_BUDGET = "stacking", "alu", 9_000
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
            lambda results: [module_table(results)],
            CLAIMS,
            "A module counts as learned when the check of its whole family finds no error. What a check "
            "finds is not learned from, in neither variant, so that bad memories are all that differs. A "
            "module whose budget ends before its stream runs clean is never checked.",
        )
    ]


def label_of(world: str, memories: str) -> str:
    """The variant's name."""
    return f"{world}, {memories} bad memories"


def variants(settings: Settings) -> list[Variant]:
    """Each world with and without."""
    worlds = (QUICK_WORLD,) if settings.quick else WORLDS
    return [
        variant_of(label_of(world, name), "modules", [
            configuration(settings, world, share, settings.seed + number).model_dump(mode="json")
            for number in range(settings.runs_of(RUNS) if not settings.quick else 1)
        ])
        for world in worlds
        for name, share in SHARES.items()
    ]  # fmt: skip


def configuration(settings: Settings, world: str, share: float, seed: int) -> ModulesConfig:
    """The defaults of `nhc modules train` but for bad memories, and without counterexamples."""
    changes: dict[str, object] = {"seed": seed, "memory_share": share, "pool_share": 0.0}
    if settings.quick:
        changes |= {"modules": (QUICK_MODULE,), "budget": QUICK_BUDGET}
    return ModulesConfig.of_world(world, **changes)


def modules_of(run: Finished) -> dict[str, dict[str, object]]:
    """Module -> what came of it."""
    found = table(run.result, "modules")
    return {name: table(found, name) for name in found}


def module_table(results: Results) -> Table:
    """A row a module of a run."""
    rows = [
        (
            label,
            f"{run.job.values['seed']}",
            module,
            f"{one['updates']}",
            "-" if one["first_check_errors"] is None else f"{one['first_check_errors']}",
            f"{one['rounds']}",
            "not checked" if one["errors"] is None else f"{one['errors']}",
            f"{one['cases']}",
        )
        for label, runs in results.finished.items()
        for run in runs
        for module, one in modules_of(run).items()
    ]
    columns = (
        "variant",
        "seed",
        "module",
        "updates",
        "errors in the first check",
        "counterexample rounds",
        "errors",
        "cases",
    )
    return Table(NAME, "Data modules with and without bad memories", columns, tuple(rows))


def draw(results: Results, folder: Path) -> list[Path]:
    """Updates of each module, by world; and was its check clean?"""
    updates: dict[str, dict[str, list[tuple[int, bool]]]] = {}
    for label, runs in results.finished.items():
        world, _, memories = label.partition(", ")
        for run in runs:
            for module, one in modules_of(run).items():
                place = updates.setdefault(memories, {}).setdefault(f"{world}\n{module}", [])
                place.append((whole(one, "updates"), one["errors"] == 0))
    return [draw_modules(updates, path_stem=folder / NAME)[0]] if updates else []


def judge_crucial(results: Results, world: str) -> Finding:
    """Do all modules get to zero errors with bad memories, and some not without?"""
    counts = {name: outcomes(results.of(label_of(world, name))) for name in SHARES}
    text = "; ".join(
        f"{name}: {count[CLEAN]} of {count.total()} modules without errors, {count[WRONG]} with errors, "
        f"{count[UNCHECKED]} not checked before the budget ended"
        for name, count in counts.items()
    )
    clean = {name: count[CLEAN] == count.total() for name, count in counts.items()}
    if clean["with"] and counts["without"][WRONG]:
        return Finding(Verdict.REACHED, text)
    if clean["without"] or counts["with"][WRONG]:
        return Finding(Verdict.NOT_REACHED, text)
    return Finding(Verdict.UNDECIDED, text)


def outcomes(runs: Sequence[Finished]) -> Counter[str]:
    """How many modules ended without errors, with errors, and without a check."""
    return Counter(
        UNCHECKED if one["errors"] is None else WRONG if one["errors"] else CLEAN
        for run in runs
        for one in modules_of(run).values()
    )


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


CLAIMS = tuple(map(crucial_claim, WORLDS))

"""R1 to R3: longer tasks and bigger worlds, another encoding, other domains (Figures 2 and 4)."""

from pathlib import Path

import numpy as np

from nhc.evolve.config import TrainConfig
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
from nhc.experiments.fields import field, listed, number, table, whole, wholes
from nhc.experiments.job import Values
from nhc.experiments.ladder_figure import LEARNED_TICKS, draw_ladder
from nhc.experiments.settings import Settings
from nhc.runs.transfer_figure import Panel, draw_transfer

PAPER_TICKS = 330_631
PAPER_ITERATIONS, QUICK_ITERATIONS = 10_000, 30
LEVELS = (1, 3, 21, 100, 1_000, 10_000)
"""Of the free tree; the longest task of each, its goal at node 4 L."""
TREE_GOAL, SOKOBAN_GOAL = 330_621, 330_647
"""The paper's 330,631 ticks, and the nearest node that can be a goal in Sokoban."""
BEYOND = (1_000_000, 10_000_000, 50_000_000)
"""Goal nodes for the program."""
LONG, LONGER, BIGGER = "network", "program", "sokoban-8x8"
WORLDS = ("sokoban-6x6", "sokoban-permuted", "sliding-3x3", "stacking")
"""The world of training for comparison, then the other encoding and the other domains."""
MODELS = ("search", "plan")


def descriptions() -> list[Description]:
    """R1, then R2 and R3."""
    return [
        Description(
            "r1",
            "R1, Figure 2",
            "Task complexity far beyond training, and bigger worlds",
            complexity,
            draw_complexity,
            lambda results: [ladder_table(results), transfer_table(results, "r1-worlds", "Bigger worlds")],
            R1,
            "Plan of the zoo, frozen. Ticks count operations and the way back; at Level 21 that makes 88, "
            "where the paper prints 89. Its training is the Plan run of `fig3ab`, which learned on tasks of "
            f"up to {LEARNED_TICKS} ticks, and no more on longer ones.",
        ),
        Description(
            "fig4",
            "R2, R3, Figure 4",
            "Transfer to another encoding and to other domains",
            transfers,
            draw_panels,
            lambda results: [transfer_table(results, "fig4", "Transfer with learned data modules")],
            R23,
            "Search and Plan of the zoo, frozen, with learned data modules in the loop.",
        ),
    ]


def long_run(world: str, goal: int, engine: str, modules: str = "exact") -> Values:
    """One long task."""
    return {
        "model": "zoo:plan", "world": world, "goal": goal, "engine": engine, "modules": modules, "seed": 0,
    }  # fmt: skip


def complexity(settings: Settings) -> list[Variant]:
    """The ladder by the network, what lies beyond by the program, and 8x8."""
    goals = [4 * level for level in LEVELS if not settings.quick or level <= 1_000]
    network = [long_run("free-tree", goal, "network") for goal in (*goals, TREE_GOAL)]
    beyond = BEYOND[:1] if settings.quick else BEYOND
    if not settings.quick:
        network += [
            long_run("sokoban-6x6", SOKOBAN_GOAL, "network", modules) for modules in ("exact", "learned")
        ]
    return [
        variant_of(LONG, "long", network),
        variant_of(LONGER, "long", [long_run("free-tree", goal, "program") for goal in beyond]),
        *(
            variant_of(f"{BIGGER}, {model}", "transfer", [transfer_run(model, BIGGER, settings)])
            for model in MODELS
        ),
    ]


def transfer_run(model: str, world: str, settings: Settings) -> Values:
    """One transfer, with learned data modules."""
    return {
        "model": f"zoo:{model}",
        "world": world,
        "modules": "learned",
        "iterations": QUICK_ITERATIONS if settings.quick else PAPER_ITERATIONS,
        "seed": settings.seed,
    }


def transfers(settings: Settings) -> list[Variant]:
    """Each world with each machine."""
    worlds = WORLDS[-1:] if settings.quick else WORLDS
    return [
        variant_of(f"{world}, {model}", "transfer", [transfer_run(model, world, settings)])
        for model in MODELS
        for world in worlds
    ]


def draw_complexity(results: Results, folder: Path) -> list[Path]:
    """Ticks that were solved, beside those of training."""
    solved = {
        f"{label}, {world}": [
            (whole(run.result, "task_level"), whole(run.result, "ticks"))
            for run in results.of(label)
            if run.result["solved"] and run.result["world"] == world
        ]
        for label in (LONG, LONGER)
        for world in ("free-tree", "sokoban-6x6")
    }
    shown = {label: points for label, points in solved.items() if points}
    return [draw_ladder(shown, paper=PAPER_TICKS, path_stem=folder / "r1")[0]] if shown else []


def draw_panels(results: Results, folder: Path) -> list[Path]:
    """Figure 4, one picture a machine."""
    pictures = []
    for model in MODELS:
        runs = [run for label, part in results.finished.items() if label.endswith(model) for run in part]
        if runs:
            stem = folder / f"fig4-{model}"
            pictures.append(draw_transfer([panel(run) for run in runs], stem)[0])
    return pictures


def panel(run: Finished) -> Panel:
    """What the picture shows of a transfer."""
    result = run.result
    maximum = number(result, "maximum")
    lengths = [wholes({"levels": part}, "levels") for part in listed(result, "levels")]
    level = np.repeat(*np.array(lengths, np.int64).T)
    fitness = np.full(len(level), maximum)
    below, empty = table(result, "below_maximum"), table(result, "empty_levels")
    for at in below:
        fitness[int(at)] = number(below, at)
    return Panel(
        title=f"{result['task']} on {result['world']}",
        world=str(result["picture"]),
        level=level,
        fitness=fitness,
        maximum=maximum,
        behind={int(level): whole(empty, level) for level in empty},
        note=f"{result['samples']:,} samples, {result['mistakes']:,} mistakes",
    )


def ladder_table(results: Results) -> Table:
    """A row a task."""
    rows = [
        (
            str(run.result["engine"]),
            str(run.result["world"]),
            str(run.job.values["modules"]),
            f"{run.result['task_level']:,}",
            f"{run.result['ticks']:,}",
            f"{run.result['expected_ticks']:,}",
            "yes" if run.result["solved"] else str(run.result["ending"]),
            f"{run.seconds:.1f}",
        )
        for label in (LONG, LONGER)
        for run in results.of(label)
    ]
    columns = ("engine", "world", "data modules", "level", "ticks", "expected ticks", "solved", "seconds")
    return Table("r1", "Task complexity", columns, tuple(rows))


def transfer_table(results: Results, name: str, title: str) -> Table:
    """A row a transfer."""
    rows = [
        (
            str(run.result["task"]),
            str(run.result["world"]),
            str(run.result["modules"]),
            f"{run.result['samples']:,}",
            f"{run.result['mistakes']:,}",
            ", ".join(table(run.result, "empty_levels")),
            f"{run.seconds:.0f}",
        )
        for runs in results.finished.values()
        for run in runs
        if run.job.kind == "transfer"
    ]
    columns = ("task", "world", "data modules", "samples", "mistakes", "levels without tasks", "seconds")
    return Table(name, title, columns, tuple(rows))


def judge_ticks(results: Results) -> Finding:
    """The longest solved task; the network itself must get as far as the paper's."""
    runs = results.of(LONG) + results.of(LONGER)
    wrong = [run for run in runs if not field(run.result, "solved", bool)]
    if wrong:
        return Finding(Verdict.NOT_REACHED, f"{len(wrong)} of {len(runs)} tasks not solved")
    most = {label: max(results.numbers(label, "ticks"), default=0) for label in (LONG, LONGER)}
    learned = [whole(run.result, "ticks") for run in runs if run.job.values["modules"] == "learned"]
    text = f"{most[LONG]:,} by the network"
    text += f", {max(learned):,} with learned data modules" if learned else ""
    text += f", {most[LONGER]:,} by its program; all {len(runs)} tasks solved"
    if most[LONG] < PAPER_TICKS:
        return Finding(Verdict.NOT_RUN, f"the network's longest run is missing; {text}")
    return Finding(Verdict.REACHED, text)


def judge_transfers(results: Results, labels: tuple[str, ...], wanted: int | None) -> Finding:
    """Were all samples right, and as many as the paper's, with checked learned modules?"""
    runs = [run for label in labels for run in results.of(label)]
    samples, mistakes = ([whole(run.result, name) for run in runs] for name in ("samples", "mistakes"))
    notes = sorted({field(run.result, "modules", str) for run in runs})
    text = f"{sum(mistakes):,} mistakes in {' + '.join(f'{count:,}' for count in samples)} samples"
    text += f"; {', '.join(notes)}"
    if any(not is_checked(note) for note in notes):
        return Finding(Verdict.NOT_RUN, f"expected learned data modules without errors; {text}")
    enough = wanted is None or min(samples) >= wanted
    return Finding(Verdict.REACHED if enough and not sum(mistakes) else Verdict.NOT_REACHED, text)


def is_checked(note: str) -> bool:
    """Does the note of a run say that its data modules were learned and checked without errors?"""
    return note.startswith("learned") and "not checked" not in note and "with errors" not in note


def _transfer_claim(name: str, statement: str, world: str, wanted: int | None) -> Claim:
    labels = tuple(f"{world}, {model}" for model in MODELS)
    paper = f"{wanted:,} samples, all right" if wanted else "all tasks solved"
    return Claim(
        name,
        statement,
        paper,
        f"Search and Plan without a mistake{', in as many samples each' if wanted else ''}; the learned data "
        "modules had no errors in their check",
        labels,
        lambda results: judge_transfers(results, labels, wanted),
    )


SAMPLES = PAPER_ITERATIONS * TrainConfig().batch
R1 = (
    Claim(
        "complexity",
        "Plan solves tasks of far more steps than those that triggered learning",
        f"{PAPER_TICKS:,} steps, Level 82,656; learned up to 15",
        "the network solves every task of the ladder up to that length, and its program those beyond",
        (LONG, LONGER),
        judge_ticks,
        at_any_size=True,
    ),
    _transfer_claim("bigger-world", "R1: solved in 8x8 worlds", BIGGER, None),
)
R23 = (
    _transfer_claim("r2", "R2: another data representation", "sokoban-permuted", SAMPLES),
    _transfer_claim("r3-sliding", "R3: sliding block puzzle", "sliding-3x3", SAMPLES),
    _transfer_claim("r3-stacking", "R3: robotic manipulation", "stacking", SAMPLES),
)

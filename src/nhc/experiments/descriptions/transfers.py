"""R1 to R3: longer tasks and bigger worlds, another encoding, other domains (Figures 2 and 4)."""

from collections.abc import Iterable
from pathlib import Path

import numpy as np

from nhc.domains.registry import make_domain
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
    Verdict,
    decided,
)
from nhc.experiments.figures import LEARNED_TICKS, draw_ladder
from nhc.experiments.job import Values, field, listed, number, table, whole, wholes
from nhc.experiments.kinds import SAMPLES_OF_A_BATCH
from nhc.planning.transfer import example_world
from nhc.runs.figure import save_figure
from nhc.runs.transfer_figure import Panel, transfer_figure

PAPER_TICKS = 330_631
PAPER_ITERATIONS, QUICK_ITERATIONS = 10_000, 30
PAPER_SAMPLES = PAPER_ITERATIONS * SAMPLES_OF_A_BATCH
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


def complexity(settings: Settings) -> list[Variant]:
    """The ladder by the network, what lies beyond by the program, and 8x8."""
    goals = [4 * level for level in LEVELS if not settings.quick or level <= 1_000]
    network = [long_run("free-tree", goal, "network") for goal in (*goals, TREE_GOAL)]
    if not settings.quick:
        network += [long_run("sokoban-6x6", SOKOBAN_GOAL, "network", name) for name in ("exact", "learned")]
    beyond = BEYOND[:1] if settings.quick else BEYOND
    return [
        Variant.of(LONG, "long", network),
        Variant.of(LONGER, "long", [long_run("free-tree", goal, "program") for goal in beyond]),
        *(transferred(model, BIGGER, settings) for model in MODELS),
    ]


def long_run(world: str, goal: int, engine: str, modules: str = "exact") -> Values:
    """One long task."""
    return {
        "model": "zoo:plan", "world": world, "goal": goal, "engine": engine, "modules": modules, "seed": 0,
    }  # fmt: skip


def transfers(settings: Settings) -> list[Variant]:
    """Each world with each machine."""
    worlds = WORLDS[-1:] if settings.quick else WORLDS
    return [transferred(model, world, settings) for model in MODELS for world in worlds]


def transferred(model: str, world: str, settings: Settings) -> Variant:
    """One machine in one world, with learned data modules."""
    values: Values = {
        "model": f"zoo:{model}",
        "world": world,
        "modules": "learned",
        "iterations": QUICK_ITERATIONS if settings.quick else PAPER_ITERATIONS,
        "seed": settings.seed,
    }
    return Variant.of(f"{world}, {model}", "transfer", [values])


def long_runs(results: Results) -> list[Finished]:
    """Those by the network, then those by the program."""
    return results.of(LONG) + results.of(LONGER)


def draw_complexity(results: Results, folder: Path) -> list[Path]:
    """Ticks that were solved, beside those of training."""
    solved: dict[str, list[tuple[int, int]]] = {}
    for label in (LONG, LONGER):
        for world in ("free-tree", "sokoban-6x6"):
            for run in results.of(label):
                if run.result["solved"] and run.result["world"] == world:
                    point = (whole(run.result, "task_level"), whole(run.result, "ticks"))
                    solved.setdefault(f"{label}, {world}", []).append(point)
    return [draw_ladder(solved, paper=PAPER_TICKS, stem=folder / "r1")] if solved else []


def draw_panels(results: Results, folder: Path) -> list[Path]:
    """Figure 4, one picture a machine."""
    pictures = []
    for model in MODELS:
        runs = [run for label, run in results.labelled if label.endswith(model)]
        if runs:
            figure = transfer_figure(list(map(panel, runs)), f"{model.title()}, frozen, in other worlds")
            pictures.append(save_figure(figure, folder / f"fig4-{model}")[0])
    return pictures


def panel(run: Finished) -> Panel:
    """What the picture shows of a transfer."""
    result, world = run.result, field(run.result, "world", str)
    state, word = example_world(make_domain(world), whole(run.job.values, "seed"))
    maximum = number(result, "maximum")
    lengths = [wholes({"levels": part}, "levels") for part in listed(result, "levels")]
    level = np.repeat(*np.array(lengths, np.int64).T)
    fitness = np.full(len(level), maximum)
    below, empty = table(result, "below_maximum"), table(result, "empty_levels")
    for at in below:
        fitness[int(at)] = number(below, at)
    return Panel(
        title=world,
        state=state,
        word=word,
        level=level,
        fitness=fitness,
        maximum=maximum,
        behind={int(level): whole(empty, level) for level in empty},
        note=f"{result['samples']:,} samples, {result['mistakes']:,} mistakes",
    )


def ladder_table(results: Results) -> Table:
    """A row a task."""
    columns: Columns[Finished] = {
        "engine": lambda run: run.result["engine"],
        "world": lambda run: run.result["world"],
        "data modules": lambda run: run.job.values["modules"],
        "level": lambda run: f"{run.result['task_level']:,}",
        "ticks": lambda run: f"{run.result['ticks']:,}",
        "expected ticks": lambda run: f"{run.result['expected_ticks']:,}",
        "solved": lambda run: "yes" if run.result["solved"] else run.result["ending"],
        "seconds": lambda run: f"{run.seconds:.1f}",
    }
    return Table.of("r1", "Task complexity", columns, long_runs(results))


def transfer_table(results: Results, name: str, title: str) -> Table:
    """A row a transfer."""
    columns: Columns[Finished] = {
        "task": lambda run: run.result["task"],
        "world": lambda run: run.result["world"],
        "data modules": lambda run: run.result["modules"],
        "samples": lambda run: f"{run.result['samples']:,}",
        "mistakes": lambda run: f"{run.result['mistakes']:,}",
        "levels without tasks": lambda run: ", ".join(table(run.result, "empty_levels")),
        "seconds": lambda run: f"{run.seconds:.0f}",
    }
    runs = [run for _, run in results.labelled if run.job.kind == "transfer"]
    return Table.of(name, title, columns, runs)


def judge_ticks(results: Results) -> Finding:
    """The longest solved task; the network itself must get as far as the paper's."""
    runs = long_runs(results)
    wrong = [run for run in runs if not field(run.result, "solved", bool)]
    if wrong:
        return decided(f"{len(wrong)} of {len(runs)} tasks not solved", reached=False)
    most = {label: max(results.numbers(label, "ticks"), default=0) for label in (LONG, LONGER)}
    learned = [whole(run.result, "ticks") for run in runs if run.job.values["modules"] == "learned"]
    text = f"{most[LONG]:,} by the network"
    text += f", {max(learned):,} with learned data modules" if learned else ""
    text += f", {most[LONGER]:,} by its program; all {len(runs)} tasks solved"
    if most[LONG] < PAPER_TICKS:
        return Finding(Verdict.NOT_RUN, f"the network's longest run is missing; {text}")
    return decided(text, reached=True)


def judge_transfers(runs: Iterable[Finished], wanted: int) -> Finding:
    """Were all samples right, and as many as the paper's, with checked learned modules?"""
    results = [run.result for run in runs]
    samples, mistakes = ([whole(result, name) for result in results] for name in ("samples", "mistakes"))
    notes = sorted({field(result, "modules", str) for result in results})
    text = f"{sum(mistakes):,} mistakes in {' + '.join(f'{count:,}' for count in samples)} samples"
    text += f"; {', '.join(notes)}"
    if not all(map(is_checked, notes)):
        return Finding(Verdict.NOT_RUN, f"expected learned data modules without errors; {text}")
    return decided(text, min(samples) >= wanted and not sum(mistakes))


def is_checked(note: str) -> bool:
    """Does the note of a run say that its data modules were learned and checked without errors?"""
    return note.startswith("learned") and "not checked" not in note and "with errors" not in note


def _transfer_claim(name: str, statement: str, world: str, wanted: int = 0) -> Claim:
    labels = tuple(f"{world}, {model}" for model in MODELS)
    return Claim(
        name,
        statement,
        f"{wanted:,} samples, all right" if wanted else "all tasks solved",
        f"Search and Plan without a mistake{', in as many samples each' if wanted else ''}; the learned data "
        "modules had no errors in their check",
        labels,
        lambda results: judge_transfers([run for label in labels for run in results.of(label)], wanted),
    )


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
    _transfer_claim("bigger-world", "R1: solved in 8x8 worlds", BIGGER),
)
R23 = (
    _transfer_claim("r2", "R2: another data representation", "sokoban-permuted", PAPER_SAMPLES),
    _transfer_claim("r3-sliding", "R3: sliding block puzzle", "sliding-3x3", PAPER_SAMPLES),
    _transfer_claim("r3-stacking", "R3: robotic manipulation", "stacking", PAPER_SAMPLES),
)

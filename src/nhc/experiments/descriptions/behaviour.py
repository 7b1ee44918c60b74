"""Figure 5: one Level 3 task, tick by tick."""

from collections import Counter
from pathlib import Path

from nhc.algorithms.tree.nodes import path
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.experiments.behaviour_figure import draw_behaviour
from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.description import variant as variant_of
from nhc.experiments.fields import listed, wholes
from nhc.experiments.job import Record
from nhc.experiments.settings import Settings
from nhc.machine.layout import MECHANISMS

GOAL = 11
"""The goal's node: found in step 11, as in the paper's example."""
LABEL = "plan"


def descriptions() -> list[Description]:
    """One."""
    return [
        Description(
            "fig5",
            "Figure 5",
            "Behaviour of the learned machine on a Level 3 task",
            variants,
            draw,
            tables,
            CLAIMS,
            "Plan of the zoo. The lower picture shows how strongly each read mechanism asks (softmax of the "
            "raw mode weights); the strongest that names a cell wins, marked by a frame.",
        )
    ]


def variants(settings: Settings) -> list[Variant]:
    """One run."""
    values = {"model": "zoo:plan", "world": "sokoban-6x6", "goal": GOAL, "seed": settings.seed}
    return [variant_of(LABEL, "behaviour", [values])]


def draw(results: Results, folder: Path) -> list[Path]:
    """The picture."""
    runs = results.of(LABEL)
    return [draw_behaviour(runs[0].result, path_stem=folder / "fig5")[0]] if runs else []


def tables(results: Results) -> list[Table]:
    """A row a tick."""
    rows = [row for run in results.of(LABEL) for row in tick_rows(run.result)]
    columns = ("tick", "phase", "cell read", "operation", "read by")
    return [Table("fig5", "Ticks", columns, tuple(rows))]


def tick_rows(result: Record) -> list[tuple[str, ...]]:
    """Tick, phase, cell, operation, mechanism."""
    columns = [wholes(result, name) for name in ("read", "met", "op", "winner")]
    return [
        (
            f"{tick}",
            "backtrack" if met else "search",
            f"{read}",
            OPS[op],
            MECHANISMS[winner],
        )
        for tick, (read, met, op, winner) in enumerate(zip(*columns, strict=True), start=1)
    ]


def judge_phases(results: Results) -> Finding:
    """Search in order, then back with `nop`."""
    result = results.of(LABEL)[0].result
    read, met, op = (listed(result, name) for name in ("read", "met", "op"))
    search = met.index(True) if True in met else len(met)
    in_order = op[:search] == [tick % BRANCHING for tick in range(search)]
    in_order &= read[:search] == [tick // BRANCHING for tick in range(search)]
    way = path(GOAL)
    back = op[search:] == [NOP] * len(way) and read[search:] == way and result["ended"] == "finished"
    text = f"goal found in step {search}, {len(op) - search} ticks back with nop"
    right = in_order and back and search == GOAL
    return Finding(Verdict.REACHED if right else Verdict.NOT_REACHED, text if right else f"NOT: {text}")


def judge_attention(results: Results) -> Finding:
    """Which mechanism does what."""
    rows = tick_rows(results.of(LABEL)[0].result)
    # The first node is left out: nothing was read before it, and its four operations differ from the others'.
    later = [number for number, row in enumerate(rows) if row[1] == "search" and number >= BRANCHING]
    again = [rows[number][4] for number in later if rows[number][2] == rows[number - 1][2]]
    advance = [rows[number][4] for number in later if rows[number][2] != rows[number - 1][2]]
    # The first tick of the way back reads the goal's node, which has no node below it to come from.
    parents = [row[4] for row in rows if row[1] == "backtrack"][1:]
    groups = (("same node again", again), ("next node", advance), ("parents", parents))
    text = "; ".join(
        f"{name}: {', '.join(f'{who} {count}' for who, count in Counter(found).most_common()) or 'none'}"
        for name, found in groups
    )
    alike = all(
        bool(found) and all(who.startswith(kind) for who in found)
        for found, kind in ((again, "content"), (advance, "temporal"), (parents, "usage"))
    )
    return Finding(Verdict.REACHED if alike else Verdict.NOT_REACHED, text)


CLAIMS = (
    Claim(
        "phases",
        "Each node is fully explored before the next one is read; after the goal the states are read in "
        "reverse order with nop",
        "goal in step 11 of a Level 3 task",
        "operations in order on each node in order, then nop on the goal's node and each parent up to the "
        "start",
        (LABEL,),
        judge_phases,
        at_any_size=True,
    ),
    Claim(
        "attention",
        "A node is read repeatedly by content, the next by temporal linkage, parents by usage linkage",
        "",
        "the same mechanisms, each at least once, apart from the first node and from the goal's own",
        (LABEL,),
        judge_attention,
        at_any_size=True,
    ),
)

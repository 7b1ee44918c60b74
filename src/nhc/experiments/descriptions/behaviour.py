"""Figure 5: one Level 3 task, tick by tick."""

from collections import Counter
from pathlib import Path

from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.experiments.behaviour_figure import draw_behaviour
from nhc.experiments.description import Claim, Description, Finding, Results, Table, Variant, Verdict
from nhc.experiments.description import variant as variant_of
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
    columns = [result[name] for name in ("read", "met", "op", "winner")]
    assert all(isinstance(column, list) for column in columns)
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
    read, met, op = result["read"], result["met"], result["op"]
    assert isinstance(read, list) and isinstance(met, list) and isinstance(op, list)
    search = met.index(True) if True in met else len(met)
    in_order = op[:search] == [tick % BRANCHING for tick in range(search)]
    in_order &= read[:search] == [tick // BRANCHING for tick in range(search)]
    back = set(op[search:]) == {NOP} and read[-1] == 0 and result["ended"] == "finished"
    text = f"goal found in step {search}, {len(op) - search} ticks back with nop"
    right = in_order and back and search == GOAL
    return Finding(Verdict.REACHED if right else Verdict.NOT_REACHED, text if right else f"NOT: {text}")


def judge_attention(results: Results) -> Finding:
    """Which mechanism does what."""
    rows = tick_rows(results.of(LABEL)[0].result)
    repeated = Counter(row[4] for number, row in enumerate(rows) if row[1] == "search" and number % BRANCHING)
    advance = Counter(
        row[4] for number, row in enumerate(rows) if row[1] == "search" and not number % BRANCHING
    )
    parents = Counter(row[4] for row in [row for row in rows if row[1] == "backtrack"][1:])
    text = "; ".join(
        f"{name}: {', '.join(f'{mechanism} {count}' for mechanism, count in counts.most_common())}"
        for name, counts in (("same node again", repeated), ("next node", advance), ("parents", parents))
    )
    alike = (
        set(repeated) == {"content"}
        and all(name.startswith("temporal") for name in list(advance)[1:])
        and all(name.startswith("usage") for name in parents)
    )
    return Finding(Verdict.REACHED if alike else Verdict.NOT_REACHED, text)


CLAIMS = (
    Claim(
        "phases",
        "Each node is fully explored before the next one is read; after the goal the states are read in "
        "reverse order with nop",
        "goal in step 11 of a Level 3 task",
        "operations in order on each node in order, then nop up to the start",
        (LABEL,),
        judge_phases,
        at_any_size=True,
    ),
    Claim(
        "attention",
        "A node is read repeatedly by content, the next by temporal linkage, parents by usage linkage",
        "",
        "the same mechanisms, apart from the first node",
        (LABEL,),
        judge_attention,
        at_any_size=True,
    ),
)

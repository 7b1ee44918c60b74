"""Figure 5, one Level 3 task tick by tick, and Figure 6, what the data modules do with one state."""

from collections import Counter
from pathlib import Path

import numpy as np

from nhc.algorithms.tree.nodes import path
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.experiments.description import (
    Claim,
    Columns,
    Description,
    Finding,
    Results,
    Settings,
    Table,
    Variant,
    decided,
)
from nhc.experiments.job import Record, field, listed, tables, whole, wholes
from nhc.machine.layout import MECHANISMS
from nhc.runs.behaviour import ARROWS, Behaviour, tree_of
from nhc.runs.behaviour_figure import behaviour_figure
from nhc.runs.figure import save_figure
from nhc.runs.storage import write_text_atomically
from nhc.supervised.workflow import BitRow, Board, Workflow, svg_of

GOAL = 11
"""The goal's node: found in step 11, as in the paper's example."""
WORLD = "sokoban-6x6"
PLAN, MODULES = "plan", "data modules"
PHASES = ("search", "backtrack")


def descriptions() -> list[Description]:
    """Both."""
    return [
        Description(
            "fig5",
            "Figure 5",
            "Behaviour of the learned machine on a Level 3 task",
            lambda settings: [_single(PLAN, "behaviour", settings, model="zoo:plan", goal=GOAL)],
            lambda results, folder: [draw_behaviour(run.result, folder / "fig5") for run in results.of(PLAN)],
            tick_table,
            BEHAVIOUR,
            "Plan of the zoo. The lower picture shows how strongly each read mechanism asks (softmax of the "
            "raw mode weights); the strongest that names a cell wins, marked by a frame.",
        ),
        Description(
            "fig6",
            "Figure 6",
            "Workflow of the data modules",
            lambda settings: [_single(MODULES, "workflow", settings)],
            draw_workflow,
            bit_table,
            WORKFLOW,
            "The learned modules of the zoo. Frames mark what a stage sees or changes; black bits are 1. d_m "
            "is the word read, d_f the local view, c_a and d_a the ALU's signal and local change, c_o and "
            "d_o the signal and word that Output makes.",
        ),
    ]


def _single(label: str, kind: str, settings: Settings, **values: object) -> Variant:
    return Variant.of(label, kind, [{**values, "world": WORLD, "seed": settings.seed}])


def draw_behaviour(result: Record, stem: Path) -> Path:
    """The picture of `nhc figure behaviour`, from the record. Raises ConfigError (`run.damaged`)."""
    op, read, met, winner = (np.array(wholes(result, name)) for name in ("op", "read", "met", "winner"))
    met, words = met.astype(bool), [str(board) for board in listed(result, "boards")]
    behaviour = Behaviour(op, read, winner, np.array(result["shares"]), met, words, ARROWS)
    tree = tree_of(op, read, np.arange(len(op)), met)  # each tick writes a new cell
    title = f"A Level 3 task: the goal is node {whole(result, 'goal')}, {len(op)} ticks"
    return save_figure(behaviour_figure(behaviour, tree, title), stem)[0]


def draw_workflow(results: Results, folder: Path) -> list[Path]:
    """The picture of `nhc modules show`, from the record."""
    pictures = []
    for run in results.of(MODULES):
        boards = [
            Board(field(board, "caption", str), _texts(board, "signs"), frozenset(wholes(board, "marked")))
            for board in tables(run.result, "boards")
        ]
        bits = [BitRow(field(row, "name", str), _texts(row, "groups")) for row in tables(run.result, "bits")]
        title, columns = field(run.result, "title", str), whole(run.result, "columns")
        flow = Workflow(title, columns, tuple(boards), tuple(bits), _texts(run.result, "faults"))
        write_text_atomically(folder / "fig6.svg", svg_of(flow))
        pictures.append(folder / "fig6.svg")
    return pictures


def _texts(record: Record, name: str) -> tuple[str, ...]:
    return tuple(map(str, listed(record, name)))


def tick_table(results: Results) -> list[Table]:
    """A row a tick."""
    columns = ("tick", "phase", "cell read", "operation", "read by")
    rows = tuple(row for run in results.of(PLAN) for row in tick_rows(run.result))
    return [Table("fig5", "Ticks", columns, rows)]


def tick_rows(result: Record) -> list[tuple[str, ...]]:
    """Tick, phase, cell, operation, mechanism."""
    columns = [wholes(result, name) for name in ("read", "met", "op", "winner")]
    return [
        (f"{tick}", PHASES[met], f"{read}", OPS[op], MECHANISMS[winner])
        for tick, (read, met, op, winner) in enumerate(zip(*columns, strict=True), start=1)
    ]


def bit_table(results: Results) -> list[Table]:
    """A row a word or signal."""
    columns: Columns[Record] = {
        "name": lambda row: row["name"],
        "bits": lambda row: " ".join(_texts(row, "groups")),
    }
    rows = [row for run in results.of(MODULES) for row in tables(run.result, "bits")]
    return [Table.of("fig6", "Words and signals", columns, rows)]


def judge_phases(results: Results) -> Finding:
    """Search in order, then back with `nop`."""
    result = results.of(PLAN)[0].result
    read, met, op = (listed(result, name) for name in ("read", "met", "op"))
    search = met.index(True) if True in met else len(met)
    in_order = op[:search] == [tick % BRANCHING for tick in range(search)]
    in_order &= read[:search] == [tick // BRANCHING for tick in range(search)]
    way = path(GOAL)
    back = op[search:] == [NOP] * len(way) and read[search:] == way and result["ended"] == "finished"
    right = in_order and back and search == GOAL
    text = f"goal found in step {search}, {len(op) - search} ticks back with nop"
    return decided(text if right else f"NOT: {text}", right)


def judge_attention(results: Results) -> Finding:
    """Which mechanism does what."""
    rows = tick_rows(results.of(PLAN)[0].result)
    # The first node is left out: nothing was read before it, and its four operations differ from the others'.
    later = [number for number, row in enumerate(rows) if row[1] == "search" and number >= BRANCHING]
    again = [rows[number][4] for number in later if rows[number][2] == rows[number - 1][2]]
    advance = [rows[number][4] for number in later if rows[number][2] != rows[number - 1][2]]
    # The first tick of the way back reads the goal's node, which has no node below it to come from.
    parents = [row[4] for row in rows if row[1] == "backtrack"][1:]
    groups = (
        ("same node again", again, "content"),
        ("next node", advance, "temporal"),
        ("parents", parents, "usage"),
    )
    text = "; ".join(
        f"{name}: {', '.join(f'{who} {count}' for who, count in Counter(found).most_common()) or 'none'}"
        for name, found, _ in groups
    )
    return decided(
        text, all(found and all(who.startswith(kind) for who in found) for _, found, kind in groups)
    )


def judge_workflow(results: Results) -> Finding:
    """As the rules of the world have it?"""
    result = results.of(MODULES)[0].result
    faults = _texts(result, "faults")
    what = f"wrong: {', '.join(faults)}" if faults else "all as by the rules"
    return decided(f"{field(result, 'title', str)}: {what}", not faults)


BEHAVIOUR = (
    Claim(
        "phases",
        "Each node is fully explored before the next one is read; after the goal the states are read in "
        "reverse order with nop",
        "goal in step 11 of a Level 3 task",
        "operations in order on each node in order, then nop on the goal's node and each parent up to the "
        "start",
        (PLAN,),
        judge_phases,
        at_any_size=True,
    ),
    Claim(
        "attention",
        "A node is read repeatedly by content, the next by temporal linkage, parents by usage linkage",
        "",
        "the same mechanisms, each at least once, apart from the first node and from the goal's own",
        (PLAN,),
        judge_attention,
        at_any_size=True,
    ),
)
WORKFLOW = (
    Claim(
        "workflow",
        "The local view is taken out of the word, the ALU changes it, and the change is inserted again",
        "",
        "the view, the change, both signals and the resulting word are those of the world's rules",
        (MODULES,),
        judge_workflow,
        at_any_size=True,
    ),
)

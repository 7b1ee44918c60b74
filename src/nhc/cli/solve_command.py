"""`nhc solve`: a plan for a level file, a task file or a sampled task."""

import json
import re
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import counted, message, message_unless, now_and_then, parse
from nhc.errors import ConfigError
from nhc.planning.budget import DEFAULT_MEMORY, DEFAULT_TICKS, DEFAULT_WORLDS, Budget, covered_depth
from nhc.zoo import DEFAULT_CHOICE

if TYPE_CHECKING:  # These need NumPy, which --help does not.
    from nhc.domains.registry import AnyState
    from nhc.planning.solution import Solution
    from nhc.tasks.planning import PlanningTask

GRAPH_PLAN, PUZZLE = "graph-plan", "puzzle:"


@dataclass
class SolveOptions:
    """Solve a planning task with a trained machine, and check the plan before printing it.

    A machine for graph-plan keeps a closed list: its cost grows with the number of different configurations,
    its plans are shortest, and where it finds none there is none. One for plan keeps none, so its cost grows
    fourfold with each move: about 12 moves in 22 million ticks. Running out of the budget says nothing about
    whether there is a plan.

    Examples:
    nhc solve zoo:plan level.xsb
    nhc solve zoo:plan levels.sok --level 3 --frames
    nhc solve runs/plan-seed0/model.safetensors --sample level=8 --seed 4
    nhc solve zoo:plan --sample level=8 --domain stacking --frames
    nhc solve zoo:plan --sample node=330647 --domain sokoban-6x6 --save deep.txt
    nhc solve zoo:graph-plan levels.sok --level all --cost pushes --save solved.sok
    nhc solve zoo:graph-plan puzzle:"8 6 7 2 5 4 3 0 1"
    nhc solve zoo:graph-plan domain.pddl problem.pddl
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    task: tyro.conf.Positional[tuple[str, ...]] = ()
    """XSB level file (all boxes on goals), two boards with `Goal:` between, or JSON; puzzle:BOARD, the nine
    numbers of a 3x3 board with 0 for the hole; or a domain and a problem in PDDL."""
    level: str = "1"
    """Which level of a file of several, or `all`."""
    sample: str | None = None
    """Instead of a file: level=L for a random task of a level, node=N for a goal at node N."""
    domain: str = "sokoban-6x6"
    """Where --sample draws."""
    seed: int = 0
    """Decides the sample."""
    max_worlds: int = DEFAULT_WORLDS
    """Worlds that --sample node=N may search."""
    save: Path | None = None
    """Write the task to this file; after a search with a closed list, the tasks with their plans."""
    engine: Literal["auto", "network", "program"] = "auto"
    """The network itself at every tick, or the program that was proved to be what it does."""
    modules: str = DEFAULT_CHOICE
    """Data modules: `learned` (those that ship; exact ones where there are none), `exact`, or a file."""
    max_ticks: int = DEFAULT_TICKS
    """Budget in ticks, without a closed list."""
    max_memory: int = DEFAULT_MEMORY
    """Budget in bytes of memory."""
    max_seconds: float = 60.0
    """Budget in seconds for each task, with a closed list."""
    cost: Literal["moves", "pushes"] = "moves"
    """What a plan has least of in Sokoban, with a closed list."""
    parity: bool = True
    """Refuse a 3x3 board of the wrong parity at once; otherwise the machine shows that it has no plan."""
    witness: Path | None = None
    """Write to this file what another search needs to confirm that the answer is right: see nhc check."""
    frames: bool = False
    """Print the states along the plan."""
    legend: Literal["xsb", "dos", "reasoning-gym", "solver", "yxwz"] = "xsb"
    """Signs of the level file."""
    allow_extra_goals: bool = False
    """Accept levels with more goals than boxes."""
    close_border: bool = False
    """Add walls where a level is open."""
    json: bool = False
    """One JSON object on stdout."""
    quiet: bool = False
    """No messages."""


def run(arguments: list[str]) -> int:
    """Solve and report. Exit 0 if solved, 1 if not."""
    options = parse(SolveOptions, arguments, name="solve")
    from nhc.certify.prove import control_label, control_sentence, prove
    from nhc.model import load_model
    from nhc.planning.engines import chosen_engine
    from nhc.planning.solve import solve
    from nhc.planning.states import chosen_modules
    from nhc.streams import require_seed
    from nhc.tasks.files import write_task

    require_seed(options.seed)
    model = load_model(options.model)
    if model.algorithm.name == GRAPH_PLAN:
        from nhc.cli.solve_graph import run_graph

        return run_graph(options, model)
    refuse_closed_list(options)
    tell = message_unless(options.quiet)
    task = chosen_task(options)
    for note in task.warnings:
        tell(f"warning: {note}")
    if options.save is not None:
        write_task(options.save, task)
        tell(f"Task written to {options.save}")
    budget = Budget(options.max_ticks, options.max_memory)
    verdict = prove(model)
    chosen = chosen_modules(options.modules, task.world, task.start)
    engine = chosen_engine(options.engine, model, verdict, task, chosen)
    size = engine.bytes_per_tick(task)
    ticks = budget.ticks_within(size)
    tell(f"{options.model}: {control_sentence(verdict)}; {chosen.note}; {engine.name} engine")
    tell(
        f"{task.title or task.task_id}: {task.world.name}. {size} bytes a tick; "
        f"the budget of {ticks:,} ticks covers every plan of up to {counted(covered_depth(ticks), 'move')}."
    )
    began = time.perf_counter()

    def tell_ticks(ticks: int) -> None:
        speed = ticks / (time.perf_counter() - began)
        tell(f"  {counted(ticks, 'tick')}, about {speed:,.0f} in each second")

    solution = solve(model, task, budget=budget, engine=engine, on_progress=now_and_then(2.0, tell_ticks))
    known = {"control": control_label(verdict), "data": chosen.kind, "engine": engine.name}
    report(options, task, solution, known, time.perf_counter() - began)
    return 0 if solution.solved else 1


def chosen_task(options: SolveOptions) -> "PlanningTask":
    """The task of the file or the sample.

    Raises ConfigError: `solve.task` unless there is exactly one, `solve.level`, `solve.sample`; and what
    `read_task`, `puzzle_task` and the drawing of samples raise.
    """
    from nhc.domains.registry import make_domain
    from nhc.domains.sokoban import LEGENDS
    from nhc.planning.sample import task_at_node, task_of_level
    from nhc.tasks.files import puzzle_task, read_task

    if bool(options.task) == (options.sample is not None):
        raise ConfigError("solve.task", "expected either a task or --sample")
    if options.task:
        if len(options.task) > 1:
            raise ConfigError("solve.task", f"expected one task, found {len(options.task)} arguments")
        if options.task[0].startswith(PUZZLE):
            return puzzle_task(options.task[0].removeprefix(PUZZLE))
        if re.fullmatch(r"-?[0-9]{1,9}", options.level) is None:
            raise ConfigError("solve.level", f"expected the number of one level, found {options.level!r}")
        return read_task(
            options.task[0],
            int(options.level),
            legend=LEGENDS[options.legend],
            allow_extra_goals=options.allow_extra_goals,
            close_border=options.close_border,
        )
    kind, _, number = (options.sample or "").partition("=")
    if kind not in ("level", "node") or not number.isdecimal() or int(number) < 1:
        raise ConfigError("solve.sample", f"expected level=L or node=N, found {options.sample!r}")

    domain = make_domain(options.domain)
    if kind == "level":
        return task_of_level(domain, int(number), seed=options.seed)
    return task_at_node(domain, int(number), seed=options.seed, worlds=options.max_worlds)


def refuse_closed_list(options: SolveOptions) -> None:
    """Raises ConfigError (`solve.graph`) for what only a machine for graph-plan can do."""
    asked = {
        "--level all": options.level == "all",
        "--cost": options.cost != "moves",
        "--no-parity": not options.parity,
        "--witness": options.witness is not None,
        "PDDL": len(options.task) == 2,
    }
    found = [name for name, is_asked in asked.items() if is_asked]
    if found:
        wanted = f"expected a machine for {GRAPH_PLAN}, such as zoo:graph-plan"
        raise ConfigError("solve.graph", f"{', '.join(found)}: {wanted}")


def report(
    options: SolveOptions, task: "PlanningTask", solution: "Solution", known: dict[str, str], seconds: float
) -> None:
    """Print what came of it, as JSON or for reading."""
    from nhc.planning.solution import Ending

    if options.json:
        answer = {
            "task": task.task_id,
            "domain": task.world.name,
            "ending": solution.ending,
            "plan": solution.plan,
            "moves": len(solution.ops),
            "ticks": solution.ticks,
            "wall_s": round(seconds, 3),
            "checked": solution.ending in (Ending.SOLVED, Ending.ALREADY_SOLVED),
            "fault": solution.fault,
            **known,
        }
        print(json.dumps(answer))
        return
    if options.frames and solution.ops:
        print(frames(task, solution.states))
    print(sentence(task, solution))
    if solution.ending is Ending.BUDGET_EXHAUSTED:
        message("The budget is exhausted: that does not mean that there is no plan. Raise --max-ticks.")
    sys.stdout.flush()


def frames(task: "PlanningTask", states: "Sequence[AnyState]") -> str:
    """The boards along a plan, side by side."""
    from nhc.domains.text import side_by_side
    from nhc.tasks.planning import draw

    drawings = [draw(task, state) for state in states]
    if all("\n" not in drawing for drawing in drawings):
        return " ".join(drawings)
    return side_by_side(drawings, ["start", *map(str, range(1, len(states)))])


def sentence(task: "PlanningTask", solution: "Solution") -> str:
    """One line for a person."""
    from nhc.planning.solution import Ending, referee_of

    plan, ticks = solution.plan, counted(solution.ticks, "tick")
    match solution.ending:
        case Ending.SOLVED:
            checked = f"{counted(len(solution.ops), 'move')}, replayed by {referee_of(task)}"
            return f"solved in {ticks}: {plan}  ({checked})"
        case Ending.ALREADY_SOLVED:
            return "already solved: the empty plan; the machine was not run"
        case Ending.UNSOLVABLE:
            return f"unsolvable: {solution.fault}; the machine was not run"
        case Ending.FOUND:
            return f"goal found in {ticks}; a Search machine does not tell the way"
        case Ending.WRONG:
            return f"wrong plan after {ticks}: {plan} ({solution.fault})"
        case _:
            return f"{solution.ending} after {ticks}"

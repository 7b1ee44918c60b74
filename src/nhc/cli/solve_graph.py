"""`nhc solve` with a machine for graph-plan: levels, puzzles and PDDL, one task or all of a file."""

import json
import time
from dataclasses import dataclass, replace
from typing import TypeAlias

from nhc.cli.check_command import KIND, READING, SCHEMA, TASK
from nhc.cli.parse import changed, counted, message, message_unless, now_and_then
from nhc.cli.solve_command import PUZZLE, SolveOptions, chosen_task, frames
from nhc.cli.tables import print_lines, print_table
from nhc.domains.space import GraphTask
from nhc.errors import ConfigError, InputError
from nhc.model import Model
from nhc.pddl import PddlTask, read_pddl
from nhc.planning.graph_search import Answer, Ending, control_note, solve_graph, verdict_of
from nhc.planning.graph_tasks import graph_task, operations
from nhc.planning.witness import witness_of
from nhc.runs.storage import write_text_atomically
from nhc.tasks.files import format_task, read_tasks
from nhc.tasks.planning import PlanningTask

Given: TypeAlias = PlanningTask | PddlTask | InputError


@dataclass(frozen=True)
class Attempt:
    """A task, what came of it, and how long that took."""

    name: str
    given: Given
    graph: GraphTask | None
    answer: Answer
    seconds: float

    @property
    def cost(self) -> str:
        """`12 moves`, empty without a plan."""
        known = self.graph is not None and self.answer.ending is Ending.SOLVED
        return counted(len(self.answer.labels), self.graph.unit) if self.graph and known else ""

    @property
    def outcome(self) -> str:
        """How it ended, in a few words."""
        cost = f", {self.cost}" if self.cost else ""
        return f"{self.answer.ending.value}{cost}, {self.seconds:.2f} s"


def run_graph(options: SolveOptions, model: Model) -> int:
    """Solve and report. Exit 0 if every task was solved, 1 if not.

    Raises ConfigError (`solve.search`) for options that a search with a closed list does not have.
    """
    if found := changed(options, "modules", "max_ticks"):
        refused = f"{found}: a search with a closed list runs on the exact rules of the task"
        raise ConfigError("solve.search", f"{refused}, within --max-memory and --max-seconds")
    given, tell = given_tasks(options), message_unless(options.quiet)
    engine = "program" if options.engine == "auto" else options.engine
    if not options.quiet:
        tell(f"{options.model}: {control_note(verdict_of(model))}; exact rules; {engine} engine")
    attempts = list[Attempt]()
    for name, task in given:
        attempts.append(attempt(options, model, name, task, engine))
        if options.level == "all":
            tell(f"{name}: {attempts[-1].outcome}")
    if options.save is not None:
        write_text_atomically(options.save, "".join(map(saved, attempts)))
    report(options, attempts)
    if options.witness is not None:
        write_text_atomically(options.witness, json.dumps(witness_json(options, attempts)) + "\n")
    return 0 if all(one.answer.ending is Ending.SOLVED for one in attempts) else 1


def given_tasks(options: SolveOptions) -> list[tuple[str, Given]]:
    """What the options name. Raises what `chosen_task`, `read_pddl` and `read_tasks` do."""
    from nhc.domains.sokoban import LEGENDS, Reading

    if options.witness is not None and options.level == "all":
        raise ConfigError("solve.level", "--witness: expected the number of one level, found 'all'")
    if len(options.task) == 2:
        pddl = read_pddl(*options.task)
        return [(pddl.name, pddl)]
    if options.level != "all":
        task = chosen_task(options)
        return [(task.title or task.task_id, task)]
    if len(options.task) != 1 or options.task[0].startswith(PUZZLE):
        raise ConfigError("solve.level", "--level all: expected one file of levels")
    reading = Reading(LEGENDS[options.legend], options.allow_extra_goals, options.close_border)
    found = read_tasks(options.task[0], reading)
    return [(name_of(number, task), task) for number, task in enumerate(found, 1)]


def name_of(number: int, task: PlanningTask | InputError) -> str:
    """Number and title of a level."""
    title = None if isinstance(task, InputError) else task.title
    return f"{number} {title}" if title else str(number)


def attempt(options: SolveOptions, model: Model, name: str, task: Given, engine: str) -> Attempt:
    """Solve one task, and tell what there is to tell. Raises what `graph_task` and `solve_graph` raise."""
    began, tell = time.perf_counter(), message_unless(options.quiet)
    if isinstance(task, InputError):
        return Attempt(name, task, None, Answer(Ending.INVALID, fault=str(task)), 0.0)
    for note in task.warnings:
        tell(f"{name}: warning: {note}")
    if isinstance(task, PddlTask):
        tell(f"{name}: {task.size}")
        graph: GraphTask = task
        reason = None if task.ground.goal is not None else "the goal is out of reach even without deletes"
    else:
        graph, reason = graph_task(task, options.cost), task.unsolvable if options.parity else None
    if reason is not None:
        return Attempt(name, task, graph, Answer(Ending.UNSOLVABLE, fault=reason), 0.0)

    def news(states: int, generated: int) -> None:
        speed = generated / (time.perf_counter() - began)
        tell(f"  {states:,} configurations, {speed:,.0f} successors a second")

    answer = solve_graph(
        model,
        graph,
        memory=options.max_memory,
        seconds=options.max_seconds,
        engine=engine,
        on_progress=now_and_then(2.0, news),
    )
    if options.witness is None:  # The graphs of all levels together would fill the memory.
        answer = replace(answer, explored=None)
    return Attempt(name, task, graph, answer, time.perf_counter() - began)


def report(options: SolveOptions, attempts: list[Attempt]) -> None:
    """JSON lines, a table of all levels, or the answer to one task."""
    if options.json:
        print_lines(map(attempt_json, attempts))
        return
    if options.level != "all":
        print(told(options, attempts[0]))
        return
    rows = [
        [
            one.name,
            one.answer.ending.value,
            one.cost,
            f"{one.answer.states:,}",
            f"{one.answer.ticks:,}",
            f"{one.seconds:.2f}",
        ]
        for one in attempts
    ]
    columns = ["level", "ending", "plan", "configurations", "ticks", "seconds"]
    print_table(f"{len(attempts)} levels", columns, rows, left=2)
    for one in attempts:
        if one.answer.fault is not None and one.answer.ending is not Ending.BUDGET:
            message(f"{one.name}: {one.answer.fault}")
    endings = [one.answer.ending for one in attempts]
    counts = ", ".join(f"{endings.count(e)} {e.value}" for e in Ending if e in endings)
    print(f"{counts}; {sum(one.seconds for one in attempts):.1f} s")


def told(options: SolveOptions, one: Attempt) -> str:
    """The answer to one task for a person."""
    answer = one.answer
    size = f"{counted(answer.states, 'configuration')}, {counted(answer.ticks, 'tick')}, {one.seconds:.2f} s"
    match answer.ending:
        case Ending.SOLVED if not answer.labels:
            return "solved: the start is a goal, the empty plan; the machine was not run"
        case Ending.SOLVED:
            text = answer.plan.rstrip()
            plan = f"\n{text}\n" if "\n" in text else f" {text}"
            boards = f"{frames_of(one)}\n" if options.frames else ""
            return f"{boards}solved in {one.cost}:{plan}  ({size}; replayed by a referee)"
        case Ending.UNSOLVABLE if answer.ticks:
            return f"proven unsolvable: every configuration that can be reached was expanded  ({size})"
        case Ending.UNSOLVABLE:
            return f"proven unsolvable: {answer.fault}; the machine was not run"
        case Ending.BUDGET:
            return f"budget exhausted: {answer.fault}; there may be a plan  ({size})"
        case _:
            return f"{answer.ending.value}: {answer.fault}  ({size})"


def frames_of(one: Attempt) -> str:
    """The boards along the plan of a task in a world; empty for others."""
    if not isinstance(one.given, PlanningTask) or one.graph is None:
        return ""
    states = [one.given.start]
    for op in operations(one.graph, [*one.answer.labels]):
        states.append(one.given.world.step(states[-1], op))
    return frames(one.given, states)


def attempt_json(one: Attempt) -> dict[str, object]:
    """An answer as plain JSON values."""
    answer = one.answer
    return {
        "task": one.name,
        "ending": answer.ending.value,
        "plan": answer.plan,
        "length": len(answer.labels),
        "unit": None if one.graph is None else one.graph.unit,
        "configurations": answer.states,
        "successors": answer.generated,
        "ticks": answer.ticks,
        "wall_s": round(one.seconds, 3),
        "fault": answer.fault,
    }


def saved(one: Attempt) -> str:
    """A task with its plan: a level with the line `Solution:`, or the plan alone."""
    solved = one.answer.ending is Ending.SOLVED
    if isinstance(one.given, PlanningTask) and one.given.board is not None:
        plan = f"Solution: {one.answer.plan}\n" if solved else f"Comment: {one.answer.ending.value}\n"
        return f"{format_task(one.given)}{plan}\n"
    return f"{one.answer.plan.rstrip()}\n" if solved else f"; {one.answer.ending.value}\n"


def witness_json(options: SolveOptions, attempts: list[Attempt]) -> dict[str, object]:
    """The witness of the only answer.

    Raises ConfigError (`witness.open`) where there is none: the search was ended by a limit, or not begun.
    """
    (one,) = attempts
    if one.answer.explored is None:
        raise ConfigError(
            "witness.open", f"{one.answer.ending.value}: nothing was searched, so nothing witnessed"
        )
    told = {name: getattr(options, name) for name in (*TASK, *READING)}
    task = {
        name: value for name, value in told.items() if name in TASK or value != getattr(SolveOptions, name)
    }
    return {"kind": KIND, "schema": SCHEMA, **task, **witness_of(one.answer.explored)}

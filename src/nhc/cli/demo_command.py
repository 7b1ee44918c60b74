"""`nhc demo`: from random weights to a solved level, in two minutes, with everything shown."""

import sys
import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

import jax.numpy as jnp

from nhc.certify.prove import control_sentence, prove
from nhc.cli.parse import parse
from nhc.cli.solve_command import frames, sentence
from nhc.computer.explain import explain
from nhc.computer.trace import Trace, trace
from nhc.computer.world import Computer, ConfigurationGoal, Problem
from nhc.data.exact_free_tree import ExactFreeTree, bits
from nhc.domains.registry import make_domain
from nhc.machine.layout import weight_count
from nhc.model import Model
from nhc.planning.engines import Engine, engine_with
from nhc.planning.modules import LEARNED, chosen_modules
from nhc.planning.sample import far_task
from nhc.planning.solve import solve
from nhc.runs.progress import SilentProgress, progress_on
from nhc.tasks.planning import PlanningTask
from nhc.training.config import run_config
from nhc.training.keeping import MODEL_FILE, train_in_directory
from nhc.training.session import Result

EXAMPLES = """\
Examples:

nhc demo

nhc demo --seed 3"""

EXPLAINED_NODE = 203
FARTHEST_NODE = 100_000
"""The deepest goal in training is node 84."""


@dataclass
class DemoOptions:
    """Train a planner from scratch, say what it learned, and solve an unseen Sokoban task with it."""

    seed: int = 0
    """Decides the training run and the task."""
    out: Path | None = None
    """Run directory; runs/demo-seedN by default, where an earlier demo is replaced."""
    quiet: bool = False
    """No live progress."""


def run(arguments: list[str]) -> int:
    """Train, explain, solve. Exit 1 if training did not master all levels or the task stays unsolved."""
    options = parse(DemoOptions, arguments, name="demo", examples=EXAMPLES)
    config = run_config("plan", overrides={"seed": options.seed})
    path = options.out or Path("runs") / f"demo-seed{options.seed}"
    count = weight_count(config.machine)
    print(f"1. Evolution trains {count:,} random weights to plan, on tasks of up to 88 ticks.")
    sys.stdout.flush()
    progress = SilentProgress() if options.quiet else progress_on(sys.stderr)
    result = train_in_directory(config, path, progress, overwrite=True)
    print(learned_sentence(result))
    if not result.mastered:
        print("Try another seed: nhc demo --seed 1")
        return 1

    verdict = prove(result.model)
    print("\n2. Is it the algorithm? The weights themselves are examined, not samples:")
    print(f"   {control_sentence(verdict)}.")
    print("\n   What it does, read from one run of its own on a tree that it never saw:")
    print(textwrap.indent(explain(free_tree_trace(result.model, EXPLAINED_NODE)), "   "))

    task = far_task(make_domain("sokoban-6x6"), FARTHEST_NODE, seed=options.seed)
    print("\n3. An unseen Sokoban task, far beyond training, where no goal lay deeper than node 84:")
    chosen = chosen_modules(LEARNED, task.world, task.start)
    print(f"   {task.title}. The moves are applied by {chosen.note}.\n")
    solved = show_solution(result.model, task, engine_with(chosen, "network", result.model, verdict, task))
    print(f"\nLearning curve: {path / 'figures' / 'learning_curve.png'}")
    print(f"Model:          {path / MODEL_FILE}")
    print(f"Next:           nhc certify {path / MODEL_FILE}")
    print(f"                nhc solve {path / MODEL_FILE} --sample level=12 --frames")
    return 0 if solved else 1


def learned_sentence(result: Result) -> str:
    """One sentence on the training run."""
    state = result.state
    outcome = "All 22 levels mastered" if result.mastered else f"Only level {state.level} was reached"
    return (
        f"   {outcome} in {result.seconds:.0f} s: {state.iteration:,} iterations, of which "
        f"{state.learning_iterations:,} learned; {state.restarts} restarts; {result.ticks:,} ticks."
    )


def free_tree_trace(model: Model, node: int) -> Trace:
    """The machine's run to a goal node of the free tree."""
    computer = Computer(model.parameters, model.config, model.algorithm, ExactFreeTree())
    problem = Problem(bits(jnp.uint32(0)), ConfigurationGoal(bits(jnp.uint32(node))))
    return trace(computer, problem, max_ticks=node + 10)


def show_solution(model: Model, task: PlanningTask, engine: Engine) -> bool:
    """Solve the task and print the boards along the plan."""
    began = time.perf_counter()
    solution = solve(model, task, engine=engine)
    if solution.states:
        print(frames(task, solution))
    print(sentence(task, solution) + f" in {time.perf_counter() - began:.1f} s")
    return solution.solved

"""`nhc demo`: from random weights to a proof and a solved level, with everything shown."""

import textwrap
import time
from dataclasses import dataclass
from pathlib import Path

from nhc.cli.parse import parse
from nhc.cli.solve_command import frames, sentence
from nhc.zoo import LEARNED

EXPLAINED_NODE = 203
FARTHEST_NODE = 100_000
"""The deepest goal of Levels 1 to 21 is node 84."""


@dataclass
class DemoOptions:
    """Train a planner from scratch to a proof, say what it learned, and solve an unseen Sokoban task.

    A page in the run directory then shows every tick of it in a browser.

    Examples:
    nhc demo
    nhc demo --seed 3
    """

    seed: int = 0
    """Decides the training run and the task."""
    out: Path | None = None
    """Run directory; runs/demo-seedN by default, where an earlier demo is replaced."""
    quiet: bool = False
    """No live progress."""


def run(arguments: list[str]) -> int:
    """Train, explain, solve. Exit 1 if the planner was not learned or the task stays unsolved."""
    options = parse(DemoOptions, arguments, name="demo")
    from nhc.certify.prove import control_sentence, prove
    from nhc.computer.explain import explain
    from nhc.computer.trace import trace
    from nhc.domains.registry import make_domain
    from nhc.model import load_model
    from nhc.planning.engines import free_task
    from nhc.planning.sample import far_task
    from nhc.planning.solve import solve
    from nhc.planning.states import chosen_modules, computer_for, problem_for
    from nhc.runs.directory import RunDirectory
    from nhc.viewer.show import learning_of, page_of
    from nhc.zoo import MODEL_FILE

    path = options.out or Path("runs") / f"demo-seed{options.seed}"
    if not train_planner(options, path):
        print("Try another seed: nhc demo --seed 1")
        return 1

    model = load_model(path / MODEL_FILE)
    print("\n2. Is it the algorithm? The weights themselves were examined, not samples:")
    print(f"   {control_sentence(prove(model))}.")
    print("\n   What it does, read from one run of its own on a tree that it never saw:")
    free, problem = computer_for(model, make_domain("free-tree")), problem_for(free_task(EXPLAINED_NODE))
    told = explain(trace(free, problem, max_ticks=EXPLAINED_NODE + 10))
    print(textwrap.indent(told, "   "))

    task = far_task(make_domain("sokoban-6x6"), FARTHEST_NODE, seed=options.seed)
    print("\n3. An unseen Sokoban task, far beyond the levels, where no goal lies deeper than node 84:")
    chosen = chosen_modules(LEARNED, task.world, task.start)
    print(f"   {task.title}. The moves are applied by {chosen.note}.\n", flush=True)
    began = time.perf_counter()
    solution = solve(model, task, engine="network", modules=chosen.modules)
    if solution.states:
        print(frames(task, solution.states))
    print(sentence(task, solution) + f" in {time.perf_counter() - began:.1f} s")
    directory = RunDirectory(path)
    directory.make_folders()
    page = page_of({str(path / MODEL_FILE): model}, task, learning_of(directory, model))
    page_file = page.save(directory.traces / "look-inside.html")
    print(f"\nLook inside:    {page_file.resolve().as_uri()}  (open it in a browser)")
    print(f"Learning curve: {path / 'figures' / 'learning_curve.png'}")
    print(f"Model:          {path / MODEL_FILE}")
    print(f"Next:           nhc certify {path / MODEL_FILE}")
    print(f"                nhc solve {path / MODEL_FILE} --sample level=12 --frames")
    return 0 if solution.solved else 1


def train_planner(options: DemoOptions, path: Path) -> bool:
    """Train in `path` and say what came of it. Was it learned?"""
    from nhc.machine.layout import weight_count
    from nhc.runs.progress import progress_unless
    from nhc.training.config import run_config
    from nhc.training.keeping import train_in_directory

    config = run_config("plan", overrides={"seed": options.seed})
    count, longest = weight_count(config.machine), config.algorithm.longest(config.last_level)
    tasks = f"every task of up to {longest} ticks"
    print(f"1. Evolution trains {count:,} random weights to plan, on {tasks}.", flush=True)
    result = train_in_directory(config, path, progress_unless(options.quiet), overwrite=True)
    state = result.state
    last = config.last_level
    outcome = f"Not learned, level {min(state.level, last)} of {last} was reached,"
    if result.succeeded:
        outcome = f"All {last} levels mastered" + (", and the weights proved," if state.certified else "")
    print(
        f"   {outcome} in {result.seconds:.0f} s: {state.iteration:,} iterations, of which "
        f"{state.learning_iterations:,} learned; {state.restarts} restarts; {result.ticks:,} ticks."
    )
    return result.succeeded

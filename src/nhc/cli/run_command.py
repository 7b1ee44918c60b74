"""`nhc run`: what a machine learned, on an input of your own; search and plan on the free tree."""

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import counted, message, now_and_then, parse
from nhc.errors import ConfigError
from nhc.planning.budget import DEFAULT_MEMORY

if TYPE_CHECKING:  # These need JAX or NumPy, which --help does not.
    from nhc.algorithms.sequence.notation import AnyAsked
    from nhc.computer.hosted import Execution
    from nhc.model import Model


@dataclass
class RunOptions:
    """Run what a machine learned on an input of your own; search and plan on the free tree, without a goal.

    How an input is written depends on the algorithm: see `nhc algorithms`. The program is the machine's
    control as a table, made from its weights: it does what the network does, some thousand times faster.

    Examples:
    nhc run zoo:brackets '([]{})'
    nhc run zoo:reverse 'hello world'
    nhc run zoo:postfix '3 4 + 2 *' --trace
    nhc run zoo:copy --file long.txt
    nhc run zoo:plan --ticks 100_000_000
    nhc run zoo:search --ticks 1_000_000 --check
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:brackets."""
    input: tyro.conf.Positional[tuple[str, ...]] = ()
    """The input. One argument is taken sign by sign where any symbols will do."""
    file: Path | None = None
    """Read the input from a file: words may stand in lines of their own."""
    trace: bool = False
    """Print every tick, by the network."""
    picture: Path | None = None
    """Draw the cells that were read, by the network: FILE.png and FILE.svg."""
    engine: Literal["program", "network"] = "program"
    """The table, or the network itself at every tick."""
    max_ticks: int = 100_000_000
    """Budget in ticks."""
    max_memory: int = DEFAULT_MEMORY
    """Budget in bytes. A run on the free tree that would need more is refused before it starts."""
    ticks: int = 10_000_000
    """Search and plan: how far to run."""
    check: bool = False
    """Search and plan: compare every tick with breadth-first search. Else: compare the answer with the
    specification, however long the run was."""
    json: bool = False
    """One JSON object on stdout."""


def run(arguments: list[str]) -> int:
    """Run and report. Exit 1 if the budget was used up, what was checked is wrong, or there is no program."""
    options = parse(RunOptions, arguments, name="run")
    from nhc.algorithms.tree.algorithm import TREES
    from nhc.model import load_model

    model = load_model(options.model)
    if model.algorithm.name not in TREES:
        return run_input(options, model)
    if options.input or options.file or options.trace or options.picture:
        wanted = "no input: nhc solve gives such a machine a task"
        raise ConfigError("run.input", f"{model.algorithm.name}: expected {wanted}")
    return run_tree(options, model)


def run_input(options: RunOptions, model: "Model") -> int:
    """An algorithm that takes an input."""
    from nhc.computer.sequences import run_sequence

    asked = asked_of(options, model.algorithm.name)
    began = time.perf_counter()

    def tell(ticks: int) -> None:
        if ticks:
            message(f"  {counted(ticks, 'tick')}")

    made = run_sequence(
        model,
        asked.instance,
        engine=options.engine,
        max_ticks=options.max_ticks,
        max_memory=options.max_memory,
        check=options.check or None,
        keep=options.trace or options.picture is not None,
        on_progress=now_and_then(2.0, tell),
    )
    seconds = time.perf_counter() - began
    report(options, model.algorithm.name, asked, made, seconds)
    if options.picture is not None and made.trace is not None:
        from nhc.runs.figure import save_figure

        title = f"{model.algorithm.name}: {counted(made.ticks, 'tick')}"
        drawn, _ = save_figure(made.trace.plot(title), options.picture.with_suffix(""))
        message(f"Drawn to {drawn}")
    return 0 if made.ended and made.correct is not False else 1


def asked_of(options: RunOptions, name: str) -> "AnyAsked":
    """The instance that the options give.

    Raises ConfigError (`run.input`) unless there is one, InputError (`input.*`) if it is no input of the
    algorithm.
    """
    from nhc.algorithms.sequence.grammar import NOTATIONS
    from nhc.algorithms.sequence.notation import argument_text, file_text

    notation = NOTATIONS.get(name)
    if notation is None:
        raise ConfigError("run.input", f"expected an algorithm with a notation, found {name}")
    if bool(options.input) == (options.file is not None):
        wanted = f"either an input, {notation.usage} (for example {notation.example}), or --file"
        found = "both" if options.file else "none"
        raise ConfigError("run.input", f"{name}: expected {wanted}, found {found}")
    text = argument_text(options.input) if options.file is None else file_text(options.file)
    return notation.read(text)


def report(options: RunOptions, name: str, asked: "AnyAsked", made: "Execution", seconds: float) -> None:
    """The answer on stdout, everything else on stderr."""
    from nhc.algorithms.sequence.grammar import NOTATIONS

    answer = NOTATIONS[name].show(made.result, asked) if made.result is not None else None
    if options.json:
        values = {
            "algorithm": name,
            "ending": "ended" if made.ended else "budget exhausted",
            "answer": answer,
            "correct": made.correct,
            "ticks": made.ticks,
            "wall_s": round(seconds, 3),
            "engine": options.engine if made.trace is None else "network",
        }
        print(json.dumps(values))
        return
    if options.trace and made.trace is not None:
        print(made.trace.named(asked.name).table())
    if not made.ended:
        message(f"The budget is exhausted after {counted(made.ticks, 'tick')}: raise --max-ticks.")
        return
    print("too large a number" if answer is None else answer)
    checked = {True: "as specified", False: "NOT as specified", None: "not checked"}
    message(f"{counted(made.ticks, 'tick')} in {seconds:.2f} s; {checked[made.correct]}")


def run_tree(options: RunOptions, model: "Model") -> int:
    """Search and Plan on the free tree."""
    from nhc.certify.prove import Proof, extract_program, prove
    from nhc.program.engine import bytes_per_tick, run_free

    verdict = prove(model)
    if not isinstance(verdict, Proof):
        message("the control of this machine is not proved, so it has no program to run; see nhc certify")
        return 1
    program = extract_program(model, verdict)
    needed = options.ticks * bytes_per_tick(program)
    if needed > options.max_memory:
        allowed = f"more than the {options.max_memory:,} of --max-memory"
        raise ConfigError("program.memory", f"{options.ticks:,} ticks take {needed:,} bytes, {allowed}")
    run_free(program, 1)  # compiles, or loads what was compiled before
    began = time.perf_counter()
    made = run_free(program, options.ticks, check=options.check)
    seconds = time.perf_counter() - began
    nanoseconds = 1e9 * seconds / made.ticks
    if options.json:
        answer = {
            "ticks": made.ticks,
            "wall_s": round(seconds, 3),
            "ns_per_tick": round(nanoseconds, 1),
            "last_node": made.last_node,
            "checksum": made.checksum,
            "breadth_first": made.breadth_first,
        }
        print(json.dumps(answer))
    else:
        print(f"{made.ticks:,} ticks in {seconds:.2f} s, {nanoseconds:.0f} ns each")
        print(f"last node made: {made.last_node:,}; checksum of reads and operations {made.checksum:016x}")
        if made.breadth_first is not None:
            print("every tick is breadth-first" if made.breadth_first else "NOT breadth-first")
    return 1 if made.breadth_first is False else 0

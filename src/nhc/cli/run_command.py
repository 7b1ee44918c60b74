"""`nhc run`: the learned program on the free tree, for as many ticks as wanted."""

import json
import time
from dataclasses import dataclass

import tyro

from nhc.cli.parse import message, parse
from nhc.errors import ConfigError
from nhc.planning.budget import DEFAULT_MEMORY

EXAMPLES = """
nhc run zoo:plan --ticks 100_000_000
nhc run zoo:search --ticks 1_000_000 --check
"""


@dataclass
class RunOptions:
    """Run the program of a proved machine on the free tree, without a goal, at constant cost a tick."""

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    ticks: int = 10_000_000
    """How far to run."""
    max_memory: int = DEFAULT_MEMORY
    """Bytes that the run may take; one that would need more is refused before it starts."""
    check: bool = False
    """Compare every tick with breadth-first search."""
    json: bool = False
    """One JSON object on stdout."""


def run(arguments: list[str]) -> int:
    """Run and report. Exit 1 if the model is not proved or a checked tick is wrong."""
    options = parse(RunOptions, arguments, name="run", examples=EXAMPLES)
    from nhc.certify.prove import Proof, prove
    from nhc.certify.reachable import extract_program
    from nhc.model import load_model
    from nhc.program.engine import bytes_per_tick, run_free

    model = load_model(options.model)
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

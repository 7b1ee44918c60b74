"""`nhc doctor`: what is installed, on what it runs, and whether it works."""

import json
import time
from dataclasses import dataclass

from nhc.cli.parse import parse
from nhc.cli.tables import print_table
from nhc.runs.environment import environment


@dataclass
class DoctorOptions:
    """Check the installation: versions, device, threads, and a self-test of about two seconds.

    Examples:
    nhc doctor
    nhc doctor --json
    """

    json: bool = False
    """One JSON object."""


def run(arguments: list[str]) -> int:
    """Print the findings; exit 1 if the self-test fails."""
    options = parse(DoctorOptions, arguments, name="doctor")
    findings = {name: value for name, value in environment().items() if name != "argv"}
    began = time.perf_counter()
    fault = self_test()
    findings["self_test"] = fault or "passed"
    findings["self_test_s"] = round(time.perf_counter() - began, 2)
    if options.json:
        print(json.dumps(findings))
    else:
        print_table(
            "nhc doctor", ["what", "found"], [[key, str(value)] for key, value in findings.items()], left=2
        )
    return 1 if fault else 0


def self_test() -> str | None:
    """Solve a known task with a shipped model; what went wrong, or None."""
    from nhc.domains.free_tree import TreeState
    from nhc.domains.registry import make_domain
    from nhc.model import load_model
    from nhc.planning.budget import Budget
    from nhc.planning.solution import Ending
    from nhc.planning.solve import solve
    from nhc.tasks.planning import PlanningTask

    goal = 77
    task = PlanningTask(make_domain("free-tree"), TreeState(0), TreeState(goal), "self-test")
    solution = solve(
        load_model("zoo:plan"), task, budget=Budget(ticks=200), engine="network", modules="exact"
    )
    if solution.ending is not Ending.SOLVED:
        return f"expected a plan for node {goal}, found {solution.ending}"
    if solution.ops != (3, 2, 0):
        return f"expected the plan (3, 2, 0), found {solution.ops}"
    return None

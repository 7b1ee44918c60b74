"""Parts of docs/own_algorithm.md (its example, what that prints) and of docs/algorithms.md (the table)."""

import io
import json
import re
from contextlib import redirect_stdout
from functools import cache, partial
from pathlib import Path

from examples import own_algorithm
from nhc.algorithms.sequence.family import SEQUENCES
from nhc.zoo import zoo_names, zoo_path
from tests.computer.machines import zoo
from tests.docs_modules import table

SOURCE = Path(own_algorithm.__file__).read_text()
REPORT = Path(__file__).resolve().parents[1] / "docs" / "suite" / "report.md"
SECTION = re.compile(r"^# %% (\w+)\n(.*?)(?=^# %% |^if __name__|\Z)", re.DOTALL | re.MULTILINE)


def section(name: str) -> str:
    """What follows a mark `# %% name` of the example."""
    return dict(SECTION.findall(SOURCE))[name].strip() + "\n"


def code_of(name: str) -> str:
    return f"```python\n{section(name)}```\n"


@cache
def printed() -> str:
    """What the example prints; it is run once a process."""
    with redirect_stdout(io.StringIO()) as output:
        own_algorithm.main()
    return output.getvalue()


def algorithm_output() -> str:
    return f"```text\n{printed()}```\n"


def steady(output: str) -> str:
    """A part without what another processor may do in another way: rounding decides what is learned.

    Of the trace only the operations are left, which are the same for all machines that are right.
    """
    output = re.sub(r"\d+ iterations", "some iterations", output)
    row = re.compile(r"^( +\d+) +-?\d+ +-?\d+  (\w+) +(?:content|\w+ \w+) +[+-]+ +\w+$", re.MULTILINE)
    return row.sub(r"\1 \2", output)


def algorithms() -> str:
    columns = ["algorithm", "signals", "operations", "what control has to find out", "what is done for it"]
    rows = [
        [f"`{each.name}`", ", ".join(each.signals), ", ".join(each.ops), each.control, each.alu]
        for each in SEQUENCES
    ]
    return table(columns, rows)


def shipped() -> str:
    """What the files of the zoo say; `nhc check` goes through each certificate again."""
    columns = ["machine", "seed", "learning iterations", "trained on at most", "states of its proof"]
    rows = []
    for algorithm in SEQUENCES:
        if algorithm.name in zoo_names():
            record = zoo(algorithm.name).record
            certificate = zoo_path(algorithm.name).with_suffix(".certificate.json")
            states = "not proved"
            if certificate.exists():
                states = f"{len(json.loads(certificate.read_text())['invariant']['states']):,}"
            ticks = f"{algorithm.longest(algorithm.levels)} ticks"
            learning = f"{record['learning_iterations']:,}"
            rows.append([f"`zoo:{algorithm.name}`", str(record["seed"]), learning, ticks, states])
    return table(columns, rows)


def suite() -> str:
    """The table of the report."""
    return "".join(re.findall(r"^\|.*\n", REPORT.read_text(), re.MULTILINE))


CODE = {f"algorithm_{name}": partial(code_of, name) for name in ("data", "algorithm", "run")}
SECTIONS = "".join(code() for code in CODE.values())
ALGORITHM_PARTS = {
    **CODE,
    "algorithm_output": algorithm_output,
    "algorithms": algorithms,
    "shipped": shipped,
    "suite": suite,
}

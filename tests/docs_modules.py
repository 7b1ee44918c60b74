"""Parts of docs/modules.md and docs/python.md that are what the code and the shipped records say."""

import inspect
import io
from contextlib import redirect_stdout

import nhc
from nhc.cli.main import run
from nhc.data.networks import Experts, Network
from nhc.supervised.check.report import load_report, record_path
from nhc.supervised.files import load_modules
from nhc.zoo import modules_path, shipped_worlds

WORKFLOW = ["modules", "show", "zoo:sliding-3x3", "--sample", "3", "--op", "right"]


def table(columns: list[str], rows: list[list[str]]) -> str:
    """A markdown table."""
    return "".join(f"| {' | '.join(row)} |\n" for row in [columns, ["---"] * len(columns), *rows])


def names() -> str:
    """The public names with the first sentence of what they say about themselves."""
    texts = {name: inspect.getdoc(getattr(nhc, name)) or "" for name in nhc.PUBLIC}
    rows = [[f"`nhc.{name}`", " ".join(text.partition("\n\n")[0].split())] for name, text in texts.items()]
    return table(["name", "what it is"], rows)


def workflow() -> str:
    with redirect_stdout(io.StringIO()) as printed:
        assert run(WORKFLOW) == 0
    return f"```text\n{printed.getvalue().strip()}\n```\n"


def module_sizes() -> str:
    names = ("equality", "view", "acts", "change", "inserts", "mask")
    rows = []
    for world in shipped_worlds():
        networks = load_modules(modules_path(f"zoo:{world}")).networks
        rows.append([f"`{world}`", *(sizes(networks[name]) for name in names)])
    return table(["world", *names], rows)


def sizes(network: Network) -> str:
    """Units layer by layer, or experts."""
    if isinstance(network, Experts):
        reads, count, outputs = network.sizes
        return f"{count} experts, {reads}-{outputs}"
    return "-".join(map(str, network.sizes))


def module_checks() -> str:
    rows = []
    for world in shipped_worlds():
        report = load_report(record_path(modules_path(f"zoo:{world}")))
        for module in ("transform_d", "alu", "output"):
            tally, proved = report.tallies[module], report.proved.get(module)
            rows.append(
                [
                    f"`{world}`",
                    module,
                    f"{tally.cases:,}" if proved is None else "every word",
                    str(tally.errors),
                    f"{tally.margin if proved is None else proved:.3f}",
                    report.label(module),
                ]
            )
    return table(["world", "module", "cases", "errors", "smallest margin", "label"], rows)


MODULE_PARTS = {each.__name__: each for each in (names, workflow, module_sizes, module_checks)}

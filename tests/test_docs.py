"""The documentation is true: its code runs, its tables are the code's, its links, commands and codes exist.

`python -m tests.test_docs` rewrites the generated parts after a change of the code.
"""

import ast
import importlib
import io
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import nhc
from nhc import errors
from nhc.algorithms.tree.nodes import path_ops
from nhc.cli import figure_command, modules_command
from nhc.cli.main import COMMANDS, run
from nhc.domains.sokoban import LEGENDS, Board, Sokoban
from nhc.domains.sokoban.legends import KINDS
from nhc.evolve.state import Record, initial_train_state
from nhc.machine.config import MachineConfig
from nhc.machine.layout import MECHANISMS, blocks, unused_blocks, weight_count
from nhc.runs.codec import encoded
from nhc.runs.environment import environment
from nhc.runs.toml import dump_toml
from nhc.training.session import course_of
from tests.docs_algorithm import ALGORITHM_PARTS, SECTIONS, steady
from tests.docs_modules import MODULE_PARTS, table

ROOT = Path(__file__).resolve().parents[1]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *sorted(ROOT.glob("docs/*.md"))]
EXAMPLES = ("quickstart", "own_world")  # tests/supervised/test_own.py runs the second
GENERATED = re.compile(r"<!-- generated: (\w+) -->\n(.*?)<!-- /generated -->", re.DOTALL)
FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"[a-z]+\.[a-z_]+")
NOT_FOR_READERS = re.compile(
    r"(?i)/work/|/tmp\b|/root\b|/home\b|\bhelpers?\b|\bsessions?\b|\bissues? \d|#\d+\b|paper\.tex"
)


def commands() -> str:
    return table(["command", "what it does"], [[f"`nhc {name}`", text] for name, text in COMMANDS.items()])


def example(name: str) -> str:
    """A program without its docstring."""
    _, _, code = (ROOT / "examples" / f"{name}.py").read_text().partition('"""\n\n')
    return f"```python\n{code}```\n"


def weights() -> str:
    config, unused = MachineConfig(), unused_blocks(MachineConfig())
    rows = [
        [f"`{block.name}`", f"{block.rows}", f"{block.inputs}", f"{block.size}", used]
        for block in blocks(config)
        for used in ["no" if block.name in unused else "yes"]
    ]
    total = f"Together {weight_count(config):,} weights to plan, "
    total += f"{weight_count(MachineConfig(signals=2)):,} to search, which has one signal less.\n"
    return table(["block", "rows", "inputs", "weights", "used by default"], rows) + "\n" + total


def mechanisms() -> str:
    return "".join(f"{number}. {name}\n" for number, name in enumerate(MECHANISMS, start=1))


def legends() -> str:
    cells = KINDS
    names = ["wall", "player", "player on goal", "box", "box on goal", "goal", "floor"]

    def signs(cell: int, of: dict[str, int]) -> str:
        found = [sign for sign, content in of.items() if content == cell]
        return " ".join("blank" if sign == " " else f"`{sign}`" for sign in found) or "none"

    rows = [
        [f"`{name}`", *(signs(cell, dict(each.cells)) for cell in cells)] for name, each in LEGENDS.items()
    ]
    return table(["legend", *names], rows)


def config() -> str:
    return f"```toml\n{dump_toml(nhc.run_config('plan').model_dump(mode='json'))}```\n"


def trace() -> str:
    domain, model = nhc.make_domain("sokoban-6x6"), nhc.load_model("zoo:plan")
    task = nhc.task_of_level(domain, 3, seed=0)
    done = nhc.trace(nhc.computer_for(model, domain), nhc.problem_for(task), max_ticks=100)
    return f"```text\n{done.table()}\n```\n"


GENERATORS: dict[str, Callable[[], str]] = {
    each.__name__: each for each in (commands, weights, mechanisms, legends, config, trace)
} | {**{name: partial(example, name) for name in EXAMPLES}, **MODULE_PARTS, **ALGORITHM_PARTS}


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_parts_are_what_the_code_says(name: str) -> None:
    found = [match[2] for page in PAGES for match in GENERATED.finditer(page.read_text()) if match[1] == name]
    assert set(map(steady, found)) == {steady(GENERATORS[name]())}, "run: python -m tests.test_docs"


def fences(language: str) -> Iterator[tuple[str, str]]:
    for page in PAGES:
        yield from ((page.name, body) for kind, body in FENCED.findall(page.read_text()) if kind == language)


def test_other_python_examples_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    shown = SECTIONS + "".join(map(example, EXAMPLES))
    for body in [body for _, body in fences("python") if body not in shown]:
        with redirect_stdout(io.StringIO()):
            exec(compile(body, "example", "exec"), {})


def error_codes() -> dict[str, str]:
    """Every code in the source with its exit code; `-` if it is only ever a warning."""
    exits = {name: str(kind.exit_code) for name, kind in vars(errors).items() if hasattr(kind, "exit_code")}
    found: dict[str, str] = {}
    texts: list[str] = []
    for path in (ROOT / "src").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                texts.append(node.value)
            if isinstance(node, ast.Call) and node.args and isinstance(node.func, ast.Name):
                kind = exits.get(node.func.id, "-" if node.func.id in ("Note", "warning") else "")
                for part in ast.walk(node.args[0]) if kind else ():
                    if isinstance(part, ast.Constant) and CODE.fullmatch(code := str(part.value)):
                        found[code] = max(kind, found.get(code, "-"))
    # Codes that are handed on under a name, or stand in a message in brackets.
    families = {code.split(".")[0] for code in found}
    for text in texts:
        for code in [text, *re.findall(rf"\[({CODE.pattern})\]", text)]:
            if CODE.fullmatch(code) and code.split(".")[0] in families:
                found.setdefault(code, "2")
    return found


def rows_of(page: str) -> list[list[str]]:
    """The rows of all tables of a page whose first cell is in backticks."""
    lines = (ROOT / "docs" / page).read_text().splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines if line[:3] == "| `"]
    return [[row[0].strip("` "), *row[1:]] for row in cells]


def test_every_error_code_is_explained_with_its_exit_code() -> None:
    found = error_codes()
    assert {"cli.command", "xsb.run_length", "moves.reverse", "config.key", "xsb.solved"} <= found.keys()
    assert {row[0]: row[1] for row in rows_of("errors.md")} == found
    assert all(len(row) == 4 and all(row) for row in rows_of("errors.md"))


def test_file_formats_name_every_field() -> None:
    settings = nhc.run_config("plan")
    state = initial_train_state(course_of(settings))
    arrays, values = encoded(state)
    kept = {name if name.startswith("bad/") else re.sub("/.*", "/", name) for name in (*arrays, *values)}
    expected = {*Record._fields, *kept, *environment()}
    listed = {row[0] for row in rows_of("formats.md")}
    assert expected <= listed, expected - listed
    assert set(MachineConfig.model_fields) <= {row[0] for row in rows_of("machine.md")}


def test_links_and_pictures_exist() -> None:
    count = 0
    for page in PAGES:
        for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
            if target.startswith("https://"):
                continue
            path, _, anchor = target.partition("#")
            file = (page.parent / path).resolve() if path else page
            assert file.exists(), f"{page.name}: {target}"
            headings = re.findall(r"^#+ (.+)$", file.read_text(), re.MULTILINE) if anchor else []
            anchors = [re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in headings]
            assert not anchor or anchor in anchors, f"{page.name}: {target}"
            count += 1
    assert count > 10


def command_lines() -> Iterator[tuple[str, str]]:
    """Page and words after `nhc`, for all commands in inline code and in blocks."""
    for page in PAGES:
        text = GENERATED.sub("", page.read_text())
        blocks = "\n".join(body for kind, body in FENCED.findall(text) if kind in ("", "sh"))
        lines = [*re.findall(r"`(nhc [a-z-][^`\n]*)`", text), *blocks.splitlines()]
        yield from ((page.name, line.split("#")[0][4:]) for line in lines if re.match(r"nhc [a-z-]", line))


def help_text(*command: str) -> str:
    with redirect_stdout(io.StringIO()) as printed, pytest.raises(SystemExit):
        run([*command, "--help"])
    return printed.getvalue()


def test_commands_and_their_options_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    lines = list(command_lines())
    assert len(lines) > 10
    helps = {line.split()[0]: "" for _, line in lines}
    helps |= {command: help_text(command) for command in helps if command in COMMANDS}
    for name, parts in (("modules", modules_command.PARTS), ("figure", figure_command.PARTS)):
        helps[name] += "".join(help_text(name, part) for part in parts)
    for page, line in lines:
        command, *words = line.split()
        assert command in COMMANDS or line.strip() in ("--help", "--version"), f"{page}: nhc {line}"
        for option in [word for word in words if word.startswith("--")]:
            assert re.search(rf"{option}\b", helps[command]), f"{page}: nhc {line}"


def test_make_targets_exist() -> None:
    targets = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = {name for page in PAGES for name in re.findall(r"\bmake (\w+)`", page.read_text())}
    assert named and named <= set(targets)
    contributing = (ROOT / "CONTRIBUTING.md").read_text()
    assert all(f"make {name}" in contributing for name in ("setup", "demo", "test", "check"))


def test_names_and_files_in_the_code_column_exist() -> None:
    for page in PAGES:
        text = page.read_text()
        for path in re.findall(r"`((?:src|tests|examples|docs)/[\w/.]+)`", text):
            assert (ROOT / path).exists(), f"{page.name}: {path}"
        for name in re.findall(r"`(nhc(?:\.\w+)+)`", text):
            assert resolved(name) is not None, f"{page.name}: {name}"


def resolved(name: str) -> object:
    """The module or attribute of a dotted name."""
    parts = name.split(".")
    for split in range(len(parts), 0, -1):
        try:
            found: object = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
        return found
    return None


def test_why_node_330_621_is_no_goal_in_sokoban() -> None:
    """Down, up, down: the first repeats the start, or the third repeats the first, in every world."""
    assert [2, 0, 2] in [path_ops(330_621)[start : start + 3] for start in range(7)]
    domain = Sokoban(Board(6, 6))
    worlds = domain.sample(np.random.default_rng(0), 2_000)
    first = domain.step(worlds, 2)
    third = domain.step(domain.step(first, 0), 2)
    stuck, again = (domain.key(first) == domain.key(world) for world in (worlds, third))
    assert (stuck | again).all() and not stuck.all() and not again.all()


def test_pages_speak_to_readers_only() -> None:
    for page in PAGES:
        assert not (found := NOT_FOR_READERS.search(page.read_text())), f"{page.name}: {found}"


def test_the_version_is_the_same_everywhere() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    citation = (ROOT / "CITATION.cff").read_text()
    changes = re.findall(r"^## \[(\d[^\]]*)\]", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert nhc.__version__ == project["version"] == changes[0]
    assert f"\nversion: {nhc.__version__}\n" in citation
    assert f"\nlicense: {project['license']}\n" in citation
    assert "1911.00926" in citation


def filled(match: re.Match[str]) -> str:
    return f"<!-- generated: {match[1]} -->\n{GENERATORS[match[1]]()}<!-- /generated -->"


if __name__ == "__main__":
    for page in PAGES:
        page.write_text(GENERATED.sub(filled, page.read_text()))

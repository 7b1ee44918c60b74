"""The rules of the source tree, read from its syntax. Each rule has canaries: sources that break it."""

import ast
import io
import re
import sys
import tokenize
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "nhc"

LAYERS = (
    *("errors", "zoo", "settings", "shapes", "statistics", "streams", "jit", "domains", "pddl"),
    *("machine", "algorithms", "data", "runs", "supervised", "tasks", "program", "model"),
    *("computer", "evolve", "baselines", "certify", "planning", "training", "gym"),
    *("viewer", "bench", "experiments", "cli", "__main__"),
)
"""Packages from the bottom up: each may import those before it. A new one is placed here on purpose."""

ONLY = {
    "machine": {"errors", "settings", "shapes"},
    "algorithms": {"errors", "shapes", "streams", "domains", "machine"},
    "data": {"errors", "shapes", "domains"},
    "domains": {"errors"},
    "supervised": {"errors", "shapes", "statistics", "streams", "jit", "domains", "data", "runs"},
    "evolve": {"errors", "settings", "shapes", "streams", "jit", "machine", "algorithms"},
}
"""All of nhc that these packages may import beside themselves: control never sees data."""

BOTH_HALVES = {"computer", "planning", "certify", "bench", "cli"}
"""The only packages that may import both machine and data."""

CHECKER = "nhc.certify.checker"
MAIN = "__name__ == '__main__'"
PICKLES = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}
NETWORK = {
    *("socket", "socketserver", "ssl", "http", "urllib", "ftplib", "smtplib", "poplib", "imaplib", "xmlrpc"),
    *("telnetlib", "asyncio", "requests", "httpx", "aiohttp", "urllib3", "webbrowser"),
}
DYNAMIC = {"eval", "exec", "compile", "__import__"}
SUPPRESSION = re.compile(r"#.*\b(type:\s*ignore|noqa|pyright:\s*ignore|mypy:\s*(ignore|disable))")


@dataclass(frozen=True)
class Module:
    """One source file."""

    name: str
    text: str

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text)

    @property
    def package(self) -> str:
        """The part after `nhc.`; empty for `nhc` itself."""
        return f"{self.name}.".split(".")[1]

    @cached_property
    def imports(self) -> list[tuple[str, str | None]]:
        """What it imports, wherever: (`a.b`, None) for `import a.b`, (`a`, `b`) for `from a import b`."""
        nodes = list(ast.walk(self.tree))
        plain = [(alias.name, None) for node in nodes if isinstance(node, ast.Import) for alias in node.names]
        froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
        return [*plain, *((node.module or "", alias.name) for node in froms for alias in node.names)]

    def packages(self) -> set[str]:
        """The packages of nhc that it imports, without its own."""
        names = [f"{base}.{name}" for base, name in self.imports if base.split(".")[0] == "nhc"]
        return {name.split(".")[1] for name in names} & {*LAYERS} - {self.package}

    def outside(self) -> set[str]:
        """Top-level names of what it imports from elsewhere."""
        return {base.split(".")[0] for base, _ in self.imports} - {"nhc"}

    def targets(self, names: set[str]) -> set[str]:
        """The modules among `names` that it imports at once, or anywhere if they are of other packages.

        `from package import module` means the module. Types alone, and functions, may look up in a package.
        """
        at_once = Module(self.name, ast.unparse(ast.Module([*map(_bare, self.tree.body)], [])))
        dotted = [(base, f"{base}.{name}") for base, name in self.imports]
        found = {whole if whole in names else base for base, whole in dotted} & names
        first = {f"{base}.{name}" for base, name in at_once.imports} | {base for base, _ in at_once.imports}
        return {name for name in found if name in first or name.split(".")[1:2] != [self.package]}


def _bare(statement: ast.stmt) -> ast.stmt:
    """A statement of a module as far as it imports at once."""
    deferred = (ast.FunctionDef, ast.ClassDef)
    types = isinstance(statement, ast.If) and ast.unparse(statement.test) == "TYPE_CHECKING"
    return ast.Pass() if types or isinstance(statement, deferred) else statement


def module_of(path: Path) -> Module:
    parts = path.relative_to(SOURCE.parent).with_suffix("").parts
    name = ".".join(parts).removesuffix(".__init__")
    return Module(name, path.read_text(encoding="utf-8"))


MODULES = [module_of(path) for path in sorted(SOURCE.rglob("*.py"))]
Rule = Callable[[Module], Iterator[str]]


def layers(module: Module) -> Iterator[str]:
    """Imports point downwards; so nothing imports cli, and `nhc` itself imports nothing."""
    if module.package and module.package not in LAYERS:
        yield f"{module.package} has no place in LAYERS"
    else:
        below = LAYERS[: LAYERS.index(module.package)] if module.package else ()
        yield from (f"{name} is not below" for name in module.packages() - set(below))


def halves(module: Module) -> Iterator[str]:
    """Machine and data meet in few places."""
    allowed = ONLY.get(module.package)
    if allowed is not None:
        yield from (f"imports {name}" for name in module.packages() - allowed)
    if {"machine", "data"} <= module.packages() | {module.package} and module.package not in BOTH_HALVES:
        yield "knows machine and data"


def plain(module: Module) -> Iterator[str]:
    """The worlds and the checker are plain Python and NumPy, and the checker shares nothing with nhc."""
    if module.package == "domains" or module.name == CHECKER:
        yield from module.outside() - sys.stdlib_module_names - {"numpy"}
    if module.name == CHECKER and any(base.split(".")[0] == "nhc" for base, _ in module.imports):
        yield "imports nhc"


def docstring(module: Module) -> Iterator[str]:
    if not ast.get_docstring(module.tree):
        yield "has no docstring"


def short(module: Module) -> Iterator[str]:
    lines = len(module.text.splitlines())
    # The checker is one file on purpose: a reader needs nothing else to trust a certificate.
    if lines > (585 if module.name == CHECKER else 300):
        yield f"has {lines} lines"
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            size = (node.end_lineno or node.lineno) - node.lineno + 1
            if size > 60:
                yield f"{node.name} has {size} lines"


def no_any(module: Module) -> Iterator[str]:
    for node in ast.walk(module.tree):
        name = {ast.Name: "id", ast.Attribute: "attr", ast.alias: "name"}.get(type(node))
        if name is not None and getattr(node, name) == "Any":
            yield "uses Any"
        for quoted in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(quoted, ast.Constant) and re.search(r"\bAny\b", str(quoted.value)):
                yield "uses Any in quotes"


def no_network(module: Module) -> Iterator[str]:
    yield from module.outside() & NETWORK


def no_foreign_code(module: Module) -> Iterator[str]:
    """Nothing that is read can be executed."""
    yield from module.outside() & PICKLES
    for node in ast.walk(module.tree):
        if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
            yield "allow_pickle"
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in DYNAMIC:
            yield f"calls {node.func.id}"


def no_work_at_import(module: Module) -> Iterator[str]:
    """Modules consist of definitions; none computes with JAX, prints or opens files when imported."""
    definitions = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef, ast.Assign, ast.AnnAssign)
    for node in module.tree.body:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", MAIN):
            continue
        if not isinstance(node, definitions):
            yield f"line {node.lineno} is a {type(node).__name__}"
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            called = [ast.unparse(call.func) for call in ast.walk(node) if isinstance(call, ast.Call)]
            yield from (name for name in called if re.match(r"jnp\.|jax\.(?!jit$)|open$|print$", name))


RULES: dict[Rule, tuple[tuple[str, str], ...]] = {
    layers: (
        ("nhc.machine.fake", "from nhc.evolve.config import TrainConfig"),
        ("nhc.runs.fake", "import nhc.training.session"),
        ("nhc.certify.fake", "from nhc.cli import main"),
        ("nhc", "import nhc.cli.main"),
        ("nhc.fake.module", ""),
    ),
    halves: (
        ("nhc.machine.fake", "from nhc.data.protocol import DataModules"),
        ("nhc.data.fake", "def f():\n    from nhc import machine"),
        ("nhc.evolve.fake", "import nhc.data.exact"),
        ("nhc.evolve.fake", "import nhc.domains.protocol"),
        ("nhc.training.fake", "import nhc.data.exact\nimport nhc.machine.tick"),
        ("nhc.machine.fake", "import nhc.domains.protocol"),
    ),
    plain: (("nhc.domains.chess", "import jax.numpy"), (CHECKER, "import mpmath"), (CHECKER, "import nhc")),
    docstring: (("nhc.fake", "x = 1"), ("nhc.fake", "")),
    short: (("nhc.fake", "x = 1\n" * 301), ("nhc.fake", "def f() -> None:\n" + "    f()\n" * 60)),
    no_any: (
        ("nhc.fake", "from typing import Any"),
        ("nhc.fake", "def f(x: typing.Any) -> None: ..."),
        ("nhc.fake", "def f() -> 'dict[str, Any]': ..."),
    ),
    no_network: (("nhc.fake", "from urllib.request import urlopen"), ("nhc.fake", "import socket")),
    no_foreign_code: (
        ("nhc.fake", "import pickle"),
        ("nhc.fake", "numpy.load(path, allow_pickle=True)"),
        ("nhc.fake", "x = eval('1')"),
    ),
    no_work_at_import: (
        ("nhc.fake", "KEY = jax.random.key(0)"),
        ("nhc.fake", "for x in range(3):\n    pass"),
        ("nhc.fake", "print('hello')"),
        ("nhc.fake", "TABLE: Array = jnp.zeros(3)"),
        ("nhc.fake", "TEXT = open('file').read()"),
    ),
}
CANARIES = [(rule, name, text) for rule, canaries in RULES.items() for name, text in canaries]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_the_source_keeps_the_rule(rule: Rule) -> None:
    assert len(MODULES) > 100
    faults = [f"{module.name}: {fault}" for module in MODULES for fault in rule(module)]
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize(("rule", "name", "text"), CANARIES)
def test_a_canary_breaks_the_rule(rule: Rule, name: str, text: str) -> None:
    assert list(rule(Module(name, text)))


def test_tests_and_examples_are_short_too() -> None:
    paths = [*(ROOT / "tests").rglob("*.py"), *(ROOT / "examples").rglob("*.py")]
    modules = [Module(path.name, path.read_text()) for path in sorted(paths)]
    assert [f"{module.name}: {fault}" for module in modules for fault in short(module)] == []


def cycle(graph: Mapping[str, set[str]]) -> list[str]:
    """The nodes on or behind some cycle: what is left when nodes without open imports are taken away."""
    left = dict(graph)
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def test_deferred_imports_count_between_packages() -> None:
    text = (
        "def f():\n    from nhc.a import x, y\n    from nhc.b import z\nif TYPE_CHECKING:\n    import nhc.a.y"
    )
    names = {"nhc.a.x", "nhc.a.y", "nhc.b.z"}
    assert Module("nhc.a.own", text).targets(names) == {"nhc.b.z"}
    assert Module("nhc.a.own", "from nhc.a import x\n" + text).targets(names) == {"nhc.a.x", "nhc.b.z"}


def test_modules_import_each_other_without_cycles() -> None:
    names = {module.name for module in MODULES}
    graph = {module.name: module.targets(names - {"nhc"}) for module in MODULES}
    assert cycle(graph) == []
    assert cycle({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == ["a", "b", "c", "d"]


def suppressions(text: str) -> int:
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return sum(token.type == tokenize.COMMENT and bool(SUPPRESSION.search(token.string)) for token in tokens)


def test_checkers_are_hardly_ever_silenced() -> None:
    lines = sum(len(module.text.splitlines()) for module in MODULES)
    assert 1000 * sum(suppressions(module.text) for module in MODULES) <= lines
    assert suppressions("x = 1  # type: ignore[misc]\ny = 2  # noqa: E501\nz = '# noqa'\n") == 2


def test_public_names_their_modules_and_the_stub_agree() -> None:
    import nhc

    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    imports = [node for node in stub.body if isinstance(node, ast.ImportFrom)]
    assert {alias.name: node.module for node in imports for alias in node.names} == nhc.PUBLIC
    trees = {module.name: module.tree for module in MODULES}
    for name, module in nhc.PUBLIC.items():
        body = trees[module].body
        defined = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        defined |= {ast.unparse(node.target) for node in body if isinstance(node, ast.AnnAssign)}
        assert name in defined, f"{module} does not define {name}"

"""The version of the code that a run depends on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from nhc.errors import ConfigError
from nhc.experiments import code
from nhc.experiments.code import code_version, sources
from nhc.experiments.kinds.registry import MODULES, kind_of


def test_a_kind_depends_on_what_its_results_come_from_and_on_nothing_else() -> None:
    found = set(sources(MODULES["train"]))
    assert {"nhc.evolve.nes", "nhc.machine.tick", "nhc.domains.sokoban.rules", "nhc.algorithms.tree.sampler"} <= found
    assert "nhc.runs.history" in found, "it computes what a record says of learning"
    packages = {name.split(".")[1] for name in found - {*MODULES["train"]}}
    assert not packages & {"runs", "cli", "experiments", "supervised", "data", "planning"}
    assert "nhc.data.learned" in sources(MODULES["transfer"])


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package with two modules, one of which imports the other inside a function."""
    files = {
        "__init__.py": "from nhc.c import nothing",
        "a.py": "def f():\n    from nhc import b\n    from nhc.cli import x\n",
        "b/__init__.py": "import os, nhc.b.part\n",
        "b/part.py": "X = 1\n",
        "c.py": "Y = 1\n",
        "cli.py": "Z = 1\n",
        "zoo/one.json": "{}",
    }
    for name, text in files.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    monkeypatch.setattr(code, "package_root", lambda: tmp_path)
    code_version.cache_clear()
    yield tmp_path
    code_version.cache_clear()


def test_a_kind_depends_on_itself() -> None:
    for name in MODULES:
        modules = kind_of(name).modules
        found = sources(modules)
        assert f"nhc.experiments.kinds.{name}" in found
        assert {*modules} <= found.keys(), "what is named counts, wherever it lies"
        assert "nhc.experiments.worker" not in found


def test_what_is_named_counts_even_among_what_is_left_out(tree: Path) -> None:
    assert set(sources(("nhc.a", "nhc.cli"))) == {"nhc.a", "nhc.b", "nhc.b.part", "nhc.cli"}
    before = code_version(("nhc.a", "nhc.cli"))
    (tree / "cli.py").write_text("Z = 2\n")
    code_version.cache_clear()
    assert code_version(("nhc.a", "nhc.cli")) != before
    with pytest.raises(ConfigError, match=r"nhc\.d"):
        sources(("nhc.a", "nhc.d"))


def test_imports_are_followed_wherever_they_stand(tree: Path) -> None:
    assert set(sources(("nhc.a",))) == {"nhc.a", "nhc.b", "nhc.b.part"}


@pytest.mark.parametrize(
    ("file", "changes"),
    [("a.py", True), ("b/part.py", True), ("zoo/one.json", True), ("c.py", False), ("cli.py", False)],
)
def test_only_what_counts_changes_the_version(tree: Path, file: str, changes: bool) -> None:
    before = code_version(("nhc.a",), ("zoo",))
    assert before == code_version(("nhc.a",), ("zoo",))
    (tree / file).write_text((tree / file).read_text() + " ")
    code_version.cache_clear()
    assert (code_version(("nhc.a",), ("zoo",)) != before) == changes

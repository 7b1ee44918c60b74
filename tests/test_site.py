"""The sources of the documentation site fit together: navigation, links, marks. `make docs` builds it."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import nhc
from nhc.zoo import zoo_path
from tests.test_docs import ROOT

CONF = ast.parse((ROOT / "docs" / "conf.py").read_text())
PAGES = [
    *ROOT.glob("*.md"),
    *(path for path in ROOT.glob("docs/**/*.md") if path.parent.name != "tables"),
    *ROOT.glob("examples/notebooks/*.ipynb"),
]
MARK = re.compile(r"<!-- site: (\w+) ?(.*?) -->")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").as_posix()


def marks() -> Iterator[tuple[str, str, list[str]]]:
    """Page, kind and words of every mark."""
    for path in PAGES:
        yield from ((path.name, kind, words.split()) for kind, words in MARK.findall(path.read_text()))


def constant(name: str) -> object:
    """A value that docs/conf.py names; it needs Sphinx to run."""
    assigned = [node for node in CONF.body if isinstance(node, ast.Assign)]
    return next(ast.literal_eval(node.value) for node in assigned if ast.unparse(node.targets[0]) == name)


def test_the_navigation_names_every_page_once() -> None:
    sections = tomllib.loads((ROOT / "docs" / "navigation.toml").read_text())
    named = [page for pages in sections.values() for page in pages]
    assert sorted(["docs/index", *named]) == sorted(map(name_of, PAGES))
    titles = [title for pages in sections.values() for title in pages.values()]
    assert len({*titles}) == len(titles)


@pytest.mark.parametrize("path", PAGES, ids=name_of)
def test_what_a_page_points_at_is_a_file(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?://|#)([^)\s#]+)", path.read_text()):
        # A page of the site is a file: folders have none.
        assert (path.parent / target).is_file(), f"{path.name}: {target}"


def test_marks_name_what_there_is() -> None:
    functions = {node.name for node in CONF.body if isinstance(node, ast.FunctionDef)}
    assert {kind for _, kind, _ in marks()} == {"live", "commands", "api"} <= functions
    live = constant("LIVE")
    assert isinstance(live, dict)
    assert {words[0] for _, kind, words in marks() if kind == "live"} == live.keys()
    assert all(zoo_path(model.removeprefix("zoo:")).exists() for model in live.values())


def test_the_reference_has_every_public_name_once() -> None:
    named = [name for page, kind, words in marks() if kind == "api" for name in words]
    assert sorted(named) == sorted(nhc.PUBLIC)

"""What the build tells readers elsewhere: the README with links that hold there."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINKS = re.compile(r"\]\(([^)\s]+)\)")


@pytest.fixture(scope="module")
def portable() -> Callable[[str, str], str]:
    pytest.importorskip("hatchling")
    found: Callable[[str, str], str] = runpy.run_path(str(ROOT / "hatch_build.py"))["portable"]
    return found


def test_links_of_the_readme_begin_with_the_base(portable: Callable[[str, str], str]) -> None:
    text, base = (ROOT / "README.md").read_text(), "https://host/nhc/raw/main"
    before, after = LINKS.findall(text), LINKS.findall(portable(text, base))
    relative = [target for target in before if "://" not in target]
    assert len(relative) > 20
    assert after == [f"{base}/{target}" if target in relative else target for target in before]
    assert all((ROOT / target.partition("#")[0]).exists() for target in relative)


def test_without_a_base_words_remain(portable: Callable[[str, str], str]) -> None:
    assert portable("a [page](docs/x.md), ![Picture](p.png), [out](https://x.y)", "") == (
        "a page, Picture, [out](https://x.y)"
    )

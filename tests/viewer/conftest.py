"""One browser and one page a machine for all tests of the viewer."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from nhc.algorithms.sequence.grammar import NOTATIONS
from nhc.viewer.machine_json import PLANNERS, machine_json
from nhc.viewer.page import page_html
from nhc.viewer.show import EXAMPLE
from tests.computer.machines import zoo
from tests.viewer.browser import Browser

PageMaker = Callable[[str], Path]


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> PageMaker:
    """The page of a shipped machine, with its example."""
    folder, made = tmp_path_factory.mktemp("pages"), dict[str, Path]()

    def page(name: str) -> Path:
        if name not in made:
            task = EXAMPLE if name in PLANNERS else NOTATIONS[name].example
            made[name] = folder / f"{name}.html"
            made[name].write_text(page_html(f"nhc: {name}", [machine_json(name, zoo(name))], task))
        return made[name]

    return page


@pytest.fixture(scope="session")
def running() -> Iterator[Browser]:
    """A browser, started once."""
    with Browser() as browser:
        yield browser


@pytest.fixture
def browser(running: Browser) -> Iterator[Browser]:
    """The browser; whatever a page complains about fails the test."""
    running.faults.clear()
    running.screen(1400, 900)
    yield running
    assert running.faults == []

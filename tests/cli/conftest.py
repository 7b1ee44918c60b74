"""The fixtures that run commands, and that spare them a proof."""

from pathlib import Path

import pytest

from nhc.certify.paths import PathVerdict, Undecided
from nhc.model import Model
from tests.cli.command import Command


@pytest.fixture
def nhc(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs commands in an empty folder, in a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return Command(capfd)


@pytest.fixture
def unproved(monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof takes seconds; that this machine is proved is tested elsewhere."""

    def not_now(model: Model) -> PathVerdict:
        return Undecided("not asked here")

    monkeypatch.setattr("nhc.planning.graph_search.prove_paths", not_now)

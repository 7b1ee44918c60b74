"""The fixture that runs commands."""

from pathlib import Path

import pytest

from tests.cli.command import Command


@pytest.fixture
def nhc(capfd: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    """Runs commands in an empty folder, in a wide terminal."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "120")
    return Command(capfd)

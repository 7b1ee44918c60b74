"""The certificates that ship beside the trained models are accepted by the independent checkers."""

import json
from pathlib import Path

import pytest

import nhc.zoo
from nhc.cli.check_command import failing_steps
from nhc.zoo import zoo_names, zoo_path

FOLDER = Path(nhc.zoo.__file__).parent


@pytest.mark.parametrize("name", zoo_names())
def test_shipped_certificate_is_accepted(name: str) -> None:
    path = FOLDER / f"{name}.certificate.json"
    assert failing_steps(path, json.loads(path.read_text()), zoo_path(name)) == []

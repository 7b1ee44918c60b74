"""The certificates that ship beside the trained models are accepted by the independent checker."""

from pathlib import Path

import pytest

import nhc.zoo
from nhc.certify.checker import check_files
from nhc.zoo import zoo_names, zoo_path

FOLDER = Path(nhc.zoo.__file__).parent


@pytest.mark.parametrize("name", zoo_names())
def test_shipped_certificate_is_accepted(name: str) -> None:
    assert check_files(FOLDER / f"{name}.certificate.json", zoo_path(name)) == []

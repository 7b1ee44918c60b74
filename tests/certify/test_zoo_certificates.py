"""The certificates that ship beside the trained models are accepted by the independent checkers."""

import json
from pathlib import Path

import numpy as np
import pytest

import nhc.zoo
from nhc.algorithms.sequence.sort import Sort
from nhc.cli.check_command import failing_steps
from nhc.model import load_model
from nhc.program.control import Control
from nhc.program.data_engine import run_data
from nhc.zoo import zoo_names, zoo_path

FOLDER = Path(nhc.zoo.__file__).parent


@pytest.mark.parametrize("name", zoo_names())
def test_shipped_certificate_is_accepted(name: str) -> None:
    path = FOLDER / f"{name}.certificate.json"
    assert failing_steps(path, json.loads(path.read_text()), zoo_path(name)) == []


def test_sort_is_right_on_every_order_and_on_longer_lists() -> None:
    algorithm, model, rng = Sort(), load_model("zoo:sort"), np.random.default_rng(4)
    control = Control(model.parameters, model.config)
    orders = [order for size in range(1, 7) for order in algorithm.listed(size)]
    longer = [algorithm.random(size, rng) for size in range(7, 60)]
    for numbers in (*orders, (7, 7), (2, 1, 2, 1), *longer):
        made = run_data(
            control, algorithm.functions, algorithm.load(numbers), max_ticks=10_000, max_memory=2**30
        )
        assert made.ended and made.output.tolist() == sorted(numbers)

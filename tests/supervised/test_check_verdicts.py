"""Verdicts of the fast check against those of training's plain one."""

import numpy as np
import pytest

from nhc.supervised.check.weights import named_networks
from nhc.supervised.checks import verify_family
from nhc.supervised.verdict import check_family
from tests.supervised.fitted import changed_weights, passage_modules
from tests.supervised.passage import Passage


@pytest.mark.parametrize(("module", "name"), [("transform_d", "view"), ("alu", "change"), ("output", "mask")])
def test_the_fast_check_hands_back_the_same_rows(module: str, name: str) -> None:
    world = Passage()
    networks = named_networks(changed_weights(passage_modules(), name, 0.3, seed=4))
    fast, plain = verify_family(world, module, networks), check_family(world, module, networks)
    assert (fast.label, fast.cases, fast.errors) == (plain.label, plain.cases, plain.errors)
    assert fast.errors > 0 and not fast.passed
    same = [np.unique(each.counterexamples, axis=0) for each in (fast, plain)]
    np.testing.assert_array_equal(*same)
    right = verify_family(world, module, named_networks(passage_modules()))
    assert right.passed and right.label == "exhaustive" and len(right.counterexamples) == 0

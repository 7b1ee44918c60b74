"""Damage that only a handful of cases show: a complete check finds it, and training goes on from there."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import permutations
from math import factorial
from pathlib import Path

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.data.networks import Dense, Network, dense
from nhc.domains.sliding import Sliding, Tiles
from nhc.runs.directory import RunDirectory
from nhc.runs.progress import Progress, SilentProgress
from nhc.streams import random_stream
from nhc.supervised import keeping, run
from nhc.supervised.check.report import CaseCounts
from nhc.supervised.check.run import NEEDS, CheckOptions, check_networks
from nhc.supervised.config import ModulesConfig
from nhc.supervised.equality_proof import has_signs
from nhc.supervised.files import DataModel, encoding_hash, load_modules
from nhc.supervised.keeping import ModuleSummary, resume_in_directory, train_in_directory
from nhc.supervised.learner import effective, raw_of
from nhc.supervised.run import config_of_model, state_of_model
from nhc.supervised.verify import CheckOutcome, verify_equality, verify_module
from nhc.zoo import modules_path
from tests.supervised.fitted import passage_modules
from tests.supervised.passage import Passage
from tests.supervised.test_keeping import Interrupting

QUIET = SilentProgress()
PASSAGE = Passage()


def shifted(networks: Mapping[str, Network], name: str, unit: int, change: float) -> dict[str, Network]:
    """The networks with one bias of a last layer changed."""
    moved = eqx.tree_at(
        lambda network: network.biases[-1],
        dense(networks, name),
        replace_fn=lambda bias: bias.at[unit].add(np.float32(change)),
    )
    return {**networks, name: moved}


def counts_of(networks: Mapping[str, Network], module: str) -> CaseCounts:
    """Of a complete check of the passage."""
    return check_networks(PASSAGE, networks, CheckOptions(modules=frozenset({module}))).tallies[module]


def damaged(module: str, most: int) -> tuple[dict[str, Network], int]:
    """The passage's networks with one bias changed so that 1 to `most` cases go wrong, and how many do.

    A case that some change makes wrong stays wrong for every larger one of that sign, so halving finds it.
    """
    networks = passage_modules().networks
    # The first slot of a view always shows the walker: its bits make all cases wrong at once.
    units = range(4, 8) if module == "transform_d" else range(3)
    spots = [(name, unit, sign) for name in NEEDS[module] for unit in units for sign in (1.0, -1.0)]
    for place in random_stream(0, "damage").permutation(len(spots)).tolist():
        name, unit, sign = spots[place]
        harmless, harmful = 0.0, 64.0
        for _ in range(20):
            size = (harmless + harmful) / 2
            changed = shifted(networks, name, unit, sign * size)
            errors = counts_of(changed, module).errors
            if 1 <= errors <= most:
                return changed, errors
            harmless, harmful = (size, harmful) if errors == 0 else (harmless, size)
    raise AssertionError("no bias does it")


FIRST = (0, 4)
"""What the first cell holds on the boards below: nothing, or tile 4."""


class SomeBoards(Sliding):
    """A share of all boards, two of nine."""

    family_size = 2 * factorial(8)

    def family_states(self) -> Iterator[Tiles]:
        return (part for part in super().family_states() if self.contents(part)[0, 0] in FIRST)


def wrong_boards(network: Dense) -> set[tuple[int, ...]]:
    """All orders of hole and tiles of which the network shows another view, in plain NumPy."""
    (w, v), (b, c) = (list(map(np.asarray, part)) for part in (network.weights, network.biases))
    boards = [(one, *rest) for one in FIRST for rest in permutations({*range(9)} - {one})]
    found = set()
    for part in np.array_split(np.array(boards), 20):
        hidden = np.eye(9, dtype=np.float32)[part].reshape(len(part), 81) @ w.T + b
        logits = np.where(hidden > 0, hidden, np.float32(0.01) * hidden) @ v.T + c
        views = logits.reshape(-1, 5, 10).argmax(axis=2).tolist()
        pairs = zip(part.tolist(), views, strict=True)
        found |= {tuple(board) for board, view in pairs if view != view_of_board(board)}
    return found


def view_of_board(board: list[int]) -> list[int]:
    """The hole, then what is below, left of, above and right of it: the tile that each operation slides."""
    hole = board.index(0)
    below = board[hole + 3] if hole < 6 else 9
    left = board[hole - 1] if hole % 3 else 9
    above = board[hole - 3] if hole > 2 else 9
    right = board[hole + 1] if hole % 3 < 2 else 9
    return [0, below, left, above, right]


def test_a_complete_check_reports_exactly_the_boards_that_damage_makes_wrong() -> None:
    networks = shifted(load_modules(modules_path("zoo:sliding-3x3")).networks, "view", 41, 2.61)
    options = CheckOptions(modules=frozenset({"transform_d"}))
    counts = check_networks(SomeBoards(), networks, options).tallies["transform_d"]
    assert counts.cases == 80_640 and counts.disagreements == 0 and 1 <= counts.errors <= 20
    assert {case.symbols for case in counts.wrong} == wrong_boards(dense(networks, "view"))
    assert len(counts.wrong) == counts.errors


def passage_model(networks: Mapping[str, Network]) -> DataModel:
    """Without Input, whose weights have no signs here."""
    some = {name: network for name, network in networks.items() if name != "equality"}
    return DataModel(some, PASSAGE.form, PASSAGE.name, encoding_hash(PASSAGE), {})


def short(model: DataModel, *modules: str) -> ModulesConfig:
    return config_of_model(model, modules).model_copy(
        update={"round": 100, "clean_rounds": 2, "learning_rate": 1e-2}
    )


def trained_on(
    model: DataModel, config: ModulesConfig, path: Path, progress: Progress = QUIET
) -> ModuleSummary:
    """Go on from a model."""
    first = state_of_model(model, config)
    (summary,) = train_in_directory(config, path, progress, first=first)
    return summary


def errors_of_checks(path: Path) -> list[object]:
    lines = RunDirectory(path).metrics.read()
    return [line["errors"] for line in lines if line["event"] == "check"]


@pytest.fixture
def passage(monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry does not know the world of the tests."""
    monkeypatch.setattr(keeping, "finite_world", lambda name: PASSAGE)


@pytest.mark.parametrize("module", ["transform_d", "alu", "output"])
def test_what_a_check_finds_is_learned(passage: None, module: str, tmp_path: Path) -> None:
    networks, errors = damaged(module, most=3)
    model = passage_model(networks)
    config = short(model, module)
    assert config.seed == 1 and config.sizes.view == dense(networks, "view").sizes[1:-1]
    summary = trained_on(model, config, tmp_path / "run")
    checks = errors_of_checks(tmp_path / "run")
    assert (checks[0], checks[-1], summary.errors) == (errors, 0, 0) and summary.counterexample_rounds >= 1
    metrics = RunDirectory(tmp_path / "run").metrics.read()
    assert {line["rate"] for line in metrics} == {1e-3}, "the least learning rate"
    learned = load_modules(Path(summary.model), PASSAGE)
    assert verify_module(PASSAGE, module, 0)(learned.networks).errors == 0
    for name, network in model.networks.items():
        moved = np.abs(dense(learned.networks, name).weights[0] - dense({name: network}, name).weights[0])
        if name in NEEDS[module]:
            assert 0 < moved.max() < 0.2, "it goes on from the weights of the file"
        else:
            assert moved.max() == 0, "the modules that are not trained are in the file too"


def interrupted(networks: Mapping[str, Network]) -> CheckOutcome:
    raise KeyboardInterrupt


def weights(summary: ModuleSummary) -> list[bytes]:
    networks = load_modules(Path(summary.model), PASSAGE).networks
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(networks)]


@pytest.mark.parametrize("at", [0, 3])
def test_an_interrupted_run_from_a_file_goes_on(
    passage: None, at: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In its first check, if `at` is 0: nothing but the first checkpoint tells where the run began."""
    broken = passage_model(shifted(passage_modules().networks, "acts", 0, 9.0))
    config = short(broken, "alu")
    whole = trained_on(broken, config, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt), monkeypatch.context() as patch:
        if not at:
            patch.setattr(run, "verify_module", lambda *_: interrupted)
        trained_on(broken, config, tmp_path / "broken", Interrupting(at))
    (again,) = resume_in_directory(tmp_path / "broken", QUIET)
    assert again._replace(seconds=0, model="") == whole._replace(seconds=0, model="")
    assert errors_of_checks(tmp_path / "broken") == errors_of_checks(tmp_path / "whole")
    assert weights(again) == weights(whole) and whole.errors == 0


def test_a_sound_module_is_only_checked(passage: None, tmp_path: Path) -> None:
    model = passage_model(passage_modules().networks)
    summary = trained_on(model, short(model, "alu"), tmp_path / "run")
    assert (summary.errors, summary.updates, summary.counterexample_rounds) == (0, 0, 0)
    again = load_modules(Path(summary.model), PASSAGE).networks
    assert (dense(again, "change").weights[0] == dense(model.networks, "change").weights[0]).all()


def test_input_goes_on_with_its_signs(tmp_path: Path) -> None:
    shipped = load_modules(modules_path("zoo:sliding-3x3"))
    network = dense(shipped.networks, "equality")
    assert has_signs(network)
    raw = dense(effective("input", raw_of("input", {"equality": network})), "equality")
    for back, weight in zip(raw.weights, network.weights, strict=True):
        np.testing.assert_allclose(back, weight, rtol=2e-6)
    broken = shifted({"equality": network}, "equality", 0, 20.0)
    errors = verify_equality(shipped.form, broken).errors
    assert errors > 0
    model = replace(shipped, networks=broken)
    config = config_of_model(model, ["input"]).model_copy(update={"clean_rounds": 1})
    summary = trained_on(model, config, tmp_path / "run")
    assert errors_of_checks(tmp_path / "run")[0] == errors and summary.check == "proved"
    learned = load_modules(Path(summary.model)).networks
    assert has_signs(dense(learned, "equality"))
    mixed = Dense((-network.weights[0], network.weights[1]), network.biases)
    unsigned = replace(shipped, networks={"equality": mixed})
    assert state_of_model(unsigned, config).states == {}, "it is learned anew"


def test_weights_of_zero_keep_their_sign() -> None:
    network = Dense((jnp.zeros((2, 3)), -jnp.ones((1, 2))), (jnp.zeros(2), jnp.zeros(1)))
    back = dense(effective("input", raw_of("input", {"equality": network})), "equality")
    assert float(back.weights[0].max()) < 1e-20 and bool((back.weights[1] == -1).all())
    assert not has_signs(Dense((-jnp.ones((2, 3)), network.weights[1]), network.biases))

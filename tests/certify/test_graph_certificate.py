"""The certificate of the machine that ships for graph search; mutants of it, by the prover and by force."""

import json
from collections import deque
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import nhc.zoo
from nhc.algorithms.tree.graph_plan import GRAPH_PLAN, Graph
from nhc.certify import mutants
from nhc.certify import paths as prover
from nhc.certify.certificate import path_certificate_json
from nhc.certify.environment import stated_environment
from nhc.certify.mutants import answers, blocks_of, brute_force, control_of, with_blocks
from nhc.certify.path_check.certificate import check, check_files
from nhc.certify.paths import PathProof, prove_paths, verdict_label
from nhc.model import Model
from nhc.zoo import zoo_path
from tests.certify.test_path_check import other, paths
from tests.computer.machines import zoo

FILE = Path(nhc.zoo.__file__).parent / "graph-plan.certificate.json"
READINGS = (["tool"], ["invariant", "tracks"])


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Instances are looked through to refute; more of them only take longer."""
    monkeypatch.setattr(prover, "QUICK_TICKS", 1_500)
    monkeypatch.setattr(prover, "REFUTING_TICKS", 2_000)
    monkeypatch.setattr(prover, "MOST_STATES", 600)
    monkeypatch.setattr(prover, "MOST_STEPS", 3_000)
    monkeypatch.setattr(mutants, "TICKS", 2_000)
    monkeypatch.setattr(mutants, "LONG_LEVELS", (40,))


@cache
def shipped() -> str:
    return FILE.read_text()


def failing(certificate: object, model: Model) -> list[str]:
    assert isinstance(certificate, dict)
    return check(certificate, blocks_of(model))


def test_what_is_proved_is_what_ships() -> None:
    proof = prove_paths(zoo("graph-plan"))
    assert isinstance(proof, PathProof)
    made, kept = path_certificate_json(zoo("graph-plan"), proof), json.loads(shipped())
    assert {**json.loads(json.dumps(made)), "tool": ""} == {**kept, "tool": ""}
    assert failing(kept, zoo("graph-plan")) == []


def test_every_state_is_needed() -> None:
    count = len(json.loads(shipped())["invariant"]["states"])
    for number in range(0, count, 5):
        made = json.loads(shipped())
        del made["invariant"]["states"][number]
        assert any("not covered" in fault for fault in failing(made, zoo("graph-plan"))), number


@pytest.mark.parametrize("part", range(5))
def test_every_value_is_needed(part: int, tmp_path: Path) -> None:
    """Every value is changed in turn, but of those of the many states only some."""
    file, environment = tmp_path / "certificate.json", stated_environment(GRAPH_PLAN)
    every = [path for path, _ in paths(json.loads(shipped()), [])]
    head = [path for path in every if path[0] != "invariant"]
    states = [path for path in every if path[0] == "invariant"]
    accepted = []
    for path in [*head, *states[:: len(states) // 60]][part::5]:
        made = within = json.loads(shipped())
        for step in path[:-1]:
            within = within[step]
        within[path[-1]] = other(within[path[-1]])
        file.write_text(json.dumps(made))
        if not check_files(file, zoo_path("graph-plan"), environment):
            accepted.append(path)
    assert [path for path in accepted if path not in READINGS] == []


def test_every_weight_is_in_the_hash_and_an_open_gate_is_refused() -> None:
    model, certificate = zoo("graph-plan"), json.loads(shipped())
    for name, block in blocks_of(model).items():
        changed = blocks_of(model)
        changed[name].reshape(-1)[block.size // 2] += np.float32(1e-6) + abs(changed[name]).max() * 1e-6
        said = failing(certificate, with_blocks(model, changed))
        assert any(fault.startswith("weights") for fault in said), name
    for bias in (50.0, -50.0, 0.0):
        changed = blocks_of(model)
        changed["interface.write.gate.b"][:] = bias
        changed["interface.write.gate.w"][:] = 0.0
        said = failing(certificate, with_blocks(model, changed))
        assert any("stores" in fault or "nothing" in fault or "margin" in fault for fault in said), bias
        assert not isinstance(prove_paths(with_blocks(model, changed)), PathProof)


def dry(graph: Graph) -> bool:
    """Can the goal not be reached?"""
    seen, queue = {0}, deque([0])
    while queue:
        for child in graph.children[queue.popleft()]:
            if child not in seen:
                seen.add(child)
                queue.append(child)
    return graph.goal not in seen


def small_graphs() -> list[Graph]:
    """All of two nodes, some of three and five, each with its last node as the goal and with none."""
    rng = np.random.default_rng(4)
    tables = [
        ((*first,), (*last,)) for first in product((0, 1), repeat=4) for last in ((1,) * 4, (0, 1, 1, 0))
    ]
    for size in (3, 5):
        drawn = rng.integers(size, size=(30, size, 4)).tolist()
        tables += [tuple(map(tuple, children)) for children in drawn]
    return [Graph(table, goal) for table in tables for goal in (len(table) - 1, None)]


def wrong_on_small_graphs(model: Model) -> Graph | None:
    """The first on which a machine is wrong; a queue that runs dry must be told, and a goal found."""
    control = control_of(model)
    return next((graph for graph in small_graphs() if not answers(control, GRAPH_PLAN, graph)[0]), None)


def test_small_graphs_are_of_both_kinds_and_the_machine_is_right_on_all() -> None:
    kinds = [dry(graph) for graph in small_graphs()]
    assert 50 < sum(kinds) < len(kinds) - 30
    assert wrong_on_small_graphs(zoo("graph-plan")) is None


def test_mutants_agree_with_brute_force_on_dry_graphs_too() -> None:
    rng, found = np.random.default_rng(1), []
    for _ in range(7):
        model = mutants.mutant(zoo("graph-plan"), rng)
        verdict = mutants.verdict_on(model)
        label, wrong = verdict_label(verdict), brute_force(model, long=False)
        if label == "proved":
            assert wrong is None and brute_force(model, long=True) is None
            assert wrong_on_small_graphs(model) is None
        if label == "refuted":
            assert wrong is not None
        found.append(label)
    assert {"proved", "refuted"} <= {*found}

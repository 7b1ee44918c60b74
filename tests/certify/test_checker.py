"""The checker against certificates that are right, forged, or right about another machine.

Whether a machine is another one is for the plain machine of `tests.oracles` to say, on the free tree.
"""

import json
import time
from collections.abc import Callable, Iterator
from functools import cache

import numpy as np
import pytest

from nhc.certify import checker
from nhc.certify.certificate import certificate_json
from nhc.certify.checker import check, hash_of
from nhc.certify.prove import Proof, prove
from nhc.machine.layout import unused_blocks
from nhc.model import Model
from tests.computer.machines import Weights, hand_made, model_of, zoo
from tests.oracles.free_tree import breadth_first_weights, run_free_tree
from tests.oracles.machine import Oracle, OracleConfig, OracleTick
from tests.oracles.teacher import damaged, search_weights

Json = dict[str, object]
Route = tuple[str | int, ...]
CASES = ("zoo:plan", "zoo:search", "plan", "search")


@cache
def model(name: str) -> Model:
    """A model of the zoo, or one made by hand with noise on all weights."""
    if name.startswith("zoo:"):
        return zoo(name.removeprefix("zoo:"))
    weights = breadth_first_weights() if name == "plan" else search_weights(breadth_first_weights())
    rng = np.random.default_rng(5)
    noisy = {key: array + 0.02 * rng.standard_normal(array.shape) for key, array in weights.items()}
    return model_of({key: array.astype(np.float32) for key, array in noisy.items()}, name)


def blocks_of(machine: Model) -> Weights:
    return machine.parameters.named_blocks(machine.config)


def certified(machine: Model) -> Json:
    proof = prove(machine)
    assert isinstance(proof, Proof)
    return json.loads(json.dumps(certificate_json(machine, proof)))


@cache
def text_of(name: str) -> str:
    return json.dumps(certified(model(name)))


def certificate(name: str, **changed: object) -> Json:
    """A fresh copy of a right certificate, with some fields changed."""
    return {**json.loads(text_of(name)), **changed}


@pytest.fixture
def proofs_are_shared(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the checker recomputes depends on the weights, not on what a certificate says of them."""
    made: dict[tuple[object, ...], tuple[checker.Proof, dict[str, list[checker.Decision]]]] = {}
    real = checker.Proof

    def shared(control: checker.Control, prefix: int, backtracks: bool) -> checker.Proof:
        key = (hash_of(control.blocks), control.signals, control.size, control.every, prefix, backtracks)
        if key not in made:
            proof = real(control, prefix, backtracks)
            made[key] = proof, {kind: [*noted] for kind, noted in control.noted.items()}
        proof, noted = made[key]
        control.noted = {kind: [*decisions] for kind, decisions in noted.items()}
        return proof

    monkeypatch.setattr(checker, "Proof", shared)


@pytest.mark.parametrize("name", CASES)
def test_a_right_certificate_is_accepted_in_less_than_ten_seconds(name: str) -> None:
    right, blocks = certificate(name), blocks_of(model(name))
    began = time.perf_counter()
    assert check(right, blocks) == []
    assert time.perf_counter() - began < 10
    assert hash_of(blocks) == model(name).hash
    assert check({**right, "weights": "0" * 64}, blocks)[0].startswith("weights: expected ")


def test_rare_machines_are_accepted() -> None:
    """Ties that no run meets; no usage link; a first tick with content as the only address, though weaker."""
    eager = search_weights(breadth_first_weights())
    eager["interface.read.modes.b"][1], eager["interface.read.modes.w"][1, 2:5] = 0.6, -1
    for machine in (hand_made("search"), hand_made("search", usage_link=False), model_of(eager, "search")):
        assert check(certified(machine), blocks_of(machine)) == []


# Forged certificates.


def part(value: object, route: Route) -> object:
    for step in route:
        value = value[step]
    return value


def routes(value: object, route: Route = ()) -> Iterator[Route]:
    """The routes to all leaves and to all lists that are not empty."""
    if not isinstance(value, dict) and value != []:
        yield route
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, below in items:
        yield from routes(below, (*route, step))


def field(route: Route) -> str:
    """A route without the numbers in it."""
    return ".".join("[]" if isinstance(step, int) else step for step in route)


def altered(value: object, rng: np.random.Generator) -> object:
    """Another value of the same type."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value ^ (1 << int(rng.integers(8)))
    if isinstance(value, float):
        return float(value * (1 + rng.choice([-1, 1]) * 10 ** rng.uniform(-5, 0)))
    i = int(rng.integers(len(value)))
    if isinstance(value, str):
        return value[:i] + chr(ord(value[i]) ^ 1) + value[i + 1 :]
    moved = [*value[1:], value[0]]
    return value[:i] + value[i + 1 :] if moved == value or rng.integers(2) else moved


@pytest.mark.usefixtures("proofs_are_shared")
def test_one_hundred_of_one_hundred_forged_certificates_are_rejected() -> None:
    accepted, tried = [], set()
    for seed in range(100):
        rng = np.random.default_rng(seed)
        name = CASES[rng.integers(len(CASES))]
        forged = certificate(name)
        fields: dict[str, list[Route]] = {}
        for route in routes(forged):
            fields.setdefault(field(route), []).append(route)
        del fields["tool"]  # who wrote it proves nothing
        chosen = sorted(fields)[seed % len(fields)]
        route = fields[chosen][rng.integers(len(fields[chosen]))]
        place = part(forged, route[:-1])
        place[route[-1]] = altered(place[route[-1]], rng)
        if chosen != "weights":
            forged["weights"] = hash_of(blocks_of(model(name)))
        tried.add(chosen)
        if not check(forged, blocks_of(model(name))):
            accepted.append((seed, name, route))
    assert accepted == []
    assert tried >= {"weights", "task", "claims.[].text", "claims.[].label", "assumptions.[]", "machine.mix"}
    assert tried >= {f"invariant.{key}" for key in ("prefix", "prefix_words", "pairs", "final", "fresh")}
    assert tried >= {f"program.states.[].{key}" for key in ("phase", "word", "op", "constrained", "fresh")}
    assert tried >= {f"program.states.[].{key}.[]" for key in ("mechanisms", "preference", "ops")}
    assert tried >= {f"margins.smallest.op.{key}" for key in ("gap", "bound", "where", "decisions")}


@pytest.mark.usefixtures("proofs_are_shared")
def test_missing_and_unknown_fields_and_other_types_are_rejected() -> None:
    right, blocks = certificate("search"), blocks_of(model("search"))
    changes: dict[str, tuple[Route, Callable[..., object]]] = {}
    for route in routes(right):
        value, name = part(right, route), field(route)
        if name != "tool":
            changes[f"no {name}"] = route, lambda place, key: place.pop(key)
        if isinstance(part(right, route[:-1]), dict):
            changes[f"more than {name.rpartition('.')[0]}"] = route, lambda place, key: place.update(more=1)
        if isinstance(value, int | float):
            other = float(value) if type(value) is int else int(value)
            changes[f"type of {name}"] = route, lambda place, key, other=other: place.__setitem__(key, other)
    accepted = []
    for name, (route, change) in changes.items():
        forged = certificate("search")
        change(part(forged, route[:-1]), route[-1])
        if not check(forged, blocks):
            accepted.append(name)
    assert accepted == []
    assert len(changes) > 60
    for nonsense in ({}, {"task": "plan"}, certificate("search", margins=[]), certificate("search", tool=1)):
        assert check(nonsense, blocks)[0].startswith("certificate: ")


def test_consistent_lies_are_rejected() -> None:
    blocks, right = blocks_of(model("search")), certificate("search")
    longer = {**right["invariant"], "prefix": 2, "prefix_words": [0] * 9}
    lies = {
        "a program of another machine": {**right, "program": certificate("plan")["program"]},
        "a certificate of the zoo": certificate("zoo:search", weights=right["weights"]),
        "a longer prefix": {**right, "invariant": longer},
        "a word renamed everywhere": json.loads(text_of("search").replace("255", "254")),
        "no usage link": {**right, "machine": {**right["machine"], "usage_link": False}},
        "an assumption more": {**right, "assumptions": [*right["assumptions"], "It works."]},
    }
    control = checker.Control(blocks, 2, 8, usage_link=True)
    checker.Proof(control, 1, backtracks=False)
    gap, bound, where = max(control.noted["op"])
    smallest = {**right["margins"]["smallest"]}
    smallest["op"] = {**smallest["op"], "gap": gap, "bound": bound, "where": where}
    lies["another margin"] = {**right, "margins": {**right["margins"], "smallest": smallest}}
    for name, lie in lies.items():
        assert check(lie, blocks), name


def test_a_search_that_does_not_walk_back_is_not_a_plan() -> None:
    machine = model_of(search_weights(damaged("no way back")), "search")
    right, blocks = certified(machine), blocks_of(machine)
    assert check(right, blocks) == []
    lie = {**right, "task": "plan", "claims": certificate("plan")["claims"]}
    assert check(lie, blocks)[0].startswith("prefix.end: goal 1, node 0")


# Other machines.


def run(weights: Weights, name: str) -> tuple[list[OracleTick], np.ndarray]:
    """What the plain machine does on the way to node 22 and back, and the words it leaves in memory."""
    plan = name.endswith("plan")
    oracle = Oracle(weights, OracleConfig(signals=3 if plan else 2))
    return run_free_tree(oracle, goal=22, ticks=26 if plan else 23), oracle.words


def behaviour(weights: Weights, name: str) -> list[object]:
    """Every decision of that run."""
    ticks, words = run(weights, name)
    return [[(t.op, t.read, t.winner, t.word_read) for t in ticks], words.tolist()]


def broken(name: str, rng: np.random.Generator, turn: bool) -> Weights:
    """The model with one row turned around, or one weight moved, that decides something otherwise."""
    machine = model(name)
    used = sorted(set(blocks_of(machine)) - {f"{b}.{p}" for b in unused_blocks(machine.config) for p in "wb"})
    right = behaviour(blocks_of(machine), name)
    while True:
        weights = {key: array.copy() for key, array in blocks_of(machine).items()}
        block = used[rng.integers(len(used))].rsplit(".", 1)[0]
        row = rng.integers(len(weights[f"{block}.b"]))
        if turn:
            weights[f"{block}.w"][row] *= -1
            weights[f"{block}.b"][row] *= -1
        else:
            weights[f"{block}.w"][row, rng.integers(weights[f"{block}.w"].shape[1])] += rng.normal(scale=2)
        if behaviour(weights, name) != right:
            return weights


def test_one_hundred_of_one_hundred_broken_machines_are_rejected() -> None:
    accepted = []
    for seed in range(100):
        name = CASES[seed % len(CASES)]
        weights = broken(name, np.random.default_rng(seed), turn=seed % 8 < 4)
        if not check(certificate(name, weights=hash_of(weights)), weights):
            accepted.append(seed)
    assert accepted == []


@pytest.mark.parametrize("name", CASES)
def test_the_program_of_an_accepted_certificate_is_what_the_machine_does(name: str) -> None:
    states = certificate(name)["program"]["states"]
    rows = {(("search", "back").index(row["phase"]), row["word"], row["op"]): row for row in states}
    ticks, _ = run(blocks_of(model(name)), name)
    before = (checker.NONE, checker.NONE)
    for told in ticks:
        row = rows[int(told.signals[1]), *before]
        before = (sum(1 << j for j, value in enumerate(told.word_read) if value > 0), told.op)
        assert [*before] in row["ops"]
        assert told.winner == next(m for m in row["mechanisms"] if told.addresses[m] is not None)
    assert told.signals[1] == 1

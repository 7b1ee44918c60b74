"""`nhc zoo`, `doctor`, `bench` and `demo`: what they print, with the slow parts replaced."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from nhc import __version__
from nhc.bench import program, running, training
from nhc.bench.measure import Timing
from nhc.cli import demo_command, doctor_command
from nhc.evolve.state import initial_train_state
from nhc.machine.layout import weight_count
from nhc.model import load_model, save_model
from nhc.planning.budget import Budget
from nhc.planning.solution import Ending, Solution
from nhc.planning.solve import solve
from nhc.supervised.files import load_modules
from nhc.training import keeping
from nhc.training.config import run_config
from nhc.training.keeping import MODEL_FILE
from nhc.training.session import Result, course_of
from nhc.zoo import modules_path, shipped_worlds, zoo_names, zoo_path
from tests.cli.command import Command
from tests.computer.machines import RUN_TICKS, hand_made


def test_the_zoo_lists_every_model_that_ships(nhc: Command) -> None:
    done = nhc("zoo", "--json")
    assert (done.code, done.err) == (0, "")
    machines, modules = done.data[: len(zoo_names())], done.data[len(zoo_names()) :]
    assert [entry["model"] for entry in machines] == [f"zoo:{name}" for name in zoo_names()]
    for entry, name in zip(machines, zoo_names(), strict=True):
        model = load_model(f"zoo:{name}")
        assert entry["hash"] == model.hash and len(str(entry["hash"])) == 64
        assert entry["weights"] == weight_count(model.config)
        assert entry["weights"] == {"plan": 1592, "search": 1512}.get(name, entry["weights"])
        assert (entry["task"], entry["bytes"]) == (name, zoo_path(name).stat().st_size)
        assert entry["mastered"] is True or entry["certified"] is True
    table = nhc("zoo").out
    assert all(str(entry["hash"])[:12] in table and str(entry["model"]) in table for entry in machines)
    assert [entry["data_modules"] for entry in modules] == [f"zoo:{world}" for world in shipped_worlds()]
    for entry in modules:
        path = modules_path(str(entry["data_modules"]))
        assert (entry["hash"], entry["bytes"]) == (load_modules(path).hash, path.stat().st_size)
        found = "proved for every state" if "8x8" in str(path) else "0 errors"
        assert found in str(entry["check"]) and str(entry["data_modules"]) in table


def test_the_doctor_finds_a_working_installation(nhc: Command) -> None:
    done = nhc("doctor", "--json")
    (findings,) = done.data
    assert (done.code, findings["self_test"], findings["nhc"]) == (0, "passed", __version__)
    assert {"python", "jax", "jaxlib", "numpy", "device", "host_threads", "self_test_s"} <= set(findings)
    assert "argv" not in findings
    lines = [line.split() for line in nhc("doctor").out.splitlines()]
    assert ["self_test", "passed"] in lines


@pytest.mark.parametrize("solution", [Solution(Ending.STOPPED, 7), Solution(Ending.SOLVED, 7, (), (3, 2, 1))])
def test_the_doctor_tells_what_does_not_work(
    nhc: Command, solution: Solution, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nhc.planning.solve.solve", lambda *_, **__: solution)
    assert doctor_command.self_test() is not None
    done = nhc("doctor", "--json")
    assert done.code == 1
    assert "expected" in str(done.data[0]["self_test"]) and "found" in str(done.data[0]["self_test"])


def test_bench_train_prints_rates_and_the_ratio(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    rates = [{"case": "some case", "ticks/s": 2000, "times faster": 20.0}]
    monkeypatch.setattr(training, "training_rows", lambda: rates)
    proofs = [{"case": "a proof", "exact s": 1.5, "sampled s": 30.0, "times faster": 20.0}]
    monkeypatch.setattr(training, "proof_rows", lambda: proofs)
    done = nhc("bench", "train", "--json")
    assert done.code == 0
    assert done.data == [*rates, *proofs]
    table = nhc("bench", "train").out
    assert "some case" in table and "a proof" in table
    assert "threads" in done.err


def test_bench_run_prints_times_a_tick(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [{"case": "long", "ticks": 2_000_000, "times faster": 25.0}]
    monkeypatch.setattr(running, "running_rows", lambda: runs)
    plain = Timing(f"world: {program.PLAIN}", 1000, 0.001, 90.0)
    timings = [Timing("fast", 4_000_000, 0.5, 12.5), plain, Timing("outside", 50, 0.1, None)]
    monkeypatch.setattr(program, "measure_program", lambda ticks: timings)
    done = nhc("bench", "run", "--json")
    network, programs = done.data[:1], done.data[1:]
    assert network == runs
    assert [entry["core ns/step"] for entry in programs] == [125.0, 1000.0, 2_000_000.0]
    assert [entry["times plain Python"] for entry in programs] == [8.0, 1.0, 0.0]
    assert [entry["peak MiB so far"] for entry in programs] == [12, 90, None]
    assert nhc("bench", "program", "--json").data == programs
    table = nhc("bench", "run").out
    rows = [line.split() for line in table.splitlines()]
    assert ["long", "2,000,000", "25.0"] in rows
    assert ["fast", "4,000,000", "125.0", "8.0", "8.0", "12"] in rows


def trained(model, mastered: bool):
    """Stands for minutes of training: a result with this model, or one that did not get far."""

    def train(config, path: Path, progress, *, overwrite: bool) -> Result:
        assert overwrite
        path.mkdir(parents=True)
        save_model(path / MODEL_FILE, model)
        state = initial_train_state(course_of(config))
        return Result(config, replace(state, mastered=mastered, certified=mastered), model, 1.5, 1000)

    return train


def quickly(model, task, **_: object) -> Solution:
    return solve(model, task, budget=Budget(ticks=RUN_TICKS), engine="network", modules="exact")


@pytest.fixture
def small_demo(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    monkeypatch.setattr(demo_command, "FARTHEST_NODE", 300)
    monkeypatch.setattr(demo_command, "EXPLAINED_NODE", 90)
    monkeypatch.setattr("nhc.planning.solve.solve", quickly)
    return monkeypatch


def test_the_demo_trains_explains_and_solves(nhc: Command, small_demo: pytest.MonkeyPatch) -> None:
    small_demo.setattr(keeping, "train_in_directory", trained(load_model("zoo:plan"), True))
    done = nhc("demo", "--quiet", "--out", "here", "--seed", "3")
    assert (done.code, done.err) == (0, "")
    assert "trains 1,592 random weights to plan, on every task of up to 88 ticks" in done.out
    assert "All 21 levels mastered, and the weights proved, in 2 s" in done.out
    assert "control proved" in done.out
    assert "Searching, it applies up, right, down, left" in done.out
    assert "seed 3" in done.out and "solved in " in done.out
    assert "here/model.safetensors" in done.out
    page = Path("here/traces/look-inside.html").resolve()
    assert f"Look inside:    {page.as_uri()}" in done.out
    data = page.read_text().partition('id="data">')[2]
    assert load_model("zoo:plan").hash in data and "seed 3" in data


def test_a_demo_that_does_not_learn_says_so(nhc: Command, small_demo: pytest.MonkeyPatch) -> None:
    small_demo.setattr(keeping, "train_in_directory", trained(load_model("zoo:plan"), False))
    done = nhc("demo", "--quiet")
    assert done.code == 1
    assert "Not learned, level 1 of 21 was reached, in 2 s" in done.out and "another seed" in done.out


def test_a_demo_whose_machine_is_not_the_algorithm_says_so(
    nhc: Command, small_demo: pytest.MonkeyPatch
) -> None:
    small_demo.setattr(keeping, "train_in_directory", trained(hand_made("plan", "stops at 2"), True))
    done = nhc("demo", "--quiet")
    assert done.code == 1
    assert "control refuted" in done.out and "stopped without goal" in done.out


def test_the_demo_trains_the_default_planner(nhc: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[object] = []

    def note(config, path: Path, progress, *, overwrite: bool) -> Result:
        seen.extend([config, path])
        raise KeyboardInterrupt

    monkeypatch.setattr(keeping, "train_in_directory", note)
    assert nhc("demo", "--seed", "5").code == 130
    assert seen == [run_config("plan", overrides={"seed": 5}), Path("runs/demo-seed5")]
    assert json.dumps(seen[0].model_dump(mode="json"))

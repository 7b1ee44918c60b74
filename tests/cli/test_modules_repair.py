"""`nhc modules damage` and `nhc modules repair`: files, tables, JSON and errors."""

import io
from dataclasses import replace
from pathlib import Path

import pytest

from nhc.cli import modules_check, modules_damage
from nhc.cli.modules_damage import case_text, text_of
from nhc.domains.local import WordForm
from nhc.runs.progress import LineProgress
from nhc.supervised.check.damage import Damage
from nhc.supervised.check.report import Report
from nhc.supervised.check.tally import Counterexample, Tally
from nhc.supervised.files import load_modules, save_modules
from nhc.supervised.shipped import modules_path
from tests.cli.command import Command

MODEL = "zoo:stacking"


def test_damage_is_written_and_found_by_a_check(nhc: Command) -> None:
    done = nhc("modules", "damage", MODEL, "--most", 4, "--workers", 0, "--out", "damaged", "--json")
    (found,) = done.data
    assert done.code == 0 and 1 <= found["errors"] <= 4 and "wrong cases, searching" in done.err
    before, after = load_modules(modules_path(MODEL)), load_modules(Path("damaged"))
    assert after.record["damaged"] == {name: value for name, value in found.items() if name != "wrong"}
    assert found["weights"] == before.hash != after.hash
    assert after.modules == before.modules and after.check is None
    checked = nhc("modules", "check", "damaged", "--module", "transform_d", "--workers", 0, "--json")
    tally = checked.data[0]["check"]["tallies"]["transform_d"]
    assert checked.code == 1 and (tally["errors"], tally["wrong"]) == (found["errors"], found["wrong"])
    twice = nhc("modules", "damage", "damaged", "--out", "twice", "--workers", 0)
    assert twice.error_code == "modules.wrong" and not Path("twice").exists()


def test_modules_without_errors_are_only_checked(nhc: Command) -> None:
    done = nhc("modules", "repair", MODEL, "--module", "alu", "--json")
    (repair,) = done.data
    assert done.code == 0 and "stacking-repair" in done.err
    assert (repair["module"], repair["before"], repair["after"], repair["updates"]) == ("alu", 0, 0, 0)
    model = load_modules(Path(repair["model"]))
    assert len(model.modules) == 4 and repair["model"] == "runs/stacking-repair/modules.safetensors"
    again = nhc("modules", "repair", "--resume", "runs/stacking-repair", "--quiet")
    assert again.code == 0 and "1 of 1 modules without errors" in again.out
    assert nhc("modules", "repair", MODEL, "--module", "alu").error_code == "run.exists"
    config = model.record["config"]
    assert (
        isinstance(config, dict)
        and config["modules"] == ["alu"]
        and config["seed"] == 1
        and config["sizes"]["view"] == [500]
    )


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["damage", MODEL], "cli.options"),
        (["damage", MODEL, "--out", "x", "--module", "input"], "cli.options"),
        (["damage", MODEL, "--out", "x", "--most", "0"], "config.value"),
        (["damage", "nowhere", "--out", "x"], "model.missing"),
        (["repair"], "cli.options"),
        (["repair", MODEL, "--resume", "x"], "cli.options"),
        (["repair", MODEL, "--budget", "0"], "config.value"),
        (["repair", MODEL, "--seed", "-1"], "config.value"),
        (["repair", "zoo:wash"], "model.zoo"),
        (["repair", "--resume", "nowhere"], "run.missing"),
    ],
)
def test_faults(nhc: Command, arguments: list[str], code: str) -> None:
    done = nhc("modules", *arguments)
    assert (done.code, done.error_code, done.out) == (2, code, "")
    assert not Path("runs").exists() and not Path("x").exists()


def test_files_without_the_module_and_modules_that_cannot_be_damaged(
    nhc: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = load_modules(modules_path(MODEL))
    partial = {name: model.networks[name] for name in ("equality", "acts", "change")}
    save_modules(Path("partial"), replace(model, networks=partial))
    assert nhc("modules", "damage", "partial", "--out", "x").error_code == "model.incomplete"
    repair = nhc("modules", "repair", "partial", "--module", "output")
    assert repair.error_code == "model.incomplete" and not Path("runs").exists()
    monkeypatch.setattr(modules_damage, "find_damage", lambda *_, **__: None)
    assert nhc("modules", "damage", MODEL, "--out", "x").error_code == "modules.damage"
    monkeypatch.setattr(modules_damage, "LARGEST_FAMILY", 8_519)
    assert nhc("modules", "damage", MODEL, "--out", "x").error_code == "modules.large"
    assert not Path("x").exists()


def test_wrong_cases_are_named() -> None:
    form = WordForm(("agent", "box"), 3, 2, 2, ((0,), (0,), (1,), (1,)))
    state, view = Counterexample(7, -1, (0, 1, 1)), Counterexample(3, 1, (0, 2))
    assert case_text(form, "transform_d", state) == "  state 7: agent box box"
    assert case_text(form, "alu", view) == "  view 3, right: agent beyond"
    tally = Tally(1_200, 6, 5, -0.25, 0, 0, [state] * 6)
    assert text_of(form, "transform_d", Damage({}, "view", 3, -1.5, tally)).splitlines() == [
        "Changed bias 3 of the last layer of `view` by -1.5000.",
        "transform_d: 6 of 1,200 cases wrong, margin -0.2500.",
        *["  state 7: agent box box"] * 5,
        "  and 1 more",
    ]


def test_each_check_has_its_own_estimate() -> None:
    now, stream = [0.0], io.StringIO()
    note = modules_check.shown_on(LineProgress(stream, lambda: now[0]))
    report = Report("w", "f", "h", "w", [], "fast", "", "1/1", 0, 1, 100)
    for chunks in (1, 2, 3, 4, 1, 2):
        now[0] += 10.0
        report.chunks = chunks
        note(report, 4)
    left = [line.split()[-1] for line in stream.getvalue().splitlines()]
    assert left == ["-", "0:00:20", "0:00:10", "0:00:00", "-", "0:00:20"]

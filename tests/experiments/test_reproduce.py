"""`nhc reproduce` from the command line to the report, in its smallest form."""

import io
import json
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import NamedTuple

import pytest

from nhc.cli.main import run
from nhc.errors import ConfigError
from nhc.experiments import kinds, machine_runs
from nhc.experiments.description import Settings
from nhc.experiments.descriptions import chosen
from nhc.experiments.engine import Event, Report
from nhc.experiments.job import Record, Task
from nhc.experiments.report import ReportSummary
from nhc.experiments.reproduce import reproduce
from nhc.experiments.worker import perform
from tests.training.processes import environment

SIZE = ("--quick", "--budget", "60", "--runs", "1")


class Commanded(NamedTuple):
    """What came of one command, in processes of its own."""

    out: Path
    printed: str
    told: str


@pytest.fixture(scope="module")
def commanded(tmp_path_factory: pytest.TempPathFactory) -> Commanded:
    out, stdout, stderr = tmp_path_factory.mktemp("command") / "out", io.StringIO(), io.StringIO()
    command = ["reproduce", "bad-memories", "fig5", *SIZE, "--out", str(out), "--json", "--workers", "1"]
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(stdout), redirect_stderr(stderr):
        for name, value in environment(tmp_path_factory).items():
            if name.startswith("JAX"):
                patch.setenv(name, value)
        assert run(command) == 0
    return Commanded(out, stdout.getvalue(), stderr.getvalue())


def records_of(out: Path) -> list[Record]:
    return [json.loads(line) for line in (out / "records.jsonl").read_text().splitlines()]


@pytest.fixture(autouse=True)
def once(commanded: Commanded, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs of this process take what the command made of Figure 5, to save time."""
    (behaved,) = [record["result"] for record in records_of(commanded.out) if record["kind"] == "behaviour"]
    monkeypatch.setattr(machine_runs, "behaviour_run", lambda values, folder: behaved)


class Inline:
    """An engine that does everything here, and can fail or be interrupted at a task."""

    name = "inline"

    def __init__(self, stop: int | None = None, error: BaseException | None = None) -> None:
        self.workers = 1
        self.done: list[Task] = []
        self._stop, self._error = stop, error
        self.prepared = False

    def prepare(self) -> None:
        """A cluster has more workers than were asked for."""
        self.prepared, self.workers = True, 9

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        for number, task in enumerate(tasks):
            note(Report(task, Event.STARTED))
            if number == self._stop and isinstance(self._error, KeyboardInterrupt):
                raise self._error
            if number == self._stop:
                note(Report(task, Event.FAILED, str(self._error)))
                continue
            perform(task)
            self.done.append(task)
            note(Report(task, Event.FINISHED))
            pulse()


def made(
    names: Sequence[str],
    out: Path,
    engine: Inline,
    say: Callable[[str], None] = lambda text: None,
    **settings: int,
) -> ReportSummary:
    """The figures in a small size."""
    sizes = Settings(**{"runs": 1, "budget": 60, **settings}, quick=True)
    return reproduce(chosen(names), sizes, out, engine, say)


def test_a_command_makes_figures_tables_records_and_report(commanded: Commanded) -> None:
    out, told = commanded.out, commanded.told
    answer = json.loads(commanded.printed)
    assert [figure["name"] for figure in answer["figures"]] == ["fig5", "bad-memories"]
    verdicts = {claim["name"]: claim["verdict"] for claim in answer["figures"][0]["claims"]}
    assert verdicts == {"phases": "reached", "attention": "reached"}
    assert answer["figures"][1]["runs"] == {"baseline": [1, 1], "no bad memories": [1, 1]}
    assert "3 runs, 0 of them done already" in told and "3/3 runs" in told
    for picture in ("bad-memories", "bad-memories-ended", "fig5"):
        for kind in (".png", ".svg"):
            assert (out / "figures" / (picture + kind)).stat().st_size > 5_000
    assert (out / "tables" / "bad-memories.csv").is_file() and (out / "tables" / "fig5.md").is_file()
    records = records_of(out)
    assert sorted(record["kind"] for record in records) == ["behaviour", "train", "train"]
    assert all("argv" not in record["environment"] and record["attempts"] == 1 for record in records)
    trained = [record["config"] for record in records if record["kind"] == "train"]
    assert {config["sampling"] for config in trained} == {"sampled"}, "the paper's training"
    assert "60 iterations" in (out / "report.md").read_text() and (out / "report.html").is_file()
    # What the workers did is known to any later command in the same folder.
    idle = Inline()
    again = made(["bad-memories", "fig5"], out, idle)
    assert (idle.done, again.failed, again.finished) == ([], 0, 3)
    assert not idle.prepared, "nothing waits, so nobody looks for workers"
    (host,) = again.made_on
    assert host.jax != "unknown" and dict(again.facts)["software of the runs"].count("JAX") == 1


def test_runs_are_shared_and_never_repeated_until_their_schema_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = Inline(), Inline(), Inline()
    made(["fig5"], tmp_path, first)
    assert made(["fig5"], tmp_path, second).finished == 1
    assert (len(first.done), len(second.done)) == (1, 0)
    made(["fig5"], tmp_path, third, seed=1)
    assert len(third.done) == 1
    changed = Inline()
    monkeypatch.setitem(kinds.KINDS, "behaviour", kinds.KINDS["behaviour"]._replace(schema=2))
    failed = Inline(stop=0, error=OSError("x"))
    (figure,) = made(["fig5"], tmp_path, failed, seed=1).figures
    assert {finding.ours for _, finding in figure.findings} == {"plan: 1 runs were made by another version"}
    made(["fig5"], tmp_path, changed, seed=1)
    assert len(changed.done) == 1 and changed.done[0].job == third.done[0].job


def test_the_estimate_knows_the_workers_of_a_cluster(tmp_path: Path) -> None:
    said: list[str] = []
    made(["fig5"], tmp_path, Inline(stop=0, error=OSError("x")), said.append)
    assert any("9 at a time (inline)" in line for line in said), said


class Failing(Inline):
    """Every run fails."""

    def run(self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]) -> None:
        for task in tasks:
            note(Report(task, Event.FAILED, "disk full"))


def test_a_shared_run_is_counted_once(tmp_path: Path) -> None:
    both = made(["restarts", "head"], tmp_path, Failing())
    assert sum(len(figure.failures) for figure in both.figures) == 6
    assert (both.failed, both.runs) == (5, 5), "the baseline belongs to both"


def test_a_failed_run_is_marked_and_tried_again(tmp_path: Path) -> None:
    failed = made(["fig5"], tmp_path, Inline(stop=0, error=OSError("disk full")))
    assert failed.failed == 1
    assert failed.figures[0].failures == ("fig5, plan: disk full",)
    assert "disk full" in (tmp_path / "report.html").read_text()
    assert made(["fig5"], tmp_path, Inline()).failed == 0


def test_an_interrupted_command_reports_what_is_done_and_goes_on(tmp_path: Path) -> None:
    names = {one.name for one in chosen(["all"])}
    assert {"fig3ab", "fig3d", "r1", "fig4", "fig5", "restarts", "head", "attention", "usage-plan"} <= names
    made(["fig5"], tmp_path, Inline())
    (tmp_path / "report.md").unlink()
    with pytest.raises(KeyboardInterrupt):
        made(["fig5", "fig3d"], tmp_path, Inline(stop=0, error=KeyboardInterrupt()), seed=2)
    remembered = json.loads((tmp_path / "figures.json").read_text())
    assert {name: one["seed"] for name, one in remembered.items()} == {"fig5": 2, "fig3d": 2}
    text = (tmp_path / "report.md").read_text()
    assert "| runs | 0 of 3 finished, 0 failed; engine inline |" in text and "no finished run of plan" in text
    resumed = made(["fig5"], tmp_path, Inline(), seed=2)
    assert resumed.figures[1].settings.seed == 2 and resumed.failed == 0
    assert resumed.finished == 1


def test_a_damaged_list_of_figures_is_refused(tmp_path: Path) -> None:
    (tmp_path / "figures.json").write_text('{"fig5": {"colour": 1}}')
    with pytest.raises(ConfigError) as caught:
        made(["fig5"], tmp_path, Inline())
    assert caught.value.code == "reproduce.index"


@pytest.mark.parametrize(
    ("arguments", "code_of"),
    [
        ([], "reproduce.figure"),
        (["fig99"], "reproduce.figure"),
        (["fig5", "--runs", "0"], "reproduce.range"),
        (["fig5", "--budget", "-3"], "reproduce.range"),
        (["fig5", "--workers", "0"], "reproduce.range"),
        (["fig5", "--workers", "-1"], "reproduce.range"),
        (["fig5", "--seed", "-1"], "config.value"),
        (["fig5", "--address", "auto"], "reproduce.engine"),
        (["fig5", "--engine", "cloud"], "cli.options"),
    ],
)
def test_wrong_options_are_refused(
    arguments: list[str], code_of: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["reproduce", *arguments, "--out", str(tmp_path / "out")]) == 2
    assert f"[{code_of}]" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_ray_must_be_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("nhc.experiments.engine.find_spec", lambda name: None)
    assert run(["reproduce", "fig5", "--engine", "ray", "--out", str(tmp_path)]) == 2
    assert "[reproduce.engine]" in capsys.readouterr().err


def test_the_list_says_what_each_figure_needs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["reproduce", "--list", "--json", "--out", str(tmp_path)]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["fig3d"]["runs"] == "30" and rows["fig3ab"]["runs"] == "2" and rows["fig4"]["runs"] == "8"
    assert rows.keys() == {one.name for one in chosen(["all"])}
    assert run(["reproduce", "--list", "fig3d", "--runs", "4"]) == 0
    assert " 8 " in capsys.readouterr().out


def test_the_core_leaves_out_comparison_methods_and_what_is_beyond_the_paper() -> None:
    names = [one.name for one in chosen(["core"])]
    every = [one.name for one in chosen(["all"])]
    assert set(every) - set(names) == {"fig3c", "options-search", "options-plan"}
    assert [one.name for one in chosen(["fig3c", "core", "fig5"])] == [
        name for name in every if name in {*names, "fig3c"}
    ]


def test_ctrl_c_ends_the_command_with_130_and_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("nhc.experiments.engine.LocalEngine.run", interrupted)
    assert run(["reproduce", "fig5", "--workers", "1", "--out", str(tmp_path)]) == 130
    assert "interrupted; runs go on" in capsys.readouterr().err
    assert "0 of 1 finished" in (tmp_path / "report.md").read_text()


def test_a_failure_is_kept_until_the_run_is_tried_again(tmp_path: Path) -> None:
    made(["fig5"], tmp_path, Failing())
    other = made(["bad-memories"], tmp_path, Failing())
    assert other.failed == 3, "that of the first command is still told"
    assert other.figures[0].failures == ("fig5, plan: disk full",)


def test_one_command_at_a_time(tmp_path: Path) -> None:
    class Again(Inline):
        def run(
            self, tasks: Sequence[Task], note: Callable[[Report], None], pulse: Callable[[], None]
        ) -> None:
            with pytest.raises(ConfigError, match=r"\[reproduce\.busy\]"):
                made(["fig5"], tmp_path, Inline())

    assert made(["fig5"], tmp_path, Again()).finished == 0

"""The report and the tables: complete, self-contained, and safe against signs in the data."""

import csv
import io
import re
from dataclasses import replace
from pathlib import Path

import pytest

from nhc.errors import InputError
from nhc.experiments.description import (
    Claim,
    Description,
    Finding,
    Settings,
    Table,
    Variant,
    Verdict,
    checked,
)
from nhc.experiments.job import Environment, job
from nhc.experiments.report import (
    FigureReport,
    ReportSummary,
    markdown,
    markdown_report,
    write_html,
    write_report,
    write_table,
)
from nhc.runs.figure import new_figure, save_figure
from tests.experiments.samples import results, trained

HOST = Environment("Linux", "Six", "2", "cpu", "cpu", "3.11", "0.10", "0.11", "2.0", "0.1", "unknown")
TABLE = Table("t", "A <table>", ("name", "a|b"), (("x, y", '"1"'), ("<i>", "2\n3")))
CLAIM = Claim(
    "c", "Less is <more>", "12 | 13", "it is so", ("search",), lambda found: Finding(Verdict.REACHED, "9")
)


def a_summary(folder: Path) -> ReportSummary:
    """A report with one figure and something of everything."""
    drawn = new_figure(1.0, 1.0)
    drawn.add_axes((0, 0, 1, 1))
    (folder / "figures").mkdir(exist_ok=True)
    picture, _ = save_figure(drawn, folder / "figures" / "picture")
    made = results(search=[trained(7), trained(9)])._replace(wanted={"search": 3, "novelty": 0})
    description = Description(
        "fig0", "Figure 0", "A & B", lambda s: [], lambda r, p: [], lambda r: [], (CLAIM,), "Note."
    )
    searching = Variant("search", tuple(job("train", {"seed": seed, "budget": 1_500}) for seed in range(3)))
    figure = FigureReport(
        description=description,
        settings=Settings(3, 1_500, 5, quick=True),
        variants=(searching, Variant("novelty", (), "not available in this version")),
        results=made,
        findings=((CLAIM, Finding(Verdict.EXCEEDED, "11 & 12")),),
        pictures=(picture,),
        tables=(TABLE, TABLE._replace(name="second", title="Second")),
        failures=("search, seed 2: broken <disk>",),
    )
    other = HOST._replace(platform="BSD", host_threads="64", git="abc")
    return ReportSummary("2020-01-02", HOST, (other, HOST, other), "local", 3, 2, 1, 3_700.0, (figure,))


def write_report_of(summary: ReportSummary, out: Path) -> None:
    """Report and tables."""
    (out / "tables").mkdir(exist_ok=True)
    for table in summary.figures[0].tables:
        write_table(table, out / "tables")
    write_report(summary, out)


def html_of(summary: ReportSummary, out: Path) -> str:
    write_report_of(summary, out)
    return (out / "report.html").read_text()


def test_the_html_needs_nothing_else_and_escapes_what_it_shows(tmp_path: Path) -> None:
    page = html_of(a_summary(tmp_path), tmp_path)
    assert not re.findall(r"https?://|src=\"(?!data:)|<script|<link", page)
    assert page.count('src="data:image/png;base64,') == 1
    assert "Less is &lt;more&gt;" in page and "broken &lt;disk&gt;" in page and "<more>" not in page
    assert '<span class="verdict exceeded">exceeded</span>' in page
    assert "<summary>Second (2 rows)</summary>" in page and "&lt;i&gt;" in page
    assert '<a href="#fig0">fig0</a>' in page and '<section id="fig0">' in page


def test_cells_name_their_columns_for_narrow_screens(tmp_path: Path) -> None:
    page = html_of(a_summary(tmp_path), tmp_path)
    rows = re.findall(r"<tr>(.*?)</tr>", page, re.DOTALL)
    (claim,) = [row for row in rows if "Less is" in row]
    columns = ["figure", "the paper's statement", "paper", "ours", "verdict"]
    assert re.findall('<td data-name="([^"]*)">', claim) == columns
    assert re.findall('<td data-name="([^"]*)">', rows[1]) == ["", ""]


def test_code_in_notes_is_marked_up(tmp_path: Path) -> None:
    summary = a_summary(tmp_path)
    (figure,) = summary.figures
    noted = figure._replace(description=replace(figure.description, note="With `mix` sum."))
    page = html_of(summary._replace(figures=(noted,)), tmp_path)
    assert "<code>mix</code>" in page and "`" not in page


def test_a_report_without_its_files_is_said_so(tmp_path: Path) -> None:
    write_report_of(a_summary(tmp_path), tmp_path)
    (tmp_path / "tables" / "second.md").unlink()
    with pytest.raises(InputError, match=r"second\.md \[storage\.read\]"):
        write_html(tmp_path)


@pytest.mark.parametrize("name", ["report.html", "report.md"])
def test_runs_budgets_machine_and_date_are_always_said(name: str, tmp_path: Path) -> None:
    write_report_of(a_summary(tmp_path), tmp_path)
    text = (tmp_path / name).read_text()
    for part in (
        "2020-01-02 on Linux, Six, cpu, 2 hardware threads; nhc 0.1 (unknown), Python 3.11, ",
        "Python 3.11, JAX 0.10, jaxlib 0.11, NumPy 2.0",
        "BSD, Six, cpu; Linux, Six, cpu",
        "2 of 3 finished, 1 failed",
        "1:01:40 of single cores",
    ):
        assert part in text
    for part in ("size quick", "runs 3", "budget 1,500 iterations", "seeds from 5"):
        assert part in text
    assert "search: 2 of 3 runs, 1,500 iterations; novelty: not available in this version" in text
    assert "1 exceeded" in text and "0 not reached" in text


def test_runs_that_were_not_made_alike_are_said(tmp_path: Path) -> None:
    (figure,) = a_summary(tmp_path).figures
    assert figure.warning == ""

    def made_on(host: Environment) -> FigureReport:
        runs = [trained(7)._replace(environment=HOST), trained(9)._replace(environment=host)]
        return figure._replace(results=results(search=runs[:1], novelty=runs[1:]))

    assert made_on(HOST._replace(platform="BSD", git="abc")).warning == ""
    for other in (HOST._replace(jaxlib="0.12"), HOST._replace(numpy="3"), HOST._replace(device="H100")):
        assert "not all made alike" in made_on(other).warning
    mixed = a_summary(tmp_path)._replace(figures=(made_on(HOST._replace(device="<gpu>")),))
    assert "&lt;gpu&gt;" in html_of(mixed, tmp_path) and "cpu <gpu>" in markdown_report(mixed)


def test_markdown_links_what_lies_beside_it(tmp_path: Path) -> None:
    write_report_of(a_summary(tmp_path), tmp_path)
    text = (tmp_path / "report.md").read_text()
    assert "![A & B](figures/picture.png)" in text and "[Second](tables/second.md)" in text
    assert "| fig0 | Less is <more> | 12 \\| 13 | 11 & 12 | exceeded |" in text


def test_tables_keep_their_cells(tmp_path: Path) -> None:
    write_table(TABLE, tmp_path)
    rows = list(csv.reader(io.StringIO((tmp_path / "t.csv").read_text())))
    assert [tuple(row) for row in rows] == [TABLE.columns, *TABLE.rows]
    assert markdown(TABLE).splitlines() == [
        "| name | a\\|b |",
        "| --- | --- |",
        '| x, y | "1" |',
        "| <i> | 2 3 |",
    ]


@pytest.mark.parametrize(
    ("settings", "code"),
    [
        (Settings(runs=0), "reproduce.range"),
        (Settings(budget=0), "reproduce.range"),
        (Settings(seed=-1), "config.value"),
    ],
)
def test_settings_out_of_range_are_refused(settings: Settings, code: str) -> None:
    with pytest.raises(Exception, match=rf"\[{code}\]"):
        checked(settings)


def test_quick_settings_bound_what_is_described_and_options_win() -> None:
    assert Settings().runs_of(15) == 15 and Settings().budget_of(10_000) == 10_000
    quick = Settings(quick=True)
    assert quick.runs_of(15) == 2 and quick.runs_of(1) == 1 and quick.budget_of(10_000) == 1_500
    assert Settings(runs=4, budget=77, quick=True).runs_of(15) == 4
    assert Settings(runs=4, budget=77, quick=True).budget_of(10_000) == 77

"""The report: our figures beside the paper's statements, claim by claim.

It is written once, as Markdown. The HTML is that Markdown rendered, with pictures and all tables inside.
"""

import base64
import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

from nhc.errors import InputError
from nhc.experiments.description import (
    Claim,
    Description,
    Finding,
    Results,
    Settings,
    Table,
    Variant,
    Verdict,
)
from nhc.experiments.job import Environment
from nhc.experiments.kinds import budget_of
from nhc.runs.progress import duration
from nhc.runs.storage import write_text_atomically

CLAIM_COLUMNS = ("figure", "the paper's statement", "paper", "ours", "verdict")
TITLE, NO_NUMBER = "Reproduction of the paper", "no number"
MARKDOWN = "report.md"
NAME = re.compile(r"^`([^`]+)`:", re.MULTILINE)
"""Of a figure, in its section."""
PICTURE = re.compile(r'<p><img src="([^"]*)" alt="([^"]*)" /></p>')
MORE, LINK = re.compile("<p>More: (.*)</p>"), re.compile('<a href="([^"]*)">(.*?)</a>')
MEDIA = {".png": "image/png", ".svg": "image/svg+xml"}

STYLE = Path(__file__).with_name("report.css")


class FigureReport(NamedTuple):
    """One figure of the report."""

    description: Description
    settings: Settings
    variants: tuple[Variant, ...]
    results: Results
    findings: tuple[tuple[Claim, Finding], ...]
    pictures: tuple[Path, ...]
    tables: tuple[Table, ...]
    failures: tuple[str, ...]

    @property
    def size(self) -> str:
        """Runs and budgets, as they were."""
        parts = []
        for variant in self.variants:
            done = len(self.results.of(variant.label))
            budgets = {f"{count:,} {unit}" for count, unit in map(budget_of, variant.jobs) if count}
            budget = f", {' or '.join(sorted(budgets))}" if budgets else ""
            text = variant.missing or f"{done} of {len(variant.jobs)} runs{budget}"
            parts.append(f"{variant.label}: {text}")
        return "; ".join(parts)

    @property
    def warning(self) -> str:
        """Said if runs that are compared were made with different versions or on different devices."""
        hosts = [run.environment for _, run in self.results.labelled if run.environment is not None]
        kinds = sorted({host.numerical for host in hosts})
        if len(kinds) < 2:
            return ""
        return f"These runs were not all made alike: {'; '.join(' '.join(one) for one in kinds)}"


class ReportSummary(NamedTuple):
    """Everything that the report says."""

    date: str
    host: Environment
    """Where the report was written."""
    made_on: tuple[Environment, ...]
    """Where the runs were made, each once."""
    engine: str
    runs: int
    finished: int
    failed: int
    seconds: float
    figures: tuple[FigureReport, ...]

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What a reader must know before the numbers."""
        verdicts = Counter(finding.verdict for figure in self.figures for _, finding in figure.findings)
        host, machine, software = self.host, machine_of(self.host), software_of(self.host)
        return [
            ("report written", f"{self.date} on {machine}, {host.host_threads} hardware threads; {software}"),
            ("machines of the runs", distinct(map(machine_of, self.made_on))),
            ("software of the runs", distinct(map(software_of, self.made_on))),
            ("runs", f"{self.finished} of {self.runs} finished, {self.failed} failed; engine {self.engine}"),
            ("computing time", f"{duration(self.seconds)} of single cores"),
            ("claims", ", ".join(f"{verdicts[verdict]} {verdict}" for verdict in Verdict)),
        ]


def machine_of(host: Environment) -> str:
    """A machine in words; a worker sees only those threads of it that are its own."""
    return f"{host.platform}, {host.processor}, {host.device}"


def software_of(host: Environment) -> str:
    """Versions in words."""
    return (
        f"nhc {host.nhc} ({host.git}), Python {host.python}, JAX {host.jax}, jaxlib {host.jaxlib}, "
        f"NumPy {host.numpy}"
    )


def distinct(texts: Iterable[str]) -> str:
    """Each once, in the order of their first; `none` if there are none."""
    return "; ".join(dict.fromkeys(texts)) or "none"


def claim_rows(figure: FigureReport) -> list[tuple[str, ...]]:
    """A row a claim, see `CLAIM_COLUMNS`."""
    return [
        (figure.description.name, claim.statement, claim.paper or NO_NUMBER, finding.ours, finding.verdict)
        for claim, finding in figure.findings
    ]


def write_report(summary: ReportSummary, out: Path) -> None:
    """`report.md` and `report.html`; pictures and tables are there. Raises what `write_html` raises."""
    write_text_atomically(out / MARKDOWN, markdown_report(summary))
    write_html(out)


def write_html(out: Path) -> None:
    """`report.html` from `report.md` and the files to which that links.

    Raises InputError (`storage.read`) and StorageError (`storage.write`).
    """
    try:
        page = html_report((out / MARKDOWN).read_text(encoding="utf-8"), out)
    except OSError as error:
        found = f"{error.strerror or error}: {error.filename}"
        raise InputError("storage.read", f"expected a report with its files, found: {found}") from error
    write_text_atomically(out / "report.html", page)


def markdown_report(summary: ReportSummary) -> str:
    """The report with links to pictures and tables."""
    return _head(summary) + "".join(_section(figure) + _links(figure) for figure in summary.figures)


def html_report(text: str, out: Path) -> str:
    """The Markdown report in `out` as one file that needs nothing else. Raises OSError for a missing file."""
    head, claims, *sections = re.split(r"^## ", text, flags=re.MULTILINE)
    names = [name for section in sections for name in NAME.findall(section)[:1]]
    top = _html(f"{head}## {claims}", out)
    for name in names:
        top = re.sub(f"(<td[^>]*>){re.escape(name)}</td>", rf'\1<a href="#{name}">{name}</a></td>', top)
    parts = [
        f'<section id="{name}">\n{_html(f"## {section}", out)}</section>'
        for name, section in zip(names, sections, strict=True)
    ]
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    head += f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
    body = "\n".join([top, *parts])
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{body}\n</body></html>\n'


def _head(summary: ReportSummary) -> str:
    every = [row for figure in summary.figures for row in claim_rows(figure)]
    return (
        f"# {TITLE}\n\n{markdown(Table('', '', ('', ''), tuple(summary.facts)))}"
        f"\n## Claims\n\n{markdown(Table('', '', CLAIM_COLUMNS, tuple(every)))}"
    )


def _section(figure: FigureReport) -> str:
    """One figure, up to its first table."""
    one = figure.description
    parts = [f"\n## {one.title}\n\n`{one.name}`: {one.paper}. {one.note}\n\n"]
    parts.append(f"Settings: {figure.settings}.\n\nRuns: {figure.size}.\n\n")
    parts.append(f"{figure.warning}.\n\n" if figure.warning else "")
    parts += [f"Failed: {failure}.\n\n" for failure in figure.failures]
    parts += [f"![{one.title}](figures/{picture.name})\n\n" for picture in figure.pictures]
    for claim, (verdict, ours) in figure.findings:
        rule = "" if verdict == Verdict.NOT_STATED else f" Counts as reached: {claim.rule}."
        parts.append(f"* **{verdict}**: {claim.statement}. Paper: {claim.paper or NO_NUMBER}. ")
        parts.append(f"Ours: {ours}.{rule}\n")
    parts += [f"\n{table.title}:\n\n{markdown(table)}" for table in figure.tables[:1]]
    return "".join(parts)


def _links(figure: FigureReport) -> str:
    links = [f"[{table.title}](tables/{table.name}.md)" for table in figure.tables[1:]]
    return f"\nMore: {', '.join(links)}.\n" if links else ""


def _html(text: str, out: Path) -> str:
    """Rendered Markdown, in which nothing is HTML. Pictures and tables go inside, verdicts get colours."""
    page = PICTURE.sub(lambda found: _picture(out, found[1], found[2]), _rendered(text))
    page = MORE.sub(lambda found: "".join(_folded(out, *link) for link in LINK.findall(found[1])), page)
    for verdict in Verdict:
        span = f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'
        page = re.sub(f"(<strong>|<td[^>]*>){verdict}(</strong>|</td>)", rf"\1{span}\2", page)
    return page


def _picture(out: Path, name: str, alt: str) -> str:
    path = out / unescape(name)
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<div class="picture"><img src="data:{MEDIA[path.suffix]};base64,{data}" alt="{alt}" /></div>'


def _folded(out: Path, name: str, title: str) -> str:
    _, table = (out / unescape(name)).read_text(encoding="utf-8").split("\n\n", 1)
    rows = len(table.splitlines()) - 2
    return f"<details><summary>{title} ({rows} rows)</summary>{_rendered(table)}</details>"


def _rendered(text: str) -> str:
    """HTML; each cell of a table knows the name of its column, which narrow screens show beside it."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    names: list[str] = []
    column = 0
    for token, inside in pairwise(tokens):
        if token.type == "table_open":
            names = []
        elif token.type == "tr_open":
            column = 0
        elif token.type == "th_open":
            names.append(inside.content)
        elif token.type == "td_open":
            token.attrSet("data-name", names[column])
            column += 1
    page: str = parser.renderer.render(tokens, parser.options, {})
    return page


def markdown(table: Table) -> str:
    """The table in Markdown, without its title."""
    rows = [table.columns, tuple("---" for _ in table.columns), *table.rows]
    return "".join("| " + " | ".join(map(_cell, row)) + " |\n" for row in rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def write_table(table: Table, folder: Path) -> None:
    """`<name>.md` and `<name>.csv`, columns' names first. Raises StorageError (`storage.write`)."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerows([table.columns, *table.rows])
    write_text_atomically(folder / f"{table.name}.md", f"# {table.title}\n\n{markdown(table)}")
    write_text_atomically(folder / f"{table.name}.csv", text.getvalue())

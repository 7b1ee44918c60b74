"""The report: our figures beside the paper's statements, claim by claim.

It is written once, as Markdown. The HTML is that Markdown rendered, with pictures and all tables inside.
"""

import base64
import csv
import io
from collections import Counter
from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import NamedTuple

from markdown_it import MarkdownIt

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
from nhc.experiments.progress import duration
from nhc.runs.storage import write_text_atomically

CLAIM_COLUMNS = ("figure", "the paper's statement", "paper", "ours", "verdict")
TITLE, NO_NUMBER = "Reproduction of the paper", "no number"
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
    """`report.md` and `report.html`. Raises StorageError (`storage.write`)."""
    write_text_atomically(out / "report.md", markdown_report(summary))
    write_text_atomically(out / "report.html", html_report(summary))


def markdown_report(summary: ReportSummary) -> str:
    """The report with links to pictures and tables."""
    return _head(summary) + "".join(_section(figure) + _links(figure) for figure in summary.figures)


def html_report(summary: ReportSummary) -> str:
    """The report as one file that needs nothing else. Raises OSError if a picture cannot be read."""
    pictures = {f"figures/{one.name}": one for figure in summary.figures for one in figure.pictures}
    parts = [_html(_head(summary), pictures)]
    for figure in summary.figures:
        name, tables = figure.description.name, "".join(map(_folded, figure.tables[1:]))
        parts[0] = parts[0].replace(f"<td>{name}</td>", f'<td><a href="#{name}">{name}</a></td>')
        parts.append(f'<section id="{name}">\n{_html(_section(figure), pictures)}{tables}</section>')
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{TITLE}</title>'
    head += f"<style>{STYLE.read_text(encoding='utf-8')}</style>"
    body = "\n".join(parts)
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


def _html(text: str, pictures: dict[str, Path]) -> str:
    """Rendered Markdown; what stands in it is no HTML. Pictures become data, verdicts coloured."""
    page = _renderer().render(text)
    for name, path in pictures.items():
        data = base64.b64encode(path.read_bytes()).decode()
        page = page.replace(f'src="{name}"', f'src="data:{MEDIA[path.suffix]};base64,{data}"')
    for verdict in Verdict:
        span = f'<span class="verdict {verdict.replace(" ", "-")}">{verdict}</span>'
        page = page.replace(f"<strong>{verdict}</strong>", span).replace(
            f"<td>{verdict}</td>", f"<td>{span}</td>"
        )
    return page


def _folded(table: Table) -> str:
    rows = f"{escape(table.title)} ({len(table.rows)} rows)"
    return f"<details><summary>{rows}</summary>{_renderer().render(markdown(table))}</details>"


def _renderer() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).enable("table")


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

"""The report: our figures beside the paper's statements, claim by claim, as Markdown and as HTML."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.description import (
    Claim,
    Description,
    Environment,
    Finding,
    Results,
    Table,
    Variant,
    Verdict,
)
from nhc.experiments.html import Row, Section, html_page
from nhc.experiments.kinds.registry import budget_of
from nhc.experiments.progress import duration
from nhc.experiments.settings import Settings
from nhc.experiments.tables import markdown
from nhc.runs.storage import write_text_atomically

CLAIM_COLUMNS = ("figure", "the paper's statement", "paper", "ours", "verdict")
TITLE, NO_NUMBER = "Reproduction of the paper", "no number"


class Outcome(NamedTuple):
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
        runs = [run for part in self.results.finished.values() for run in part]
        found = {run.environment.numerical for run in runs if run.environment is not None}
        if len(found) < 2:
            return ""
        return f"These runs were not all made alike: {'; '.join(' '.join(one) for one in sorted(found))}"


class Summary(NamedTuple):
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
    outcomes: tuple[Outcome, ...]

    @property
    def verdicts(self) -> Counter[Verdict]:
        """How many claims got each."""
        return Counter(finding.verdict for outcome in self.outcomes for _, finding in outcome.findings)

    @property
    def facts(self) -> list[tuple[str, str]]:
        """What a reader must know before the numbers."""
        return [
            (
                "report written",
                f"{self.date} on {machine_of(self.host)}, {self.host.host_threads} hardware threads; "
                f"{software_of(self.host)}",
            ),
            ("machines of the runs", distinct(map(machine_of, self.made_on))),
            ("software of the runs", distinct(map(software_of, self.made_on))),
            ("runs", f"{self.finished} of {self.runs} finished, {self.failed} failed; engine {self.engine}"),
            ("computing time", f"{duration(self.seconds)} of single cores"),
            ("claims", ", ".join(f"{self.verdicts[verdict]} {verdict}" for verdict in Verdict)),
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
    """Each once."""
    return "; ".join(dict.fromkeys(texts)) or "none"


def claim_rows(outcome: Outcome) -> list[tuple[str, ...]]:
    """A row a claim."""
    return [
        (outcome.description.name, claim.statement, claim.paper or NO_NUMBER, finding.ours, finding.verdict)
        for claim, finding in outcome.findings
    ]


def rule_of(claim: Claim, finding: Finding) -> str:
    """When the claim counts as reached, as a sentence; empty where there is nothing to reach."""
    return "" if finding.verdict == Verdict.NOT_STATED else f" Counts as reached: {claim.rule}."


def write_report(summary: Summary, out: Path) -> None:
    """`report.md` and `report.html`. Raises StorageError (`storage.write`)."""
    write_text_atomically(out / "report.md", markdown_report(summary))
    write_text_atomically(out / "report.html", html_report(summary))


def markdown_report(summary: Summary) -> str:
    """The report with links to pictures and tables."""
    every = [row for outcome in summary.outcomes for row in claim_rows(outcome)]
    parts = [f"# {TITLE}\n\n", markdown(Table("", "", ("", ""), tuple(summary.facts)))]
    parts += ["\n## Claims\n\n", markdown(Table("", "", CLAIM_COLUMNS, tuple(every)))]
    for outcome in summary.outcomes:
        one = outcome.description
        parts.append(f"\n## {one.title}\n\n`{one.name}`: {one.paper}. {one.note}\n\n")
        parts.append(f"Settings: {outcome.settings}.\n\nRuns: {outcome.size}.\n\n")
        parts.append(f"{outcome.warning}.\n\n" if outcome.warning else "")
        parts += [f"Failed: {failure}.\n\n" for failure in outcome.failures]
        parts += [f"![{one.title}](figures/{picture.name})\n\n" for picture in outcome.pictures]
        for claim, finding in outcome.findings:
            parts.append(f"* **{finding.verdict}**: {claim.statement}. Paper: {claim.paper or NO_NUMBER}. ")
            parts.append(f"Ours: {finding.ours}.{rule_of(claim, finding)}\n")
        if outcome.tables:
            parts.append(f"\n{outcome.tables[0].title}:\n\n{markdown(outcome.tables[0])}")
            links = [f"[{table.title}](tables/{table.name}.md)" for table in outcome.tables[1:]]
            parts.append(f"\nMore: {', '.join(links)}.\n" if links else "")
    return "".join(parts)


def html_report(summary: Summary) -> str:
    """The report as one file, pictures included."""
    sections = [
        Section(
            name=outcome.description.name,
            title=outcome.description.title,
            paper=outcome.description.paper,
            note=outcome.description.note,
            size=f"Settings: {outcome.settings}. Runs: {outcome.size}.",
            warning=outcome.warning,
            failures=outcome.failures,
            pictures=outcome.pictures,
            claims=[
                Row(
                    finding.verdict,
                    claim.statement,
                    claim.paper or NO_NUMBER,
                    finding.ours,
                    rule_of(claim, finding),
                )
                for claim, finding in outcome.findings
            ],
            tables=outcome.tables,
        )
        for outcome in summary.outcomes
    ]
    return html_page(TITLE, summary.facts, sections)

"""One HTML file that needs nothing else: style inside, pictures as data."""

import base64
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple

from nhc.experiments.description import Table

LONG_TABLE = 24
"""Rows above which a table is folded."""

STYLE = """
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; color: #1c1f23; max-width: 66rem; margin: 2rem auto;
  padding: 0 1.2rem; }
h1 { font-size: 1.7rem; margin-bottom: .3rem; }
h2 { font-size: 1.25rem; margin: 2.6rem 0 .2rem; border-top: 1px solid #d8dce0; padding-top: 1.2rem; }
p { margin: .5rem 0; }
.where, .size, .rule { color: #5b6570; font-size: .88rem; }
table { border-collapse: collapse; margin: .8rem 0; font-size: .88rem; display: block;
  overflow-x: auto; }
th, td { text-align: left; vertical-align: top; padding: .3rem .7rem .3rem 0;
  border-bottom: 1px solid #e6e9ec; }
td { font-variant-numeric: tabular-nums; }
th { font-weight: 600; color: #414a53; white-space: nowrap; }
figure { margin: 1rem 0; }
img { max-width: 100%; height: auto; border: 1px solid #eceff1; }
.verdict { display: inline-block; padding: 0 .5rem; border-radius: .7rem; white-space: nowrap;
  font-size: .82rem;
  font-weight: 600; background: #eceff1; color: #414a53; }
.reached { background: #d9f0e1; color: #11562b; }
.exceeded { background: #cfe6f7; color: #0b4674; }
.not-reached { background: #fbe0d6; color: #86300c; }
.undecided { background: #fdf1cd; color: #6b5200; }
.failed { color: #86300c; }
nav { font-size: .9rem; }
summary { cursor: pointer; color: #0b4674; font-size: .9rem; }
"""


class Row(NamedTuple):
    """One claim."""

    verdict: str
    statement: str
    paper: str
    ours: str
    rule: str


class Section(NamedTuple):
    """One figure."""

    name: str
    title: str
    paper: str
    note: str
    size: str
    warning: str
    failures: Sequence[str]
    pictures: Sequence[Path]
    claims: Sequence[Row]
    tables: Sequence[Table]


def html_page(title: str, facts: Sequence[tuple[str, str]], sections: Sequence[Section]) -> str:
    """The whole page. Raises OSError if a picture cannot be read."""
    links = " · ".join(f'<a href="#{escape(one.name)}">{escape(one.title)}</a>' for one in sections)
    overview = _claims([(one, row) for one in sections for row in one.claims])
    body = [
        f"<h1>{escape(title)}</h1>",
        _table(("", ""), facts),
        f"<nav>{links}</nav>",
        "<h2>Claims</h2>",
        "<p>Ours beside the paper's statements. How each is judged stands with its figure.</p>",
        overview,
        *(_section(one) for one in sections),
    ]
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += f"<title>{escape(title)}</title><style>{STYLE}</style>"
    text = "\n".join(body)
    return f'<!doctype html>\n<html lang="en"><head>{head}</head>\n<body>\n{text}\n</body></html>\n'


def _section(one: Section) -> str:
    parts = [f'<h2 id="{escape(one.name)}">{escape(one.title)}</h2>']
    parts.append(f'<p class="where"><code>nhc reproduce {escape(one.name)}</code> · {escape(one.paper)}</p>')
    parts.append(f"<p>{escape(one.note)}</p>" if one.note else "")
    parts.append(f'<p class="size">{escape(one.size)}</p>')
    parts.append(f'<p class="failed">{escape(one.warning)}.</p>' if one.warning else "")
    parts += [f'<p class="failed">Failed: {escape(failure)}</p>' for failure in one.failures]
    parts += [_picture(picture, one.title) for picture in one.pictures]
    for row in one.claims:
        parts.append(
            f"<p>{_verdict(row.verdict)} <b>{escape(row.statement)}.</b> Paper: {escape(row.paper)}. "
            f'Ours: {escape(row.ours)}.<span class="rule">{escape(row.rule)}</span></p>'
        )
    for table in one.tables:
        folded = len(table.rows) > LONG_TABLE or table is not one.tables[0]
        text = _table(table.columns, table.rows)
        if folded:
            name = f"{escape(table.title)} ({len(table.rows)} rows)"
            parts.append(f"<details><summary>{name}</summary>{text}</details>")
        else:
            parts.append(f"<p>{escape(table.title)}:</p>{text}")
    return "\n".join(part for part in parts if part)


def _claims(rows: Sequence[tuple[Section, Row]]) -> str:
    head = "".join(f"<th>{name}</th>" for name in ("Figure", "Statement", "Paper", "Ours", "Verdict"))
    lines = [
        f'<tr><td><a href="#{escape(one.name)}">{escape(one.name)}</a></td><td>{escape(row.statement)}</td>'
        f"<td>{escape(row.paper)}</td><td>{escape(row.ours)}</td><td>{_verdict(row.verdict)}</td></tr>"
        for one, row in rows
    ]
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _verdict(verdict: str) -> str:
    return f'<span class="verdict {verdict.replace(" ", "-")}">{escape(verdict)}</span>'


def _table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    head = f"<tr>{head}</tr>" if any(columns) else ""
    lines = ["<tr>" + "".join(f"<td>{escape(text)}</td>" for text in row) + "</tr>" for row in rows]
    return f"<table>{head}{''.join(lines)}</table>"


def _picture(path: Path, title: str) -> str:
    data = base64.b64encode(path.read_bytes()).decode()
    return f'<figure><img alt="{escape(title)}" src="data:image/png;base64,{data}"></figure>'

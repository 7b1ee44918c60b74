"""The documentation site: how Sphinx makes `site/` from the Markdown files, by `make docs`.

Sources are read where they lie, so links between them hold in a checkout and on the site. Comments such
as `<!-- site: live plan -->` stand for what is made here: pages that run a machine, help texts, and what
docstrings say. navigation.toml has the order of pages.
"""

import inspect
import io
import logging
import os
import re
import tomllib
from contextlib import redirect_stdout, suppress
from functools import cache
from html import escape
from pathlib import Path

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator

import nhc
from nhc.cli.main import COMMANDS, run

ROOT = Path(__file__).resolve().parents[1]
NAVIGATION = tomllib.loads((ROOT / "docs" / "navigation.toml").read_text())
MARK = re.compile(r"<!-- site: (\w+) ?(.*?) -->")
FILE_NAME = re.compile(r"\[[\w./]+\.md\]\((\S+?\.md(?:#\S+?)?)\)")
"""A link that shows the name of a file; the site has the title of the page instead."""
LIVE = {"plan": "zoo:plan", "brackets": "zoo:brackets", "reverse": "zoo:reverse"}
"""Pages that run a machine on its example."""

project, author, version = "nhc", "The nhc authors", nhc.__version__
html_title = f"nhc {version}"
extensions = ["myst_nb", "sphinx.ext.autodoc"]
root_doc = "docs/index"
include_patterns = [f"{page}.*" for pages in NAVIGATION.values() for page in pages]
include_patterns += ["docs/index.md", "docs/reproduction/tables/*.md"]
exclude_patterns = [".*", "build", "dist", "site", "runs"]
suppress_warnings = ["toc.not_included"]  # Tables of the reproduction; tests compare pages and navigation.
myst_heading_anchors = 4
myst_fence_as_directive = ["math"]
nb_execution_mode = os.environ.get("NOTEBOOKS", "force")  # `off` for a quick look at the rest.
nb_execution_in_temp = nb_execution_raise_on_error = True
nb_execution_timeout = 600
default_role = "code"
autodoc_preserve_defaults = True
maximum_signature_line_length = 78
toc_object_entries_show_parents = "hide"
autodoc_member_order = "bysource"
html_theme = "furo"
html_css_files = ["site.css"]
html_static_path = ["static"]
html_extra_path = ["static/index.html"]
html_show_copyright = html_show_sphinx = html_copy_source = False


def live(name: str, place: str = "") -> str:
    """A page that runs a machine, in a frame."""
    address = f"../live/{name}.html{place}"
    title = f"The machine {LIVE[name]}, tick by tick"
    return (
        f'<div class="live"><iframe src="{escape(address)}" title="{title}" loading="lazy"></iframe>'
        f'<p><a href="{escape(address)}">Open this page by itself</a></p></div>'
    )


@cache
def commands() -> str:
    """Every command with its help text; to be asked for before autodoc imports names of type checkers."""
    os.environ["COLUMNS"] = "84"
    block = "## nhc {0}\n\n```{{code-block}} text\n:class: wrap\n\n{1}\n```\n"
    return "\n".join(block.format(name, help_text(name)) for name in COMMANDS)


def help_text(name: str) -> str:
    with redirect_stdout(io.StringIO()) as printed, suppress(SystemExit):
        run([name, "--help"])
    text = re.sub(r"\x1b\[[0-9;]*m", "", printed.getvalue())
    return re.sub(r"\n\n+", "\n\n", text).strip()


def api(*names: str) -> str:
    """What the docstrings of public names say."""
    return "\n".join(["```{eval-rst}", *map(directive, names), "```"])


def directive(name: str) -> str:
    found = getattr(nhc, name)
    kind = "class" if inspect.isclass(found) else "function" if callable(found) else "data"
    members = "   :members:\n   :undoc-members:\n" if kind == "class" else ""
    return f".. auto{kind}:: nhc.{name}\n{members}"


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Put what is made here into a page, and the navigation into the first."""
    parts = {"live": live, "commands": commands, "api": api}
    source[0] = MARK.sub(lambda match: parts[match[1]](*match[2].split()), source[0])
    source[0] = FILE_NAME.sub(r"[](\1)", source[0])
    if page == root_doc:
        source[0] = f"---\nhide-toc: true\n---\n{source[0]}"
        for caption, pages in NAVIGATION.items():
            entries = "\n".join(f"{title} </{page}>" for page, title in pages.items())
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n{entries}\n```\n"


def plain(app: Sphinx, kind: str, name: str, found: object, options: object, lines: list[str]) -> None:
    """Docstrings here are plain text with code in backticks, so nothing else in them is markup."""
    for number, line in enumerate(lines):
        spans = re.split(r"(`+[^`]+`+)", line)
        lines[number] = "".join(s if s.startswith("`") else re.sub(r"([*|_\\])", r"\\\1", s) for s in spans)


def save_live(app: Sphinx, error: Exception | None) -> None:
    """Write the pages that run a machine."""
    folder = Path(app.outdir) / "live"
    folder.mkdir(exist_ok=True)
    for name, model in LIVE.items():
        nhc.show(model).save(folder / f"{name}.html")


def quiet_notebooks() -> None:
    """Kernels warn of connections within this machine, and each notebook is announced: no news."""
    profile = ROOT / "build" / "ipython" / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    (profile / "ipython_kernel_config.py").write_text("c.IPKernelApp.log_level = 'ERROR'\n")
    os.environ["IPYTHONDIR"] = str(profile.parent)
    logging.getLogger("traitlets").setLevel(logging.WARNING)


def inline_formula(writer: HTML5Translator, node: nodes.math) -> None:
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def formula(writer: HTML5Translator, node: nodes.math_block) -> None:
    writer.body.append(f'<div class="formula">{convert(node.astext(), display="block")}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Formulas become MathML, which browsers draw by themselves."""
    app.add_html_math_renderer("mathml", (inline_formula, None), (formula, None))
    app.config.html_math_renderer = "mathml"
    commands()
    quiet_notebooks()
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", plain)
    app.connect("build-finished", save_live)

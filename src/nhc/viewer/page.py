"""One self-contained page: markup, style, scripts and machines in a single file that needs no network.

The scripts are modules without a build step: they are put one after the other, without the lines that import
and export, so their top-level names must differ. A content security policy in the page lets no other script
run.
"""

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from html import escape
from importlib import resources

ASSETS = resources.files("nhc.viewer").joinpath("assets")
D3 = (
    *("selection", "dispatch", "timer", "ease", "color", "interpolate", "transition", "drag", "zoom"),
    "hierarchy",
)
"""Modules of d3, each after those that it needs."""
MODULES = (
    *("machine/linear", "machine/control", "machine/memory", "machine/tick"),
    *("worlds/tapes", "worlds/notation", "worlds/stacking", "worlds/planning", "machine/run"),
    *("view/dom", "view/boards", "view/tape", "view/tree_parts", "view/tree", "view/memory"),
    *("view/mechanisms", "view/program", "view/story", "view/machine_view", "view/editors"),
    *("view/learning", "view/link", "view/bar"),
    "view/page",
)
"""Scripts of the page, each after those that it imports."""
IMPORT = re.compile(r"^import\s[^;]*;\n", re.MULTILINE)
EXPORT = re.compile(r"^export ", re.MULTILINE)


def page_html(title: str, machines: Sequence[Mapping[str, object]], task: str) -> str:
    """The page for one machine, or for two side by side, with the task that it begins with."""
    licence = "".join(f"  {line}\n" for line in _asset("d3/LICENSE").splitlines())
    modules = "".join(_asset(f"d3/d3-{name}.min.js") for name in D3)
    library = f"/* d3, https://d3js.org\n{licence}*/\n{modules}"
    scripts = library, bundle()
    style = _asset("page.css")
    allowed = " ".join(map(_digest, scripts))
    policy = (
        "default-src 'none'; base-uri 'none'; form-action 'none'; img-src data:; "
        f"style-src {_digest(style)}; script-src {allowed}"
    )
    parts = {
        "policy": policy,
        "title": escape(title),
        "style": style,
        "library": library,
        "script": scripts[1],
        "data": _json({"machines": list(machines), "task": task, "title": title}),
    }
    return re.sub(r"\{\{(\w+)\}\}", lambda found: parts[found[1]], _asset("page.html"))


def bundle() -> str:
    """All scripts of the page as one module."""
    texts = (_asset(f"{name}.js") for name in MODULES)
    return "\n".join(EXPORT.sub("", IMPORT.sub("", text)) for text in texts)


def _asset(name: str) -> str:
    return ASSETS.joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """As a content security policy names a text."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _json(value: object) -> str:
    """JSON that can stand in markup: no text can end the element around it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")

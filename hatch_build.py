"""What the build writes for readers elsewhere: the README with links that hold outside of this repository."""

import re
from pathlib import Path

from hatchling.metadata.plugin.interface import MetadataHookInterface

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?://)([^)\s]+)\)")


def portable(text: str, base: str) -> str:
    """Links to files begin with `base`; where nothing is known to begin with, their text alone remains."""

    def link(found: re.Match[str]) -> str:
        picture, words, target = found.groups()
        if not base:
            return words
        return f"{picture}[{words}]({base.rstrip('/')}/{target.removeprefix('./')})"

    return LINK.sub(link, text)


class Readme(MetadataHookInterface):
    """Sets `readme`; `base` in pyproject.toml says where the files of this repository can be read."""

    def update(self, metadata: dict[str, object]) -> None:
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        readme = portable(text, str(self.config.get("base", "")))
        metadata["readme"] = {"content-type": "text/markdown", "text": readme}

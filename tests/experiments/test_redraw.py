"""A reproduction is drawn again from its records; what needs more stays as it is."""

import base64
import json
from pathlib import Path

from nhc.cli.main import run

COMMITTED = Path(__file__).parents[2] / "docs" / "reproduction"
REPORT = "# R\n\n## Claims\n\n## B\n\n`fig5`: F.\n\n![B](figures/fig5.png)\n\n![C](figures/fig3ab-plan.png)\n"


def test_pictures_are_drawn_from_records_and_the_page_from_the_report(tmp_path: Path) -> None:
    kept = json.loads((COMMITTED / "figures.json").read_text())
    names = ("fig3ab", "fig5")
    (tmp_path / "figures.json").write_text(json.dumps({name: kept[name] for name in names}))
    (tmp_path / "records.jsonl").write_bytes((COMMITTED / "records.jsonl").read_bytes())
    (tmp_path / "report.md").write_text(REPORT)
    (tmp_path / "figures").mkdir()
    old = tmp_path / "figures" / "fig3ab-plan.png"
    old.write_bytes(b"as it was")

    assert run(["reproduce", "--redraw", "--out", str(tmp_path)]) == 1  # the log of fig3ab is not there
    assert old.read_bytes() == b"as it was"
    drawn = base64.b64encode((tmp_path / "figures" / "fig5.png").read_bytes()).decode()
    page = (tmp_path / "report.html").read_text()
    assert f'<div class="picture"><img src="data:image/png;base64,{drawn}"' in page
    assert "usage backward" in (tmp_path / "figures" / "fig5.svg").read_text()
    assert not (tmp_path / "runs").exists()

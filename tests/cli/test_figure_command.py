"""`nhc figure`: every command of its page runs, and gives a vector file of the width that was asked for."""

import re
import shlex
import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from nhc import load_model, program_of, run_config
from nhc.cli.main import run
from nhc.runs.directory import RunDirectory
from nhc.zoo import MODEL_FILE, zoo_path
from tests.cli.command import Command
from tests.runs.samples import long_run

PAGE = Path(__file__).parents[2] / "docs" / "figures.md"
LINES = [
    line.removeprefix("nhc ") for line in PAGE.read_text().splitlines() if line.startswith("nhc figure ")
]
MM = 72 / 25.4
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with runs that have a log and a model."""
    monkeypatch.chdir(tmp_path)
    for name in ("plan-seed0", "plan-seed1", "search-seed0"):
        task, _, seed = name.partition("-seed")
        config = run_config(task, overrides={"seed": int(seed)}).model_dump(mode="json")
        made = RunDirectory.create(Path("runs") / name, config, {})
        made.metrics.append(long_run(levels=4, lesson=9 + int(seed), perfect=5))
        shutil.copy(zoo_path(task), made.path / MODEL_FILE)
    return tmp_path


def drawn(line: str) -> tuple[float, str]:
    """Run a command and return the width of its file in millimetres and what is in it."""
    words = shlex.split(line)
    assert run(words) == 0
    path = Path(words[words.index("--out") + 1])
    text = path.read_bytes().decode("latin-1")
    if path.suffix == ".svg":
        return float(str(ET.fromstring(path.read_bytes()).get("width")).removesuffix("pt")) / MM, text
    found = re.search(r"/MediaBox \[ ?0 0 ([\d.]+) ", text)
    assert found is not None
    return float(found[1]) / MM, text


@pytest.mark.parametrize("line", LINES)
def test_the_commands_of_the_page(line: str, here: Path) -> None:
    width, text = drawn(line)
    assert width == pytest.approx(89 if "--columns 1" in line else 183, abs=0.1)
    # Text as text with a TrueType font inside, and nothing but lines and areas beside it.
    if text.startswith("%PDF"):
        assert "/FontFile2" in text and "/FontFile3" not in text and "/Subtype /Image" not in text
        assert "/Type3" not in text
    else:
        assert "<text" in text and "<image" not in text


def texts(path: str) -> list[str]:
    return ["".join(element.itertext()) for element in ET.parse(path).iter(f"{SVG}text")]


def test_a_picture_shows_the_run(here: Path) -> None:
    drawn("figure behaviour zoo:brackets ([]{}) --out whole.svg")
    shown = texts("whole.svg")
    assert {"accept", "usage backward", "start", "{"} <= set(shown)
    drawn("figure behaviour zoo:brackets ([]{}) --first 8 --out end.svg")
    assert "accept" in (end := texts("end.svg")) and "{" not in end and "8" in end
    drawn("figure behaviour zoo:brackets ([]{}) --out again.svg")
    assert Path("again.svg").read_bytes() == Path("whole.svg").read_bytes()


def test_rules_are_those_of_the_program(here: Path) -> None:
    drawn("figure program zoo:brackets --columns 1 --out rules.svg")
    rules = str(program_of(load_model("zoo:brackets")))
    wanted = [line for line in rules.splitlines()[1:] if line and not line.startswith("#")]
    assert " ".join(" ".join(texts("rules.svg")).split()) == " ".join(" ".join(wanted).split())


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("figure tree zoo:graph-plan --out tree.svg", "figure.tree"),
        ("figure tree zoo:brackets --out tree.pdf", "figure.tree"),
        ("figure tree zoo:plan --out tree.png", "figure.format"),
        ("figure tree zoo:plan --first 2 --out tree.svg", "figure.window"),
        ("figure attention zoo:brackets [{}] --first 90 --out a.svg", "figure.window"),
        ("figure attention zoo:brackets [{}] --first 0 --out a.svg", "trace.window"),
        ("figure curve zoo:plan --out curve.svg", "run.missing"),
        ("figure curve --out curve.svg", "run.missing"),
        ("figure program runs --out p.svg", "model.missing"),
        ("figure hologram", "cli.options"),
    ],
)
def test_what_cannot_be_drawn_is_refused(line: str, code: str, here: Path, nhc: Command) -> None:
    done = nhc(*line.split())
    assert (done.code, done.error_code) == (2, code)
    assert not list(here.glob("*.*"))


def test_a_diagram_too_small_to_be_read_gives_way_to_rules(here: Path) -> None:
    drawn("figure program zoo:plan --columns 1 --out rules.svg")
    drawn("figure program zoo:plan --columns 2 --out diagram.svg")
    assert "arrow" in Path("diagram.svg").read_text() and "arrow" not in Path("rules.svg").read_text()

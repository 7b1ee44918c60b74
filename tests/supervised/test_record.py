"""Check records: what is damaged or cannot be is refused, whatever its hash, and what says less is weaker."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from nhc.errors import InputError
from nhc.supervised.check import report as reports
from nhc.supervised.check.report import CaseCounts, CheckRecord, load_report, save_report, says_less
from nhc.supervised.check.run import CheckOptions, check_networks
from tests.supervised.fitted import passage_modules
from tests.supervised.passage import Passage

WORLD = Passage()
HERE = CheckOptions(chunk=100)


@pytest.fixture(scope="module")
def clean() -> CheckRecord:
    return check_networks(WORLD, passage_modules().networks, HERE)


def rewrite(path: Path, change: Callable[[dict[str, object]], object]) -> None:
    """Change the values of a record and give them the hash that fits."""
    values = json.loads(path.read_text())
    values.pop("sha256")
    change(values)
    path.write_text(json.dumps({**values, "sha256": reports._hash(values)}))


def test_damaged_records_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.json"
    check_networks(WORLD, passage_modules().networks, replace(HERE, progress_file=path))
    text = path.read_text()
    values = json.loads(text)
    values["tallies"]["transform_d"]["errors"] = 1
    for wrong in (text[:-30], json.dumps(values), "[]", "{}", "not JSON"):
        path.write_text(wrong)
        with pytest.raises(InputError) as caught:
            load_report(path)
        assert caught.value.code == "check.record"
    path.unlink()
    with pytest.raises(InputError):
        load_report(path)


@pytest.mark.parametrize(
    ("module", "changes"),
    [
        ("transform_d", {"margin": math.nan}),
        ("transform_d", {"margin": 0.0}),
        ("output", {"margin": -1.0}),
        ("output", {"errors": 1, "failing": 1, "disagreements": -1}),
        ("output", {"errors": -1}),
        ("alu", {"errors": 1, "failing": 1}),
        ("alu", {"cases": -45}),
        ("alu", {"repeated": 46}),
        ("alu", {"disagreements": 1, "repeated": 0}),
        ("composed", {"cases": 2239}),
        ("composed", {"cases": 2240.0}),
        ("transform_d", {"cases": True}),
        ("composed", {"margin": math.nan}),
        ("composed", {"margin": math.inf}),
        ("composed", {"margin": None}),
        ("alu", {"margin": 10**400}),
        ("alu", {"cases": 0, "repeated": 0}),
    ],
)
def test_impossible_counts_are_refused_whatever_their_hash(
    clean: CheckRecord, tmp_path: Path, module: str, changes: dict[str, object]
) -> None:
    path = tmp_path / "record.json"
    save_report(path, clean)
    assert load_report(path) == clean
    rewrite(path, lambda values: values["tallies"][module].update(changes))
    with pytest.raises(InputError) as caught:
        load_report(path)
    assert caught.value.code == "check.record"


@pytest.mark.parametrize(
    "changes", [{"checked": -1}, {"slice": "1/2"}, {"proved": {"output": -1.0}}, {"distinct": 1}]
)
def test_impossible_records_are_refused(
    clean: CheckRecord, tmp_path: Path, changes: dict[str, object]
) -> None:
    path = tmp_path / "record.json"
    save_report(path, clean)
    rewrite(path, lambda values: values.update(changes))
    with pytest.raises(InputError, match="expected a record of a check"):
        load_report(path)


def test_records_are_compared_by_what_they_say(clean: CheckRecord) -> None:
    sampled = replace(clean, samples=100, tallies={**clean.tallies, "output": CaseCounts(500, margin=1.0)})
    more = replace(sampled, tallies={**sampled.tallies, "output": CaseCounts(600, margin=1.0)})
    alone = replace(clean, modules=["alu"], tallies={"alu": clean.tallies["alu"]})
    wrong = replace(sampled, tallies={**clean.tallies, "output": CaseCounts(500, 1, 1, -1.0)})
    for weaker in (sampled, alone, replace(clean, stopped=True)):
        assert says_less(weaker, clean) and not says_less(clean, weaker)
    assert says_less(sampled, more) and not says_less(more, sampled) and not says_less(clean, clean)
    assert says_less(clean, replace(sampled, proved={"output": 0.5}))
    assert not says_less(replace(sampled, weights="other"), clean), "about other weights it says nothing"
    assert says_less(sampled, wrong), "an error that was found stays found"

"""Learning the data modules of a world: a run of `nhc modules train`."""

from pathlib import Path

from nhc.experiments.job import Record, Values
from nhc.experiments.kinds.folders import begun
from nhc.runs.directory import RunDirectory
from nhc.runs.storage import sha256_file

SECONDS = {"stacking": 90.0, "sliding-3x3": 130.0, "sokoban-6x6": 450.0, "sokoban-permuted": 500.0}
"""On one core, with complete checks."""
OTHER_SECONDS = 500.0
SECONDS_AN_UPDATE = 0.002


def seconds(values: Values) -> float:
    """About how long a run takes; a small budget bounds it."""
    budget = values["budget"]
    assert isinstance(budget, int)
    usual = SECONDS.get(str(values["domain"]), OTHER_SECONDS)
    return min(usual, 20.0 + 4 * SECONDS_AN_UPDATE * budget)


def run(values: Values, folder: Path) -> Record:
    """Train, from the last checkpoint if there is one; `values` are those of a ModulesConfig."""
    from nhc.runs.progress import SilentProgress
    from nhc.supervised.config import ModulesConfig
    from nhc.supervised.keeping import resume_in_directory, train_in_directory

    progress = SilentProgress()
    if begun(folder):
        summaries = resume_in_directory(folder, progress)
    else:
        summaries = train_in_directory(ModulesConfig.model_validate(dict(values)), folder, progress)
    directory = RunDirectory.open(folder)
    first = first_checks(directory.metrics.read())
    return {
        "world": summaries[0].world,
        "modules": {
            one.module: {
                "updates": one.updates,
                "rounds": one.counterexample_rounds,
                "errors": one.errors,
                "first_check_errors": first.get(one.module),
                "cases": one.cases,
                "check": one.check,
            }
            for one in summaries
        },
        "metrics": sha256_file(directory.metrics.path),
    }


def first_checks(records: list[dict[str, object]]) -> dict[str, object]:
    """The errors that the first check of each module found: what learning alone left behind."""
    found: dict[str, object] = {}
    for record in records:
        if record.get("event") == "check":
            found.setdefault(str(record["module"]), record.get("errors"))
    return found

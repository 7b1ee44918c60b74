"""Train the paper's comparison methods on its Search task, ten runs of each, for as long as is given.

    python benchmarks/baselines_gpu.py --minutes 60 --out runs/baselines

Half of the minutes go to each method; a round and a checkpoint more may be needed to end. Called again with
the same options it goes on where it stopped, so 500,000 iterations can be reached in several portions, if the
folder stays: the checkpoints of ten runs are 130 and 240 MB. With `--task copy`, `reverse` or `brackets`
that is learned instead: it shows what the networks can do. Needs the package and, for speed, JAX with GPU
support. Products are computed in full float32, not in the shorter formats that some devices use by default.
"""

import argparse
import json
import sys
import time
from pathlib import Path

import jax

from nhc.baselines.config import BaselineConfig
from nhc.baselines.run import run_in_directory
from nhc.runs.progress import Progress, Standing, progress_on

MODELS = ("dnc", "stack-rnn")


class Rate:
    """Passes progress on, and measures iterations a second after the first round, which compiles."""

    def __init__(self, inner: Progress) -> None:
        self.say, self.close = inner.say, inner.close
        self._inner = inner
        self._first: tuple[float, float] | None = None
        self.value: float | None = None

    def update(self, standing: Standing) -> None:
        """Take note of a round."""
        now = time.monotonic()
        if self._first is None:
            self._first = now, standing.done
        elif now > self._first[0]:
            self.value = round((standing.done - self._first[1]) / (now - self._first[0]), 2)
        self._inner.update(standing)


def settings(options: argparse.Namespace, model: str) -> BaselineConfig:
    """The paper's sizes; inputs of the other tasks are as long as a Level 1 task has ticks, and longer."""
    return BaselineConfig.model_validate(
        {
            "model": model,
            "task": options.task,
            "runs": options.runs,
            "iterations": options.iterations,
            "feedback": options.feedback,
            "sequence": {"length": 8},
        }
    )


def main() -> int:
    """Run both methods and print where each ended, one JSON line a method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=7.0, help="for all methods together")
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"))
    parser.add_argument("--task", choices=("search", "copy", "reverse", "brackets"), default="search")
    parser.add_argument("--feedback", choices=("own", "teacher"), default="own")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=500_000)
    parser.add_argument("--model", choices=MODELS, action="append", help="one method only")
    options = parser.parse_args()
    models = options.model or MODELS
    jax.config.update("jax_default_matmul_precision", "highest")
    for model in models:
        print(f"{model}: {options.task}", file=sys.stderr, flush=True)
        ends = time.monotonic() + 60 * options.minutes / len(models)
        folder = options.out / f"{options.task}-{model}-{options.feedback}-{options.runs}"
        rate = Rate(progress_on(sys.stderr))
        summary = run_in_directory(
            settings(options, model), folder, rate, resume=True, stop=lambda end=ends: time.monotonic() >= end
        )
        print(json.dumps({**summary._asdict(), "iterations_per_second": rate.value}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

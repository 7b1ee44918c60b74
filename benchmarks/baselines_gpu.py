"""Train the paper's comparison methods on its Search task, ten runs of each, for as long as is given.

    python benchmarks/baselines_gpu.py --minutes 60 --out runs/baselines

Half of the minutes go to each method. Called again it goes on where it stopped, so that 500,000 iterations
can be reached in several portions. With `--task copy` the copy task is learned instead: that shows what the
networks can do. Needs the package and, for speed, JAX with GPU support.
"""

import argparse
import json
import sys
import time
from pathlib import Path

from nhc.baselines.config import BaselineConfig, validated
from nhc.baselines.run import LineProgress, run_in_directory

MODELS = ("dnc", "stack-rnn")


def settings(options: argparse.Namespace, model: str) -> BaselineConfig:
    """The paper's sizes; the copy task's sequences are as long as a Level 1 task has ticks, and longer."""
    return validated(
        {
            "model": model,
            "task": options.task,
            "runs": options.runs,
            "iterations": options.iterations,
            "feedback": options.feedback,
            "copy_task": {"length": 8, "order": "forward" if model == "dnc" else "reverse"},
        }
    )


def main() -> int:
    """Run both methods and print where each ended, one JSON line a method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--minutes", type=float, default=10.0, help="for all methods together")
    parser.add_argument("--out", type=Path, default=Path("runs/baselines"))
    parser.add_argument("--task", choices=("search", "copy"), default="search")
    parser.add_argument("--feedback", choices=("own", "teacher"), default="own")
    parser.add_argument("--runs", type=int, default=10)
    parser.add_argument("--iterations", type=int, default=500_000)
    parser.add_argument("--model", choices=MODELS, action="append", help="one method only")
    options = parser.parse_args()
    models = options.model or MODELS
    for model in models:
        print(f"{model}: {options.task}", file=sys.stderr, flush=True)
        progress = LineProgress(
            lambda line: print(line, file=sys.stderr, flush=True),
            every=10.0,
            minutes=options.minutes / len(models),
        )
        began = time.monotonic()
        summary = run_in_directory(
            settings(options, model), options.out / f"{options.task}-{model}", progress, resume=True
        )
        seconds = round(time.monotonic() - began, 1)
        print(json.dumps({**summary._asdict(), "seconds": seconds}), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

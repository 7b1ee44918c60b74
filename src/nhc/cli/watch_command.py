"""`nhc watch`: follow a training run that another terminal, or another person, has started."""

import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import tyro

from nhc.cli.parse import parse

if TYPE_CHECKING:  # This needs JAX, which --help does not.
    from nhc.training.watching import WatchedRun

REFRESH = 0.5
"""Seconds between two looks; a run writes every two seconds."""
SILENCE = 60.0
"""Seconds without news after which a person is told."""


@dataclass
class WatchOptions:
    """Follow a training run: level, learning iterations, fitness, restarts and ticks a second.

    Ends with the run, or with Ctrl-C, which leaves the run alone.

    Examples:
    nhc watch
    nhc watch runs/plan-seed0
    nhc watch runs/plan-seed0 --once
    """

    run: tyro.conf.Positional[Path | None] = None
    """Its directory; by default the run in runs/ that was begun last."""
    once: bool = False
    """Print where it stands and end."""


def run(arguments: list[str]) -> int:
    """Show the run until it ends. Exit 0, however it ended."""
    options = parse(WatchOptions, arguments, name="watch")
    from nhc.cli.train_command import latest_run
    from nhc.training.watching import WatchedRun

    path = latest_run() if options.run is None else options.run
    watched = WatchedRun(path)
    print(f"Learning to {watched.config.task}, seed {watched.config.seed}: {path}", flush=True)
    status = follow(watched, once=options.once)
    summary = watched.directory.read_meta().get("summary")
    if status == "finished" and isinstance(summary, dict):
        reached = f"level {summary.get('level')} was reached within the budget"
        status += ": all levels mastered" if summary.get("mastered") else f": {reached}"
        status += ", and the weights proved" if summary.get("certified") else ""
    print(status)
    return 0


def follow(watched: "WatchedRun", *, once: bool) -> str:
    """Show what is new until the run ends, or once; returns its status."""
    from nhc.runs.progress import progress_on

    now = 0.0  # The time of the run's own process, so that rates are those of the run.
    heard, warned = time.monotonic(), False
    progress = progress_on(sys.stdout, lambda: now)
    try:
        while True:
            status = watched.status  # first, so that a run's last lines are read when it has ended
            news = watched.news()
            for look in news:
                now = look.seconds
                (progress.update if look is news[-1] else progress.note)(look.standing)
            if once and not news:
                progress.say("No iteration is logged so far.")
            if once or status != "running":
                return status
            if news:
                heard, warned = time.monotonic(), False
            elif not warned and time.monotonic() - heard > SILENCE:
                progress.say(f"No news for {SILENCE:.0f} s. If its process has ended: nhc train --resume")
                warned = True
            time.sleep(REFRESH)
    finally:
        progress.close()

"""`nhc` in a process that is ended at a chosen moment: `python -m tests.training.doomed MOMENT train ...`.

Checkpoints are written every tenth step instead of by the clock, so that a moment is the same every time. The
process ends itself with SIGKILL, which nothing can catch; or sends itself SIGTERM, which is as Ctrl-C.
"""

import math
import os
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from nhc.cli.main import main
from nhc.evolve.state import TrainState
from nhc.runs import jsonlines, storage
from nhc.runs.keeper import Keeper
from nhc.training import keeping

STEPS_A_CHECKPOINT = 10


def end(sign: signal.Signals) -> None:
    """Send this process a signal."""
    os.kill(os.getpid(), sign)


def on_record(matches: Callable[[Mapping[str, object]], bool], sign: signal.Signals) -> None:
    """End when an iteration matches; before that, keep every tenth step."""
    note, steps = Keeper.note, 0

    def doomed_note(
        self: Keeper[TrainState], state: TrainState, records: list[Mapping[str, object]], timing: object
    ) -> None:
        nonlocal steps
        note(self, state, records, timing)
        if any(matches(record) for record in records):
            end(sign)
        steps += 1
        if steps % STEPS_A_CHECKPOINT == 0:
            self.keep()

    Keeper.note = doomed_note


def on_replace(number: int) -> None:
    """End when the temporary file of a checkpoint is complete, and has not got its name yet."""
    replace, seen = os.replace, 0

    def doomed_replace(source: Path, target: Path) -> None:
        nonlocal seen
        seen += Path(target).parent.name == "checkpoints"
        if seen == number:
            end(signal.SIGKILL)
        replace(source, target)

    storage.os.replace = doomed_replace


def on_append(number: int) -> None:
    """End when half of the lines of a log are written, the last of them torn."""
    write_all, seen = jsonlines._write_all, 0

    def doomed_write(descriptor: int, data: bytes) -> None:
        nonlocal seen
        seen += b'"fitness"' in data
        if seen == number:
            write_all(descriptor, data[: data.index(b"\n", len(data) // 2) - 3])
            end(signal.SIGKILL)
        write_all(descriptor, data)

    jsonlines._write_all = doomed_write


def never(record: Mapping[str, object]) -> bool:
    """No iteration is the moment."""
    return False


def while_learning(record: Mapping[str, object]) -> bool:
    """Some iterations after a restart."""
    return record["learned"] and record["restarts"] == 1 and record["iteration"] % 10 == 7


def choose(moment: str) -> None:
    """Arrange the end of this process."""
    on_record(while_learning if moment == "terminate" else never, signal.SIGTERM)
    if moment == "checkpoint":
        on_replace(6)
    if moment == "log":
        on_append(5)


if __name__ == "__main__":
    keeping.CHECKPOINT_SECONDS = math.inf
    choose(sys.argv.pop(1))
    main()

"""What the tests let worker processes do."""

import os
import signal
import sys
import time
from pathlib import Path

from nhc.runs.pool import outcomes


def square(number: int) -> tuple[int, int, int]:
    """The square, the process, and on how many cores it runs."""
    if number < 0:
        raise ValueError("negative")
    return number * number, os.getpid(), len(os.sched_getaffinity(0))


def once(folder: str) -> str:
    """Dies at the first attempt."""
    marks = len(list(Path(folder).glob("mark*")))
    (Path(folder) / f"mark{marks}").touch()
    if marks == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return f"attempt {marks + 1}"


def die(number: int) -> int:
    if number == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def until_interrupted(folder: str) -> None:
    """Works until it is told to stop, and keeps what it has."""
    place = Path(folder)
    try:
        (place / f"begun-{os.getpid()}").touch()
        time.sleep(60)
    except KeyboardInterrupt:
        (place / f"kept-{os.getpid()}").touch()
        raise


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    list(outcomes(until_interrupted, sys.argv[1:], 2))

"""The folder of a run that a killed worker may have left in any state."""

import shutil
from pathlib import Path

from nhc.runs.directory import RunDirectory


def begun(folder: Path) -> bool:
    """Was a run begun here that can go on? What a kill left before that is taken away."""
    run = RunDirectory(folder)
    if run.meta_file.is_file() and run.config_file.is_file():
        return True
    if folder.exists():
        shutil.rmtree(folder)
    return False

"""A log for TensorBoard beside those that every run keeps (extra `tensorboard`), with the same numbers."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nhc.errors import ConfigError
from nhc.evolve.state import Record
from nhc.runs.directory import EVENTS

Log = Callable[[list[Record]], None]
"""Is told of iterations in their order."""


def require_tensorboard() -> None:
    """Raises ConfigError (`train.log`) where the extra is not installed."""
    try:
        import tensorboardX  # noqa: F401
    except ImportError as error:
        message = f"expected tensorboardX, found: {error}; pip install 'nhc[tensorboard]'"
        raise ConfigError("train.log", message) from error


@contextmanager
def tensorboard_log(folder: Path, iteration: int) -> Iterator[Log]:
    """Write event files for what comes after `iteration`; what an earlier process wrote of it goes.

    Raises what `require_tensorboard` raises.
    """
    require_tensorboard()
    from tensorboardX import SummaryWriter

    def log(records: list[Record]) -> None:
        for record in records:
            for name, value in record._asdict().items():
                if name != "iteration":
                    writer.add_scalar(name, float(value), record.iteration)

    with SummaryWriter(
        str(folder), purge_step=iteration + 1, filename_suffix=f".{iteration}{EVENTS}"
    ) as writer:
        yield log

"""How far a run of a program has come."""

from enum import IntEnum


class ProgramStatus(IntEnum):
    """State of a run. The numbers 0..3 mean what they mean in `nhc.algorithms.tree.environment.Status`."""

    RUNNING = 0
    """The ticks allowed were not enough."""
    FINISHED = 1
    STOPPED_WITHOUT_GOAL = 2
    NOTHING_IN_MEMORY = 3
    """The first tick stores nothing. Never the end of a proved machine's program."""
    UNKNOWN_STATE = 4
    """The table has no entry for what the next tick meets: another program than a proved machine's."""

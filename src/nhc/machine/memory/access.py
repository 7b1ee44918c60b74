"""What a tick does with memory: the same three stages, by addresses or by weightings."""

from collections.abc import Callable
from typing import NamedTuple

from nhc.machine.config import MachineConfig
from nhc.machine.interface import Interface
from nhc.machine.memory.cells import DataWord, Memory, empty_memory
from nhc.machine.memory.heads import Reading, constrained_write, free_write, read
from nhc.machine.memory.soft import (
    SoftMemory,
    empty_soft_memory,
    soft_constrained_write,
    soft_free_write,
    soft_read,
)
from nhc.machine.memory.words import WordStore
from nhc.shapes import Address, Word

AnyMemory = Memory | SoftMemory


class Past(NamedTuple):
    """What the tick before read: where, NONE before the first, and which control word."""

    address: Address
    word: Word


class Accessed(NamedTuple):
    """The memory after a tick, the cell that each free head wrote, and what was read."""

    memory: AnyMemory
    written: tuple[Address, ...]
    reading: Reading


Access = Callable[[AnyMemory, Interface, Past, DataWord, MachineConfig], Accessed]


def hard_access(
    memory: AnyMemory, interface: Interface, past: Past, data: DataWord, config: MachineConfig
) -> Accessed:
    """Constrained write, free writes, read, each at one address."""
    assert isinstance(memory, Memory)
    memory = constrained_write(memory, interface.constrained, past.address, past.word, config)
    written: tuple[Address, ...] = ()
    for head in interface.writes:
        memory, cell = free_write(memory, head, past.address, data, config)
        written += (cell,)
    memory, reading = read(memory, interface.read, past.address, config)
    return Accessed(memory, written, reading)


def soft_access(
    memory: AnyMemory, interface: Interface, past: Past, data: DataWord, config: MachineConfig
) -> Accessed:
    """The same stages by weightings; the memory itself knows what the tick before read."""
    assert isinstance(memory, SoftMemory)
    del past
    memory = soft_constrained_write(memory, interface.constrained, config)
    written: tuple[Address, ...] = ()
    for head in interface.writes:
        memory, cell = soft_free_write(memory, head, data, config)
        written += (cell,)
    memory, reading = soft_read(memory, interface.read, config)
    return Accessed(memory, written, reading)


ACCESSES: dict[str, Access] = {"hard": hard_access, "soft": soft_access}

EMPTY: dict[str, Callable[[WordStore, DataWord], AnyMemory]] = {
    "hard": empty_memory,
    "soft": empty_soft_memory,
}
"""The memory before the first tick, as large as a store of words and for data words like the one given."""

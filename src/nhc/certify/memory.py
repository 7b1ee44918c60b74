"""A plain memory for following runs decision by decision: the cells' words, parents, and the read address."""

from dataclasses import dataclass, field

from nhc.certify.decisions import (
    BACKWARD,
    CONTENT,
    EVERY_MECHANISM,
    FORWARD,
    USAGE_BACKWARD,
    USAGE_FORWARD,
    Decisions,
)
from nhc.program.table import FIRST_STATE, ControlState, Phase
from nhc.shapes import NONE


@dataclass
class Follower:
    """One run, always writing both heads; cell c is written at tick c + 1.

    So cell c + 1 follows cell c, and the cell written last from the address read last is the newest.
    """

    decisions: Decisions
    words: list[int] = field(default_factory=list)
    parents: list[int] = field(default_factory=list)
    address: int = NONE
    state: ControlState = FIRST_STATE
    looked_up: bool = False
    """Did the last tick read by content?"""

    def copy(self) -> "Follower":
        """The same run, to be continued apart."""
        return Follower(self.decisions, self.words.copy(), self.parents.copy(), self.address, self.state)

    def tick(self, phase: Phase) -> tuple[int, int]:
        """One tick with the signals of `phase`; returns the address read and the operation."""
        state = ControlState(phase, self.state.word, self.state.op)
        constrained, fresh = self.decisions.written(state)
        if self.address != NONE:
            self.words[self.address] = constrained
        self.words.append(fresh)
        self.parents.append(self.address)
        address = self._read(state)
        op = self.decisions.op(state, self.words[address])
        self.address, self.state = address, ControlState(phase, self.words[address], op)
        return address, op

    def _read(self, state: ControlState) -> int:
        last, newest = self.address, len(self.words) - 1
        named = {USAGE_FORWARD: newest, FORWARD: last + 1, BACKWARD: last - 1}
        if last == NONE:
            named = {}
        else:
            named[USAGE_BACKWARD] = self.parents[last]
        present = frozenset({CONTENT} | {m for m, cell in named.items() if cell >= 0}) & EVERY_MECHANISM
        if not self.decisions.network.config.usage_link:
            present -= {USAGE_FORWARD, USAGE_BACKWARD}
        winner = self.decisions.winner(state, present)
        self.looked_up = winner == CONTENT
        if not self.looked_up:
            return named[winner]
        return self.words.index(self.decisions.best_word(state, self.words))

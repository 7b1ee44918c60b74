"""Runs the rules of a program on a plain memory; they are all that it needs.

Each tick gives the address that is read and the operation, as the network does.
"""

from dataclasses import dataclass, field

from nhc.algorithms.tree.algorithm import TREES
from nhc.algorithms.tree.nodes import path
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.errors import InputError
from nhc.program.compiled import CONTENT
from nhc.program.listing import START, Listing, Rule, Situation
from nhc.program.plain import PlainMemory
from nhc.program.table import Phase
from nhc.program.text import SECTIONS, situation_text
from nhc.shapes import NONE


@dataclass
class Machine:
    """A run of a listing."""

    rules: Listing
    memory: PlainMemory[str] = field(default_factory=PlainMemory)
    op: int = NONE
    ticks: int = 0
    """Ticks begun."""

    def copy(self) -> "Machine":
        """The same run, to be continued apart."""
        return Machine(self.rules, self.memory.copy(), self.op, self.ticks)

    def tick(self, phase: Phase) -> tuple[int, int]:
        """One tick with the signals of `phase`; returns the address read and the operation.

        Raises InputError (`program.stuck`) where no rule applies or no cell can be read.
        """
        self.ticks += 1
        memory = self.memory
        situation = START if memory.cursor == NONE else Situation(phase, memory.words[memory.cursor], self.op)
        rule = self.rules.rules.get(situation)
        if rule is None:
            raise self._stuck(f"no rule {situation_text(situation)} in {SECTIONS[phase]}")
        memory.write(rule.mark, rule.add)
        memory.cursor = self._read(rule)
        self.op = self._choose(rule, memory.words[memory.cursor])
        return memory.cursor, self.op

    def _read(self, rule: Rule) -> int:
        links = self.memory.links()
        for source in rule.sources:
            by_content = source.mechanism == CONTENT
            cell = self.memory.first(source.words) if by_content else links.get(source.mechanism, NONE)
            if cell != NONE:
                return cell
        raise self._stuck("nothing to read")

    def _choose(self, rule: Rule, word: str) -> int:
        for choice in rule.choices:
            if not choice.words or word in choice.words:
                return choice.op
        raise self._stuck(f"no operation for {word}")

    def _stuck(self, why: str) -> InputError:
        return InputError("program.stuck", f"tick {self.ticks}: {why}")


def require_algorithm(rules: Listing, goals: int) -> None:
    """Raises InputError (`program.run`) at the first tick that is not the task's on goals 1..`goals`.

    Expected are breadth-first search; then for Plan the way back, for Search a `nop` whatever is read.
    """
    machine = Machine(rules)
    for goal in range(1, goals + 1):
        _require(machine, Phase.SEARCH, goal, *divmod(goal - 1, BRANCHING))
        end = machine.copy()
        for node in path(goal) if TREES[rules.task].backtracks else [None]:
            _require(end, Phase.BACK, goal, node, NOP)


def _require(machine: Machine, phase: Phase, goal: int, address: int | None, op: int) -> None:
    try:
        found = machine.tick(phase)
    except InputError as error:
        raise InputError("program.run", f"goal {goal}: {error.message}") from error
    if found[1] != op or address not in (None, found[0]):
        place = "any cell" if address is None else f"cell {address}"
        message = f"expected a read of {place} and {OPS[op]}, found cell {found[0]} and {OPS[found[1]]}"
        raise InputError("program.run", f"goal {goal}, tick {machine.ticks}: {message}")

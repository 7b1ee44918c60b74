"""What it means to run a program, in plain Python: the twin of the compiled loop, tick for tick."""

from typing import NamedTuple

from nhc.domains.free_tree import LAST_NODE, LAST_PARENT
from nhc.program.compiled import BACKWARD, CONTENT, FORWARD, USAGE_BACKWARD, USAGE_FORWARD, compile_program
from nhc.program.engine import DEFAULT_PACE, ProgramRun, execute
from nhc.program.loop import MIX
from nhc.program.memory import Log, Pace, ProgramStatus
from nhc.program.table import FIRST_STATE, ControlState, Phase, Program, Row


class Trace(NamedTuple):
    """A run with every tick: cell, operation, code of the word read."""

    ticks: list[tuple[int, int, int]]
    end: ProgramRun
    met_at: int | None
    """The tick that saw the goal."""
    checksum: int


class Slow:
    """A run towards a goal node (-1: none) in memory without limits; lookups look at every cell."""

    def __init__(self, program: Program, goal: int) -> None:
        self.program, self.goal = program, goal
        self.words: list[int] = []
        self.parents: list[int] = []
        self.nodes = [0]
        self.cursor, self.state = -1, FIRST_STATE
        self.met_at: int | None = None
        self.status = ProgramStatus.RUNNING

    def tick(self) -> tuple[int, int, int] | None:
        """One tick, or None where the program has no entry."""
        fed, met_before = self.nodes[-1], self.met_at is not None
        if met_before and fed == 0:
            return None  # a third signal, which no row is about
        if not met_before and fed == self.goal:
            self.met_at = len(self.words) + 1
        phase = Phase.SEARCH if self.met_at is None else Phase.BACK
        row = self.program.rows.get(self.state._replace(phase=phase))
        if row is None:
            return None
        if self.cursor >= 0:
            self.words[self.cursor] = row.constrained
        self.words.append(row.fresh)
        self.parents.append(self.cursor)
        found = self.read(row)
        if found is None or self.words[found] not in row.ops:
            return None
        word, op = self.words[found], row.ops[self.words[found]]
        self.cursor, self.state = found, ControlState(phase, word, op)
        node = self.nodes[found]
        child = 4 * node + 1 + op if node <= LAST_PARENT else LAST_NODE
        self.nodes.append(node if op == 4 else child)
        if phase == Phase.SEARCH:
            self.status = ProgramStatus.STOPPED_WITHOUT_GOAL if op == 4 else ProgramStatus.RUNNING
        elif self.nodes[-1] == 0 if self.program.task == "plan" else op == 4:
            self.status = ProgramStatus.FINISHED
        return found, op, word

    def read(self, row: Row) -> int | None:
        """The address of the first mechanism that has one; at first there is only one cell."""
        if self.cursor < 0:
            return 0
        for mechanism in row.mechanisms:
            if mechanism == CONTENT:
                return next((self.words.index(w) for w in row.preference if w in self.words), None)
            links = {FORWARD: self.cursor + 1, BACKWARD: self.cursor - 1}
            links |= {USAGE_FORWARD: len(self.words) - 1, USAGE_BACKWARD: self.parents[self.cursor]}
            if links[mechanism] >= 0:
                return links[mechanism]
        return None


def slow_trace(program: Program, goal: int, max_ticks: int) -> Trace:
    """The run in plain Python."""
    run, ticks, nodes, checksum = Slow(program, goal), [], [], 0
    while run.status == ProgramStatus.RUNNING and len(ticks) < max_ticks:
        made = run.tick()
        if made is None:
            run.status = ProgramStatus.UNKNOWN_STATE
            break
        ticks.append(made)
        checksum = (checksum * MIX + 8 * made[0] + made[1]) % 2**64
        if run.met_at is not None:
            nodes.append(run.nodes[made[0]])
    return Trace(ticks, ProgramRun(run.status, len(ticks), nodes), run.met_at, checksum)


def compiled_trace(program: Program, goal: int, max_ticks: int, pace: Pace = DEFAULT_PACE) -> Trace:
    """The run by the compiled loop, every tick logged."""
    tables, logs = compile_program(program), list[Log]()
    run, memory = execute(
        tables,
        None if goal < 0 else goal,
        max_ticks=max_ticks,
        on_chunk=lambda _, log: logs.append(log),
        log_from=Phase.SEARCH,
        pace=pace,
    )
    ticks = [
        (address, op, int(tables.codes[word]))
        for log in logs
        for address, op, word in zip(*(column.tolist() for column in log), strict=True)
    ]
    met_at = run.met_at if run.met_at > 0 else None
    back = ticks[met_at - 1 :] if met_at else []
    nodes = [int(memory.data[address]) for address, *_ in back]
    end = ProgramRun(ProgramStatus(run.status), run.ticks, nodes)
    return Trace(ticks, end, met_at, run.checksum % 2**64)

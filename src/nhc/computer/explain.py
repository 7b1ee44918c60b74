"""In plain words what a machine learned: which attention does what, how many ticks, how many words."""

from collections import Counter

import numpy as np

from nhc.computer.trace import TaskTrace
from nhc.domains.protocol import BRANCHING, NOP, OPS
from nhc.machine.layout import MECHANISMS


def explain(trace: TaskTrace) -> str:
    """A few sentences on one run, counted from its ticks and nothing else."""
    searching = ~trace.met
    after = f"{trace.met.sum()} after the goal was met"
    lines = [f"It ran for {trace.ticks} ticks: {searching.sum()} to search, {after}."]
    if searching.any():
        lines += _search_lines(trace, searching)
    if trace.met.any():
        lines += _way_back_lines(trace)
    words = np.unique(trace.word > 0, axis=0)
    lines.append(f"It read {len(words)} different control words.")
    return "\n".join(lines)


def _search_lines(trace: TaskTrace, searching: np.ndarray) -> list[str]:
    ticks = np.flatnonzero(searching)
    cyclic = bool((trace.op[ticks] == ticks % BRANCHING).all())
    order = ", ".join(OPS[:NOP])
    lines = [f"Searching, it applies {order} to each node in turn." if cyclic else "Searching:"]
    for op in range(BRANCHING):
        chosen = trace.winner[ticks[trace.op[ticks] == op]]
        if len(chosen):
            lines.append(f"  before {OPS[op]:<6} it finds the node by {_shares(chosen)}")
    return lines


def _way_back_lines(trace: TaskTrace) -> list[str]:
    winner, op = trace.winner[trace.met], trace.op[trace.met]
    lines = [f"Once the goal is met, it reads it by {MECHANISMS[winner[0]]} and chooses {OPS[op[0]]}."]
    if len(winner) > 1:
        stops = "always nop" if (op == NOP).all() else "not always nop"
        lines.append(f"On the way back it finds each parent by {_shares(winner[1:])}, {stops}.")
    return lines


def _shares(mechanisms: np.ndarray) -> str:
    """`content (94 %), temporal forward (6 %)`, the most frequent first."""
    counts = Counter(MECHANISMS[number] for number in mechanisms).most_common()
    if len(counts) == 1:
        return counts[0][0]
    return ", ".join(f"{name} ({count / len(mechanisms):.0%})" for name, count in counts)

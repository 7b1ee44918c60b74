"""What is said about a run can be counted in the run."""

import re

import numpy as np
import pytest

from nhc.computer.explain import explain
from nhc.domains.protocol import OPS
from nhc.machine.layout import MECHANISMS
from tests.computer.machines import free_task, hand_made, traced, zoo


def lines_of(name: str, goal: int) -> list[str]:
    return explain(traced(zoo(name), free_task(goal))).split("\n")


def test_the_planner_is_explained() -> None:
    lines = lines_of("plan", 84)
    assert lines[0] == "It ran for 88 ticks: 84 to search, 4 after the goal was met."
    assert lines[1] == "Searching, it applies up, right, down, left to each node in turn."
    for op, line in zip(OPS[:4], lines[2:6], strict=True):
        assert re.match(rf"  before {op} +it finds the node by ", line)
        assert any(name in line for name in MECHANISMS)
    assert re.match(r"Once the goal is met, it reads it by [a-z ]+ and chooses nop\.$", lines[6])
    assert re.match(r"On the way back it finds each parent by .*, always nop\.$", lines[7])
    assert re.fullmatch(r"It read \d+ different control words\.", lines[8])
    assert len(lines) == 9


def test_a_searcher_has_no_way_back() -> None:
    lines = lines_of("search", 84)
    assert lines[0] == "It ran for 85 ticks: 84 to search, 1 after the goal was met."
    assert not any("way back" in line for line in lines)


def test_hand_made_breadth_first_search_is_explained_as_it_was_made() -> None:
    text = explain(traced(hand_made(), free_task(22)))
    assert text == "\n".join(
        [
            "It ran for 26 ticks: 22 to search, 4 after the goal was met.",
            "Searching, it applies up, right, down, left to each node in turn.",
            "  before up     it finds the node by temporal forward (83%), content (17%)",
            "  before right  it finds the node by content",
            "  before down   it finds the node by content",
            "  before left   it finds the node by content",
            "Once the goal is met, it reads it by usage forward and chooses nop.",
            "On the way back it finds each parent by usage backward, always nop.",
            "It read 3 different control words.",
        ]
    )


@pytest.mark.parametrize("fault", ["greedy", "stops at 2", "last op wins"])
def test_machines_that_fail_are_not_called_orderly(fault: str) -> None:
    trace = traced(hand_made("plan", fault), free_task(22))
    text = explain(trace)
    orderly = (trace.op[~trace.met] == np.flatnonzero(~trace.met) % 4).all()
    assert ("in turn" in text) == orderly
    assert ("always nop" in text) == bool(trace.met.sum() > 1)
    assert ("not always nop" in text) == (bool(trace.met.sum() > 1) and (trace.op[trace.met] != 4).any())


def test_the_table_has_a_line_a_tick() -> None:
    trace = traced(zoo("plan"), free_task(12))
    lines = trace.table().split("\n")
    assert len(lines) == 1 + trace.ticks
    for t, line in enumerate(lines[1:]):
        cells = line.split()
        assert [int(cell) for cell in cells[:3]] == [t + 1, trace.read[t], trace.written[t]]
        assert cells[3] == OPS[trace.op[t]]
        assert " ".join(cells[4:-1]) == MECHANISMS[trace.winner[t]]
        assert cells[-1] == "".join("+" if value > 0 else "-" for value in trace.word[t])

"""A cell that loses its last mark joins the runs on its sides; its word is then sure to be there."""

from nhc.certify import cells
from nhc.certify.path_check import memory as second

ONE, OTHER, END, ALONE = (cells.Label(word, "?", "") for word in (3, 5, 8, 13))
FIRST, NEWEST = frozenset({"first", "after"}), frozenset({"newest"})
RUN = cells.Run(frozenset({ONE}), frozenset({ONE, OTHER}), frozenset({(ONE, OTHER), (OTHER, OTHER)}))


def test_a_cell_between_two_runs_joins_them() -> None:
    bare = cells.Cell(ALONE, frozenset())
    items = (cells.Cell(END, FIRST), RUN, bare, RUN, cells.Cell(END, NEWEST))
    meeting = {(ONE, ALONE), (OTHER, ALONE), (ALONE, ONE)}
    joined = cells.Run(RUN.firsts, RUN.lasts, RUN.pairs | meeting)
    found = cells.settled(cells.Memory(items, frozenset({21})))
    assert found == cells.Memory((items[0], joined, items[4]), frozenset({13, 21}))
    run = second.Run(*RUN)
    again = (second.Cell(END, FIRST), run, second.Cell(ALONE), run, second.Cell(END, NEWEST))
    folded = second.folded(second.Memory(again, frozenset({21})))
    assert folded == second.Memory((again[0], second.Run(*joined), again[4]), found.sure)


def test_a_cell_beside_no_run_becomes_one() -> None:
    items = (cells.Cell(END, FIRST), cells.Cell(ALONE, frozenset()), cells.Cell(ONE, NEWEST))
    found = cells.settled(cells.Memory(items))
    assert found == cells.Memory((items[0], cells.run_of(ALONE), items[2]), frozenset({13}))
    folded = second.folded(second.Memory(tuple(second.Cell(*item) for item in items)))
    assert (folded.items[1], folded.sure) == (second.Run(*cells.run_of(ALONE)), {13})

"""Cells behind the mark `after` are only collected: which words must be there, and which may."""

from nhc.certify import cells, regions
from nhc.certify.path_check import memory as second
from nhc.certify.path_check import walks

SURE, PERHAPS, END, ALONE = (regions.Label(word, "?", "") for word in (3, 5, 8, 13))
PAIRS = frozenset({(SURE, PERHAPS), (PERHAPS, SURE), (SURE, SURE)})
FIRST, MARKED = frozenset({"first", "after"}), frozenset({"newest"})


def test_a_run_behind_the_mark_leaves_what_is_certain_and_what_is_possible() -> None:
    run = regions.Run(SURE, SURE, frozenset({SURE}), PAIRS)
    items = (cells.Cell(END, FIRST), run, cells.Cell(ALONE, frozenset()), cells.Cell(END, MARKED))
    found = cells.settled(cells.Memory(items, frozenset({21}), frozenset({21, 34})))
    assert found.items == (items[0], cells.REST, items[3])
    assert (found.sure, found.maybe) == ({3, 13, 21}, {3, 5, 13, 21, 34})
    again = (second.Cell(END, FIRST), walks.Run(*run), second.Cell(ALONE), second.Cell(END, MARKED))
    folded = second.folded(second.Memory(again, frozenset({21}), frozenset({21, 34})))
    assert folded.items == (again[0], "rest", again[3])
    assert (folded.sure, folded.maybe) == (found.sure, found.maybe)


def test_before_the_mark_a_run_stays_a_run() -> None:
    run = regions.Run(SURE, SURE, frozenset({SURE}), PAIRS)
    items = (
        cells.Cell(END, frozenset({"first"})),
        run,
        cells.Cell(ALONE, frozenset()),
        cells.Cell(END, FIRST),
    )
    found = cells.settled(cells.Memory(items, frozenset(), frozenset()))
    joined = regions.Run(SURE, ALONE, frozenset({SURE, ALONE}), PAIRS | {(SURE, ALONE)})
    assert found == cells.Memory((items[0], joined, items[3]), frozenset(), frozenset())
    again = (second.Cell(*items[0]), walks.Run(*run), second.Cell(ALONE), second.Cell(*items[3]))
    folded = second.folded(second.Memory(again))
    assert folded.items == (again[0], walks.Run(*joined), again[3])
    assert not folded.sure | folded.maybe

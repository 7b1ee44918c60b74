"""All colours of pictures, as plain text; tests/runs/test_colours.py computes that they can be told apart.

The strong ones were searched near those of Okabe and Ito and of Tol: each keeps its distance from white and,
for whoever sees two kinds of colour too, from all others. Where there is another way, nothing is told by a
colour alone.
"""

COLOURS = ("#007bbd", "#d55e00", "#175e37", "#80065d", "#c975a4", "#660b00")
"""Of levels, groups, operations and phases."""
GREY, INK, FAINT = "#737373", "#1b1b1b", "#9aa0a6"
"""Of notes, of text and lines, and of grids."""

WALL, FLOOR, AGENT, BOX = "#4a5058", "#f5f2ea", "#9cc9ea", "#f3cf7a"
"""Cells of a board."""
NOTHING = "#f1f3f4"
"""Where a board has no cell."""

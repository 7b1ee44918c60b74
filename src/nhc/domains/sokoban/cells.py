"""What a cell of a level file can hold, and the XSB sign of each.

XSB is the text format of nearly all public Sokoban collections.
"""


class Cell:
    """Contents of one cell as bits of an integer; GOAL combines with FLOOR, BOX and AGENT.

    Plain integers, because files of thousands of levels are read cell by cell.
    """

    FLOOR = 0
    WALL = 1
    BOX = 2
    AGENT = 4
    GOAL = 8


BOX_ON_GOAL = Cell.BOX | Cell.GOAL
AGENT_ON_GOAL = Cell.AGENT | Cell.GOAL

XSB_SIGNS = {
    "#": Cell.WALL,
    "@": Cell.AGENT,
    "+": AGENT_ON_GOAL,
    "$": Cell.BOX,
    "*": BOX_ON_GOAL,
    ".": Cell.GOAL,
    " ": Cell.FLOOR,
}

SIGN_OF = {cell: sign for sign, cell in XSB_SIGNS.items()}
"""The XSB sign of a cell; we write no other."""

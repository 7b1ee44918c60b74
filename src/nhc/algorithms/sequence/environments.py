"""The environments of the algorithms on sequences: which ticks may come, and which cell each has to read.

The lines are explained in `nhc.algorithms.abstraction`. The cell with the mark `after` is the first that is
written when the input has ended; it and all that follow hold words that are no input.
"""

from nhc.algorithms.abstraction import Abstraction

COPY = Abstraction(
    "order",
    """
    input 0 nop         -> input
    input 1 emit cursor -> along : first exists, last = newest, new after, cursor = first
    along 1 emit cursor -> along : cursor not at last, cursor + 1
    along 1 stop        -> end   : cursor at last
    """,
)
REVERSE = Abstraction(
    "order",
    """
    input 0 nop         -> input
    input 1 emit cursor -> back : first exists, new after, cursor = newest
    back  1 emit cursor -> back : cursor not at first, cursor - 1
    back  1 stop        -> end  : cursor at first
    """,
)
DUPLICATE = Abstraction(
    "order",
    """
    input 0 nop         -> input
    input 1 emit cursor -> again : first exists, last = newest, new after, cursor = first
    again 1 emit cursor -> along
    along 1 emit cursor -> again : cursor not at last, cursor + 1
    along 1 stop        -> end   : cursor at last
    """,
)
EVERY_SECOND = Abstraction(
    "order",
    """
    input 0 nop         -> input
    input 1 emit cursor -> odd  : first exists, last = newest, new after, cursor = first
    odd   1 nop cursor  -> even : cursor not at last, cursor + 1
    even  1 emit cursor -> odd  : cursor not at last, cursor + 1
    odd   1 stop        -> end  : cursor at last
    even  1 stop        -> end  : cursor at last
    """,
)
ODDS_FIRST = Abstraction(
    "order",
    """
    input 0 nop         -> input
    input 1 emit cursor -> odd  : first exists, last = newest, new after, cursor = first
    odd   1 nop cursor  -> even : cursor not at last, cursor + 1
    even  1 emit cursor -> odd  : cursor not at last, cursor + 1
    odd   1 nop         -> turn : cursor at last
    even  1 nop         -> turn : cursor at last
    turn  1 nop cursor  -> pass : cursor = first
    pass  1 emit cursor -> keep : cursor not at last, cursor + 1
    keep  1 nop cursor  -> pass : cursor not at last, cursor + 1
    pass  1 stop        -> end  : cursor at last
    keep  1 stop        -> end  : cursor at last
    """,
)
REPEAT = Abstraction(
    "order",
    """
    input 00 nop         -> input
    input 10 emit cursor -> along : first exists, last = newest, new after, cursor = first
    along 10 emit cursor -> along : cursor not at last, cursor + 1
    along 10 dec         -> round : cursor at last
    round 10 emit cursor -> along : cursor = first
    round 11 stop        -> end
    """,
    ("The signal `zero` tells that the rounds are used up; there is at least one.",),
)
HANOI = Abstraction(
    "order",
    """
    input 0 nop         -> input : new is zero
    input 1 emit cursor -> begin : first exists, last = newest, new after, cursor = first, cursor becomes one
    begin 1 emit cursor -> begin : cursor = first, cursor is zero, cursor becomes one
    begin 1 nop cursor  -> carry : cursor = first, cursor is one, cursor becomes zero
    carry 1 emit cursor -> begin : cursor not at last, cursor + 1, cursor is zero, cursor becomes one
    carry 1 nop cursor  -> carry : cursor not at last, cursor + 1, cursor is one, cursor becomes zero
    carry 1 stop        -> end   : cursor at last
    """,
)
BRACKETS = Abstraction(
    "stack",
    """
    start 0000 nop new   -> token
    token 1000 nop new   -> token
    token 0101 nop below -> token : top not at first
    token 0100 reject    -> end
    token 0010 accept    -> end   : top at first
    token 0010 reject    -> end   : top not at first
    """,
    ("`match` compares the token that comes with the word on top of the stack.",),
)
POSTFIX = Abstraction(
    "stack",
    """
    start  000 next new    -> token
    token  100 next new    -> token
    token  010 apply below -> under  : top not at first, below not at first
    under  000 hold below  -> result
    result 000 next new    -> token
    token  001 stop        -> end    : top not at first, below at first
    """,
    ("An expression is well-formed: an operator comes when two values are on the stack, the end with one.",),
)
PREORDER = Abstraction(
    "stack",
    """
    start 0 left new    -> down : new is left
    down  0 left new    -> down : new is left
    down  1 up new      -> up   : new is nil
    up    0 right below -> down : below is left, below becomes right
    up    0 up below    -> up   : below is right, below not at first
    up    0 stop below  -> end  : below is right, below at first
    """,
    ("`nil` tells that there is no child where the last operation went.",),
)
ADD_EQUAL = Abstraction(
    "order",
    """
    a     000 nop    -> a
    a     100 nop    -> b     : first exists, new plus
    b     000 nop    -> b
    b     010 load a -> add0  : newest not at plus, last = newest, new after, a = first
    load0 010 load a -> add0  : b not at last, a + 1, a not at plus
    load1 011 load a -> add1  : b not at last, a + 1, a not at plus
    add0  010 add0 b -> load0 : b missing, b = plus, b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add0  010 add0 b -> load0 : b missing, b = plus, b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    add0  010 add0 b -> load0 : b exists, b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add0  010 add0 b -> load0 : b exists, b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    add0  010 add0 b -> load1 : b missing, b = plus, b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add0  010 add0 b -> load1 : b missing, b = plus, b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    add0  010 add0 b -> load1 : b exists, b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add0  010 add0 b -> load1 : b exists, b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    add1  011 add1 b -> load0 : b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add1  011 add1 b -> load0 : b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    add1  011 add1 b -> load1 : b + 1, a2 = a, a2 + 1, a2 at plus, b at last
    add1  011 add1 b -> load1 : b + 1, a2 = a, a2 + 1, a2 not at plus, b not at last
    load0 010 stop   -> end   : b at last
    load1 011 one    -> over  : b at last
    over  010 stop   -> end
    """,
    ("Both numbers have the same length.",),
)
ADD = Abstraction(
    "order",
    """
    a     000 nop       -> a
    a     100 nop       -> b     : first exists, new plus
    b     000 nop       -> b
    b     010 load a    -> add0  : newest not at plus, last = newest, new after, a = first
    load0 010 load a    -> add0  : a not at plus, a + 1, a not at plus
    load0 010 load a    -> add0  : a not at plus, a + 1, a at plus, b not at last
    load0 010 load a    -> add0  : a at plus, b not at last
    load0 010 load plus -> over0 : a not at plus, a + 1, a at plus, b at last
    load0 010 load plus -> over0 : a at plus, b at last
    load1 011 load a    -> add1  : a not at plus, a + 1, a not at plus
    load1 011 load a    -> add1  : a not at plus, a + 1, a at plus, b not at last
    load1 011 load a    -> add1  : a at plus, b not at last
    load1 011 load plus -> over1 : a not at plus, a + 1, a at plus, b at last
    load1 011 load plus -> over1 : a at plus, b at last
    add0  010 add0 b    -> load0 : b missing, b = plus, b + 1
    add0  010 add0 b    -> load1 : b missing, b = plus, b + 1
    add0  010 add0 b    -> load0 : b exists, b not at last, b + 1
    add0  010 add0 b    -> load1 : b exists, b not at last, b + 1
    add0  010 add0 rest -> load0 : b at last
    add0  010 add0 rest -> load1 : b at last
    add1  011 add1 b    -> load0 : b not at last, b + 1
    add1  011 add1 b    -> load1 : b not at last, b + 1
    add1  011 add1 rest -> load0 : b at last
    add1  011 add1 rest -> load1 : b at last
    over0 010 stop      -> end
    over1 011 one       -> sum
    sum   010 stop      -> end
    """,
    ("Cells from `after` on hold the word that ends the numbers.",),
)
SORT = Abstraction(
    "order",
    """
    start 00 nop      -> input
    input 00 nop      -> input : new is open
    input 10 nop rest -> down  : newest not at first, last = newest, new after
    round 10 nop rest -> down  : drop cursor
    """,
)

def tree(searching: str, met: str, *, backtracks: bool) -> str:
    ops=('up','right','down','left')
    return ''
PLAN = Abstraction("order", """
start 10 up new       -> right : new cursor
up    10 up cursor    -> right : cursor + 1
right 10 right cursor -> down
down  10 down cursor  -> left
left  10 left cursor  -> up
up    01 nop new      -> goal : parent = read, new cursor
right 01 nop new      -> goal : parent = read, new cursor
down  01 nop new      -> goal : parent = read, new cursor
left  01 nop new      -> goal : parent = read, new cursor
goal  01 nop cursor   -> back : cursor = parent, cursor not at first
goal  01 nop cursor   -> end  : cursor = parent, cursor at first
back  01 nop cursor   -> back : cursor = parent cursor, cursor not at first
back  01 nop cursor   -> end  : cursor = parent cursor, cursor at first
""")

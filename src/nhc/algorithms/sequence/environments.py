"""The environments of the algorithms on sequences: which ticks may come, and which cell each has to read.

`nhc.algorithms.abstraction` explains the lines. The cell with the mark `after` is the first that is written
when the input has ended; it and all that follow hold words that are no input.
"""

from nhc.algorithms.abstraction import Abstraction

ENVIRONMENTS = {
    "copy": Abstraction(
        "order",
        """
        input 0 nop         -> input
        input 1 emit cursor -> along : first exists, last = newest, new after, cursor = first
        along 1 emit cursor -> along : cursor not at last, cursor + 1
        along 1 stop        -> end   : cursor at last
        """,
    ),
    "reverse": Abstraction(
        "order",
        """
        input 0 nop         -> input
        input 1 emit cursor -> back  : first exists, new after, cursor = newest
        back  1 emit cursor -> back  : cursor not at first, cursor - 1
        back  1 stop        -> end   : cursor at first
        """,
    ),
    "duplicate": Abstraction(
        "order",
        """
        input 0 nop         -> input
        input 1 emit cursor -> again : first exists, last = newest, new after, cursor = first
        again 1 emit cursor -> along
        along 1 emit cursor -> again : cursor not at last, cursor + 1
        along 1 stop        -> end   : cursor at last
        """,
    ),
    "repeat": Abstraction(
        "order",
        """
        start 00 nop         -> input
        input 00 nop         -> input
        input 10 emit cursor -> along : last = newest, new after, cursor = first
        along 10 emit cursor -> along : cursor not at last, cursor + 1
        along 10 dec         -> round : cursor at last
        round 10 emit cursor -> along : cursor = first
        round 11 stop        -> end
        start 01 nop         -> none
        none  01 nop         -> none
        none  11 stop        -> end
        """,
        ("The counter is at 0 after so many passes as were asked for.",),
    ),
    "every-second": Abstraction(
        "order",
        """
        input 0 nop         -> input
        input 1 emit cursor -> odd   : first exists, last = newest, new after, cursor = first
        odd   1 nop cursor  -> even  : cursor not at last, cursor + 1
        even  1 emit cursor -> odd   : cursor not at last, cursor + 1
        odd   1 stop        -> end   : cursor at last
        even  1 stop        -> end   : cursor at last
        """,
    ),
    "odds-first": Abstraction(
        "order",
        """
        input 0 nop         -> input
        input 1 emit cursor -> odd   : first exists, last = newest, new after, cursor = first
        odd   1 nop cursor  -> even  : cursor not at last, cursor + 1
        even  1 emit cursor -> odd   : cursor not at last, cursor + 1
        odd   1 nop         -> turn  : cursor at last
        even  1 nop         -> turn  : cursor at last
        turn  1 nop cursor  -> skip  : cursor = first
        skip  1 emit cursor -> keep  : cursor not at last, cursor + 1
        keep  1 nop cursor  -> skip  : cursor not at last, cursor + 1
        skip  1 stop        -> end   : cursor at last
        keep  1 stop        -> end   : cursor at last
        """,
    ),
    "brackets": Abstraction(
        "stack",
        """
        start 0000 nop new   -> token
        token 1000 nop new   -> token
        token 0101 nop below -> token : top not at first
        token 0100 reject    -> end
        token 0010 accept    -> end   : top at first
        token 0010 reject    -> end   : top not at first
        """,
        ("`match` compares the bracket that comes with the word read last; no bracket matches the bottom.",),
    ),
    "postfix": Abstraction(
        "stack",
        """
        start  000 next new    -> token
        token  100 next new    -> token
        token  010 apply below -> under  : top not at first, below not at first
        under  000 hold below  -> result
        result 000 next new    -> token
        token  001 stop        -> end    : top not at first, below at first
        """,
        ("An expression is well-formed: an operator finds two numbers on the stack, its end one.",),
    ),
    "preorder": Abstraction(
        "stack",
        """
        start 0 left new    -> down : new is left
        down  0 left new    -> down : new is left
        down  1 up new      -> up
        up    0 right below -> down : below is left, below becomes right
        up    0 up below    -> up   : below is right, below not at first
        up    0 stop below  -> end  : below is right, below at first
        """,
        ("`at nil` shows at the tick after going to a child that does not exist, and at no other.",),
    ),
    "add": Abstraction(
        "order",
        """
        first  000 nop              -> first
        first  100 nop              -> second : first exists, new plus
        second 000 nop              -> second
        second 010 load a           -> add0   : newest not at plus, last = newest, new after, a = first
        load0  010 load a           -> add0   : a not at plus, a + 1
        load0  010 load a           -> add0   : a at plus
        load1  011 load a           -> add1   : a not at plus, a + 1
        load1  011 load a           -> add1   : a at plus
        add0   010 add b            -> load0|load1 : b missing, b = plus, b + 1
        add0   010 add b            -> load0|load1 : b exists, b not at last, b + 1, a not at plus
        add0   010 add b            -> load0       : b exists, b not at last, b + 1, a at plus
        add0   010 add rest         -> load0       : b at last, a not at plus
        add0   010 add rest         -> end         : b at last, a at plus
        add1   011 add-and-one b    -> load0|load1 : b not at last, b + 1
        add1   011 add-and-one rest -> load0|load1 : b at last, a not at plus
        add1   011 add-and-one rest -> end         : b at last, a at plus
        """,
        (
            "Each number has a digit; cells from `after` on hold the word that ends the numbers.",
            "Without a carry, a digit alone gives none.",
        ),
    ),
    "hanoi": Abstraction(
        "order",
        """
        input 0 nop    -> input : new is zero
        input 1 emit c -> begin : first exists, last = newest, new after, c = first, c becomes one
        begin 1 emit c -> begin : c = first, c is zero, c becomes one
        begin 1 nop c  -> carry : c = first, c is one, c becomes zero
        carry 1 emit c -> begin : c not at last, c + 1, c is zero, c becomes one
        carry 1 nop c  -> carry : c not at last, c + 1, c is one, c becomes zero
        carry 1 stop   -> end   : c at last
        """,
    ),
    "intersect": Abstraction(
        "order",
        """
        start 000 nop        -> input
        input 000 nop        -> input
        input 100 nop first  -> ask   : newest not at first, last = newest, new after
        input 101 nop first  -> none  : newest not at first, last = newest, new after
        none  101 stop       -> end
        ask   100 nop cursor -> next  : cursor = first, cursor + 1
        next  100 nop cursor -> next  : cursor not at last, cursor + 1
        next  110 emit first -> query
        next  100 nop rest   -> fail  : cursor at last
        fail  100 skip first -> query
        query 100 nop cursor -> next  : cursor = first, cursor + 1
        query 101 stop       -> end
        """,
        ("There is a symbol. No query equals the first word or those from `after` on.",),
    ),
    "recall": Abstraction(
        "order",
        """
        start   000 nop         -> key
        key     000 nop         -> value
        value   000 nop         -> key
        key     100 nop first   -> query : newest not at first, last = newest, new after
        key     101 stop        -> end   : newest not at first
        query   100 nop cursor  -> ask   : cursor = first, cursor + 1
        ask     100 nop cursor  -> next  : cursor not at last, cursor + 1
        ask     110 emit cursor -> found : cursor not at last, cursor + 1
        next    1*0 nop cursor  -> ask   : cursor not at last, cursor + 1
        next    1*0 fail rest   -> fail  : cursor at last
        found   1*0 nop first   -> query
        fail    100 nop first   -> query
        found   101 stop        -> end
        fail    101 stop        -> end
        """,
        ("Words come in pairs, at least one. No query equals the first word or those from `after` on.",),
    ),
    "sort": Abstraction(
        "order",
        """
        start  00 nop      -> input
        input  00 nop      -> input  : new is open
        input  10 nop rest -> begin  : newest not at first, last = newest, new after
        begin  10 min c    -> down1  : c = last, c becomes least, low = c
        round  10 nop rest -> above  : c = after
        down   10 nop c    -> pick   : c - 1, c at first
        down   10 nop c    -> down   : c - 1, c is done
        down   10 min c    -> down1  : c - 1, c not at first, c is not done, c becomes least, low = c
        down   10 min c    -> down   : low exists, c - 1, c not at first, c is not done, c becomes open
        down1  11 nop c    -> pick   : c - 1, c at first
        down1  11 nop c    -> down   : c - 1, c is done
        down1  11 min c    -> down1  : c - 1, c not at first, c is not done, c becomes least, low = c
        down1  11 min c    -> down   : low exists, c - 1, c not at first, c is not done, c becomes open
        above  10 nop c    -> down   : c - 1, c at output
        above  10 nop c    -> above  : c - 1, c is done, c not at output
        above  10 min c    -> above1 : c - 1, c is least, low = c
        above  10 min c    -> above  : low exists, c - 1, c is open
        above1 11 nop c    -> down   : c - 1, c at output
        above1 11 nop c    -> above  : c - 1, c is done, c not at output
        above1 11 min c    -> above1 : c - 1, c is least, low = c
        above1 11 min c    -> above  : low exists, c - 1, c is open
        pick   10 emit c   -> round  : low exists, c = low, c becomes done, output = c, drop low
        pick   10 stop     -> end    : low missing
        """,
        (
            "The first word of a pass that is not done is less than none before it: a new least one.",
            "Above the word that was output last, a word is a new least one if it was in the pass before.",
        ),
    ),
    "counts": Abstraction(
        "order",
        """
        start 0000 nop new    -> a
        a     1000 nop first  -> a
        a     0100 nop cursor -> b   : newest not at first, last_a = newest, cursor = first, cursor + 1
        a     0100 too-many   -> end : newest at first
        a     0010 too-few    -> end : newest not at first
        a     0010 too-many   -> end : newest at first
        a     0001 accept     -> end : newest at first
        a     0001 too-few    -> end : newest not at first
        b     0100 nop cursor -> b   : cursor not at last_a, cursor + 1
        b     0100 too-many   -> end : cursor at last_a
        b     0010 nop cursor -> c   : cursor at last_a, last_b = newest, cursor + 1
        b     0010 too-few    -> end : cursor not at last_a
        b     1000 too-many   -> end
        b     0001 too-few    -> end
        c     0010 nop cursor -> c   : cursor not at last_b, cursor + 1
        c     0010 too-many   -> end : cursor at last_b
        c     0001 accept     -> end : cursor at last_b
        c     0001 too-few    -> end : cursor not at last_b
        c     1000 too-many   -> end
        c     0100 too-many   -> end
        """,
    ),
}

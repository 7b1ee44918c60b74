"""The lists of a certificate, each item checked for its form."""

from reprlib import repr as short

from nhc.certify.checker import Rejected
from nhc.certify.path_check import memory, stack


class Decoder:
    """The lists of a certificate. Raises Rejected for anything that is not as it should be."""

    def __init__(self, labels: object) -> None:
        self.labels = [self.label(item) for item in listed(labels)]

    def label(self, item: object) -> memory.Label:
        """What is known of a cell."""
        match item:
            case [int(word), str(parent), str(ghost)] if type(word) is int:
                return word, parent, ghost
        raise Rejected(f"certificate: expected a label, found {short(item)}")

    def numbered(self, number: object) -> memory.Label:
        """The label with a number."""
        if type(number) is int and 0 <= number < len(self.labels):
            return self.labels[number]
        raise Rejected(f"certificate: expected the number of a label, found {short(number)}")

    def item(self, item: object) -> memory.Item:
        """A cell or a run."""
        match item:
            case {"cell": cell, "marks": marks, **more} if not more:
                return memory.Cell(self.numbered(cell), frozenset(map(text, listed(marks))))
            case {"firsts": firsts, "lasts": lasts, "pairs": pairs, **more} if not more:
                both = [listed(pair) for pair in listed(pairs)]
                if not all(len(pair) == 2 for pair in both):
                    raise Rejected("certificate: a pair has two labels")
                neighbours = frozenset((self.numbered(a), self.numbered(b)) for a, b in both)
                begin, end = (frozenset(map(self.numbered, listed(ends))) for ends in (firsts, lasts))
                return memory.Run(begin, end, neighbours)
        raise Rejected(f"certificate: expected cells, found {short(item)}")

    def order_state(self, item: object) -> memory.State:
        """A state of memory in the order of addresses."""
        match item:
            case {"state": str(state), "op": op, "memory": cells, "sure": sure, **more} if not more:
                items = tuple(map(self.item, listed(cells)))
                return memory.State(state, whole(op), memory.Memory(items, words(sure)))
        raise Rejected(f"certificate: expected a state, found {short(item)}")


def listed(value: object) -> list[object]:
    """A list."""
    if not isinstance(value, list):
        raise Rejected(f"certificate: expected a list, found {short(value)}")
    return value


def text(value: object) -> str:
    """A text."""
    if not isinstance(value, str):
        raise Rejected(f"certificate: expected a text, found {short(value)}")
    return value


def whole(value: object) -> int:
    """A whole number."""
    if type(value) is not int:
        raise Rejected(f"certificate: expected a whole number, found {short(value)}")
    return value


def words(value: object) -> frozenset[int]:
    """Words by their codes."""
    return frozenset(map(whole, listed(value)))


def frame(value: object) -> stack.Frame:
    """A cell of a stack."""
    match value:
        case [int(), str(ghost), bool(is_first), bool(adjoins), int(), int()]:
            return stack.Frame(whole(value[0]), ghost, is_first, adjoins, whole(value[4]), whole(value[5]))
    raise Rejected(f"certificate: expected a cell of a stack, found {short(value)}")


def stack_state(item: object) -> stack.State:
    """A state of a stack."""
    names = ["state", "op", "top", "below", "newest", "sure", "maybe"]
    if not isinstance(item, dict) or [*item] != names:
        raise Rejected(f"certificate: expected a state with {', '.join(names)}, found {short(item)}")
    state, op, top, below, newest, sure, maybe = item.values()
    upper, lower = (None if one is None else frame(one) for one in (top, below))
    return stack.State(text(state), whole(op), upper, lower, whole(newest), words(sure), words(maybe))

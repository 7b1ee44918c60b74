"""Programs as text that a student can read.

The text is complete: it says all that the interpreter needs. What follows `#` is for people.
"""

import re
from textwrap import wrap

from nhc.domains.protocol import OPS
from nhc.program.compiled import BACKWARD, FORWARD, USAGE_BACKWARD, USAGE_FORWARD
from nhc.program.listing import START, Choice, Listing, Rule, Situation, Source, listing
from nhc.program.names import word_names
from nhc.program.table import Phase, Program, word_signs

CELL_WORDS = {FORWARD: "next", BACKWARD: "previous", USAGE_FORWARD: "child", USAGE_BACKWARD: "parent"}
"""How the text names the cells to which links lead from the cursor."""

SECTIONS = {Phase.SEARCH: "search", Phase.BACK: "back"}

NOTES = """\
# Memory is a row of cells, each with data and a word; the cursor is the cell that was read last.
#   on W after OP  applies if the cursor has the word W and the last operation was OP. Then a tick:
#   mark W         puts the word W on the cursor,
#   add W          adds a cell at the end, with the newest data and the word W,
#   read           moves the cursor, namely
#     first W        to the first cell with the word W,
#     next           to the cell that was added after the cursor, previous: before it,
#     child          to the cell that this tick adds,
#     parent         to where the cursor was when the cell here was added,
#   do OP          applies an operation to the cursor's data; the result is the newest data."""

ABOUT = {
    "search": "Breadth-first search.",
    "plan": "Breadth-first search, then the way back from the goal to the start.",
}
SECTION_NOTES = {
    ("search", Phase.SEARCH): "the goal was not met",
    ("search", Phase.BACK): "the goal is met; nop ends the run",
    ("plan", Phase.SEARCH): "the goal was not met",
    ("plan", Phase.BACK): "the goal was met; reading the start ends the run",
}
WIDTH = 100
INDENT = "    "
DO_WIDTH = 8
"""`do right`; what depends on the word read is longer and stands in lines of its own."""


def program_text(program: Program) -> str:
    """A program as text, with every word apart and its bits in the last lines."""
    return listing_text(listing(program)) + "\n" + bits_note(program)


def listing_text(rules: Listing) -> str:
    """A listing as text, with notes; ends with a line feed."""
    lines = [f"program {rules.task}", f"# {ABOUT.get(rules.task, '')}", NOTES, "", "start"]
    table = _Columns(rules)
    lines += table.lines([START], rules.rules[START])
    for phase in Phase:
        found = [s for s in rules.rules if s.phase is phase and s != START]
        if found:
            note = SECTION_NOTES.get((rules.task, phase), "")
            lines += ["", f"{SECTIONS[phase]}{INDENT}# {note}"]
            for situations in grouped(rules, found):
                lines += table.lines(situations, rules.rules[situations[0]])
    return "\n".join(lines) + "\n"


def grouped(rules: Listing, situations: list[Situation]) -> list[list[Situation]]:
    """Situations with one rule together, in the order of their first."""
    groups: dict[Rule, list[Situation]] = {}
    for situation in situations:
        groups.setdefault(rules.rules[situation], []).append(situation)
    return list(groups.values())


def bits_note(program: Program) -> str:
    """A comment with the values of every word, first to last, as runs show them."""
    names = word_names(program)
    wide = max(map(len, names.values()))
    entries = [f"{name:<{wide}} {word_signs(code, program.word_size)}" for code, name in names.items()]
    count = max(1, (WIDTH - 1) // (len(entries[0]) + 3))
    rows = [entries[first : first + count] for first in range(0, len(entries), count)]
    return "\n".join("#  " + "   ".join(row) for row in rows) + "\n"


def situation_text(situation: Situation) -> str:
    """`on FRESH after up`; `start` for the first tick."""
    return "start" if situation == START else f"on {situation.word} after {OPS[situation.op]}"


def rule_text(rule: Rule) -> str:
    """The actions of a rule in one line."""
    mark = f"mark {rule.mark}  " if rule.mark else ""
    return f"{mark}add {rule.add}  {read_text(rule.sources)}  {do_text(rule.choices)}"


def read_text(sources: tuple[Source, ...]) -> str:
    """`read first FRESH, else next`."""
    return "read " + ", else ".join(source_text(source) for source in sources)


def read_lines(sources: tuple[Source, ...], width: int) -> list[str]:
    """`read_text` in lines of at most `width` signs, where it can be broken."""
    first, *others = re.split(r" (?=or |else )", read_text(sources))
    lines = [first]
    for piece in others:
        if len(lines[-1]) + 1 + len(piece) <= width:
            lines[-1] += f" {piece}"
        else:
            lines.append(f"     {piece}")
    return lines


def source_text(source: Source) -> str:
    """`first FRESH or DONE`, `next` and so on."""
    return CELL_WORDS.get(source.mechanism) or "first " + " or ".join(source.words)


def do_text(choices: tuple[Choice, ...]) -> str:
    """`do up`, or `do up if FRESH or DONE, nop if GOAL`."""
    return "do " + ", ".join(
        OPS[choice.op] + (f" if {' or '.join(choice.words)}" if choice.words else "") for choice in choices
    )


class _Columns:
    """The widths of a listing's columns, so that its rules stand under each other."""

    def __init__(self, rules: Listing) -> None:
        listed = rules.rules.values()
        self.word = max(len(situation.word) for situation in rules.rules)
        self.mark, self.add = (max(len(rule[column]) for rule in listed) for column in range(2))
        room = WIDTH - len(self._head("", "", "")) - DO_WIDTH - 2
        self.read = max(DO_WIDTH, min(room, max(len(read_text(rule.sources)) for rule in listed)))

    def lines(self, situations: list[Situation], rule: Rule) -> list[str]:
        """A rule: several situations one below the other, and so the parts of a long read."""
        *earlier, last = situations
        lines = [f"{self._on(s, first=number == 0)}," for number, s in enumerate(earlier)]
        on = "" if last == START else self._on(last, first=not earlier)
        head = self._head(on, rule.mark, rule.add)
        *reads, read = read_lines(rule.sources, self.read)
        for part in reads:
            lines.append(head + part)
            head = " " * len(head)
        do = do_text(rule.choices)
        if len(do) <= DO_WIDTH:
            return [*lines, f"{head}{read:<{self.read}}  {do}"]
        return [*lines, head + read, *(" " * len(head) + part for part in wrap(do, self.read))]

    def _on(self, situation: Situation, *, first: bool) -> str:
        return f"{INDENT}{'on' if first else '  '} {situation.word:<{self.word}} after {OPS[situation.op]}"

    def _head(self, on: str, mark: str, add: str) -> str:
        if not on and add:
            return f"{INDENT}add {add}  "
        marked = f"mark {mark:<{self.mark}}"
        return f"{on:<{len(INDENT) + self.word + 15}}  {marked}  add {add:<{self.add}}  "

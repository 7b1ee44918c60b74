"""The text of a PDDL file: nested lists of words, each with its place.

Accepted without a word: UTF-8 with or without byte order mark, all line ends, `;` comments in any script,
capitals anywhere. Names consist of ASCII signs, since other scripts have capitals that do not come back.
"""

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import NamedTuple, TypeAlias, TypeVar

from nhc.errors import InputError, Note, Place

TOKEN = re.compile(r"[()]|;[^\r\n]*|[^\s();]+", re.ASCII)
LINE_END = re.compile(r"\r\n|\r|\n")
WORD = re.compile(r"[!-~]+")


class Word(NamedTuple):
    """A name, variable, keyword or number, in small letters."""

    text: str
    at: int
    """Where it begins, in characters of the text."""


class Group(NamedTuple):
    """What stands between two brackets."""

    items: list["Node"]
    at: int
    """Where its opening bracket stands."""


Node: TypeAlias = Word | Group
NodeT = TypeVar("NodeT", Word, Group)


class Source:
    """One text, its words and places, and what was remarked on the way."""

    def __init__(self, data: str | bytes, file: str | None = None) -> None:
        """Raises InputError (`pddl.encoding`) for UTF-16."""
        self.file = file
        self.notes: list[Note] = []
        self.declared: set[str] = set()
        """Requirements that the text names, and what they imply."""
        self.used: dict[str, int] = {}
        """Requirements that it has turned out to need, and where it first did."""
        self.text = self._decoded(data) if isinstance(data, bytes) else data.removeprefix("\ufeff")

    def _decoded(self, data: bytes) -> str:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            place = Place(self.file, 1, 1)
            raise InputError("pddl.encoding", "expected UTF-8, found the mark of UTF-16", place)
        data = data.removeprefix(b"\xef\xbb\xbf")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = LINE_END.split(data[: error.start].decode("utf-8"))
            place = Place(self.file, len(before), len(before[-1]) + 1)
            self.notes.append(Note("pddl.encoding", "not UTF-8, read as Latin-1", place))
            return data.decode("latin-1")

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(match.end() for match in LINE_END.finditer(self.text))]

    def place(self, at: int) -> Place:
        """Line and column of a character."""
        line = bisect_right(self._line_starts, at)
        return Place(self.file, line, at - self._line_starts[line - 1] + 1)

    def groups(self, code: str = "pddl.form") -> list[Group]:
        """The outermost brackets.

        Raises InputError: `pddl.character`, `pddl.bracket`, `pddl.truncated`, and `code` for words outside.
        """
        outermost: list[Node] = []
        opened: list[Group] = []
        closed = 0
        for token in TOKEN.finditer(self.text):
            word, at = token[0], token.start()
            inner = opened[-1].items if opened else outermost
            if word == "(":
                opened.append(Group([], at))
                inner.append(opened[-1])
            elif word == ")":
                if not opened:
                    before = self.place(closed)
                    message = f"this `)` closes nothing; all was closed at {before.line}:{before.column}"
                    raise InputError("pddl.bracket", message, self.place(at))
                opened.pop()
                closed = closed if opened or closed else at
            elif word[0] != ";":
                self._check(word, at)
                inner.append(Word(word.lower(), at))
        if opened:
            first = self.place(opened[-1].at)
            message = f"the text ends within the bracket opened at {first.line}:{first.column}"
            raise InputError("pddl.truncated", message, self.place(len(self.text)))
        return [self.group(node, "`(`", code) for node in outermost]

    def _check(self, word: str, at: int) -> None:
        if not WORD.fullmatch(word):
            column = next(i for i, sign in enumerate(word) if not "!" <= sign <= "~")
            message = f"expected ASCII signs outside comments, found U+{ord(word[column]):04X}"
            raise InputError("pddl.character", message, self.place(at + column))

    def group(self, node: Node, expected: str, code: str = "pddl.form") -> Group:
        """The node if it is a bracket; else raises InputError (`code`)."""
        if isinstance(node, Word):
            raise InputError(code, f"expected {expected}, found `{node.text}`", self.place(node.at))
        return node

    def word(self, node: Node, expected: str, code: str = "pddl.form") -> Word:
        """The node if it is a word; else raises InputError (`code`)."""
        if isinstance(node, Group):
            raise InputError(code, f"expected {expected}, found a bracket", self.place(node.at))
        return node

    def name(self, node: Node, expected: str) -> Word:
        """The node if it can name something; else raises InputError: `pddl.form`, `pddl.name`."""
        word = self.word(node, expected)
        if word.text[0] in "?:" or word.text in RESERVED:
            raise InputError("pddl.name", f"expected {expected}, found `{word.text}`", self.place(word.at))
        return word

    def head(self, group: Group, expected: str) -> Word:
        """The first word of a bracket; raises InputError (`pddl.form`) if there is none."""
        if not group.items:
            raise InputError("pddl.form", f"expected {expected}, found `()`", self.place(group.at))
        return self.word(group.items[0], expected)

    def variable(self, node: Node) -> Word:
        """The node if it is a variable; else raises InputError: `pddl.form`, `pddl.name`."""
        word = self.word(node, "a variable")
        if not word.text.startswith("?") or len(word.text) == 1:
            message = f"expected a variable, which begins with `?`, found `{word.text}`"
            raise InputError("pddl.name", message, self.place(word.at))
        return word

    def typed(
        self, items: Sequence[Node], named: Callable[[Node], NodeT], default: str = "object"
    ) -> list[tuple[NodeT, Word]]:
        """A list `a b - t c`: what is named, each with the word of its type.

        `named` checks one item. Items at the end without a type have the `default` and its place is theirs.
        Raises InputError: `pddl.either`, `pddl.form`, `pddl.name`, and what `named` raises.
        """
        found: list[tuple[NodeT, Word]] = []
        waiting: list[NodeT] = []
        at = 0
        while at < len(items):
            item = items[at]
            if not (isinstance(item, Word) and item.text == "-"):
                waiting.append(named(item))
                at += 1
                continue
            if at + 1 == len(items) or not waiting:
                what = "a name before" if not waiting else "a type after"
                raise InputError("pddl.form", f"expected {what} this `-`", self.place(item.at))
            kind = items[at + 1]
            if isinstance(kind, Group) and kind.items and self.head(kind, "a type").text == "either":
                raise InputError("pddl.either", "`either` types are not supported", self.place(kind.at))
            word = self.name(kind, "the name of a type")
            found += [(node, word) for node in waiting]
            waiting = []
            at += 2
        return found + [(node, Word(default, node.at)) for node in waiting]

    def no_twins(self, words: Sequence[Word], what: str) -> None:
        """Raises InputError (`pddl.duplicate`) if a name comes twice, in whatever letters."""
        seen: dict[str, Word] = {}
        for word in words:
            first = seen.setdefault(word.text, word)
            if first is not word:
                pair = [self.text[twin.at : twin.at + len(twin.text)] for twin in (first, word)]
                line = self.place(first.at).line
                message = f"the {what} `{pair[1]}` is already there, on line {line}"
                message += f" as `{pair[0]}`: capitals make no difference" if pair[0] != pair[1] else ""
                raise InputError("pddl.duplicate", message, self.place(word.at))


RESERVED = {"-", "=", "and", "or", "not", "imply", "forall", "exists", "when", "either", "preference"}
"""Words that cannot name anything."""

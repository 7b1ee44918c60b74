"""The text form: what it looks like, and that nothing is lost."""

import re

import numpy as np
import pytest

from nhc.program.listing import START, Choice, Listing, Rule, Situation, Source, exact_listing, listing
from nhc.program.minimize import minimized
from nhc.program.names import word_names
from nhc.program.table import Phase
from nhc.program.text import WIDTH, listing_text, program_text, read_lines, read_text
from tests.program.learned import NAMES, looking_up, other_last_reads, proved, run_table
from tests.program.reader import parse_text

SCREEN = 60

TEXTBOOK = """\
program plan
start
    add FRESH  read first FRESH        do up
search
    on FRESH       after up     mark EXPANDING-1  add FRESH  read first EXPANDING-1  do right
    on EXPANDING-1 after right  mark EXPANDING-2  add FRESH  read first EXPANDING-2  do down
    on EXPANDING-2 after down   mark EXPANDING-3  add FRESH  read first EXPANDING-3  do left
    on EXPANDING-3 after left   mark DONE         add FRESH  read next               do up
back
    on FRESH       after up,
       EXPANDING-1 after right,
       EXPANDING-2 after down,
       EXPANDING-3 after left   mark FOUND-AT     add GOAL   read child              do nop
    on GOAL        after nop,
       FOUND-AT    after nop,
       DONE        after nop    mark PATH         add SPARE  read parent             do nop
"""


def bare(text: str) -> str:
    """The text without notes and empty lines."""
    lines = (line.partition("#")[0].rstrip() for line in text.splitlines())
    return "\n".join(line for line in lines if line) + "\n"


def test_the_textbook_program() -> None:
    assert bare(listing_text(minimized(proved("hand")))) == TEXTBOOK


def test_the_machine_made_by_hand_word_for_word() -> None:
    """One word CURRENT, here named after the first of its roles, does for three."""
    text = program_text(proved("hand"))
    rule = "mark EXPANDING-1  add FRESH  read first EXPANDING-1  do "
    for line in (f"FRESH       after up     {rule}right", f"EXPANDING-1 after right  {rule}down"):
        assert f"    on {line}\n" in text
    bits = "#  FRESH       --------   EXPANDING-1 ++++++++   DONE        ++++----\n"
    assert text.endswith(bits)


@pytest.mark.parametrize("name", NAMES)
def test_a_program_fits_on_a_screen(name: str) -> None:
    for text in (program_text(proved(name)), listing_text(minimized(proved(name)))):
        lines = text.splitlines()
        assert len(lines) <= SCREEN
        assert max(map(len, lines)) <= WIDTH == 100
        assert text.endswith("\n") and not any(line != line.rstrip() for line in lines)
        assert text.isascii()


@pytest.mark.parametrize("name", NAMES)
def test_notes_and_line_breaks_are_for_people_only(name: str) -> None:
    rules = listing(proved(name))
    text = program_text(proved(name))
    assert parse_text(text) == rules
    assert parse_text(bare(text)) == rules
    assert parse_text(" ".join(bare(text).split())) == rules
    assert parse_text("\n".join(bare(text).replace(",", " , ").split())) == rules
    assert parse_text(text.replace("\n", "\r\n")) == rules


@pytest.mark.parametrize("name", NAMES)
def test_the_bits_of_every_word_are_told(name: str) -> None:
    text, size = program_text(proved(name)), proved(name).word_size
    told = {word: bits for word, bits in re.findall(rf"([A-Z][\w-]*) +([+-]{{{size}}})(?: |$)", text, re.M)}
    names = word_names(proved(name))
    assert told.keys() == set(names.values())
    for code, word in names.items():
        assert [sign == "+" for sign in told[word]] == [bool(code >> bit & 1) for bit in range(size)]


@pytest.mark.parametrize("name", NAMES)
def test_a_listing_says_what_the_table_does_on_a_run(name: str) -> None:
    """Tick by tick: the rule's words are those that the run writes, its operation the one chosen."""
    names, rules = word_names(proved(name)), listing(proved(name)).rules
    words: list[int] = []
    cursor, op = -1, -1
    phases = [Phase.SEARCH] * 30 + [Phase.BACK] * 9
    for phase, tick in zip(phases, run_table(proved(name), 30), strict=False):
        rule = rules[START if cursor < 0 else Situation(phase, names[words[cursor]], op)]
        row = next(
            r
            for s, r in proved(name).rows.items()
            if s[1:] == ((words[cursor] if cursor >= 0 else -1), op) and s.phase is phase
        )
        assert (rule.mark or names[row.constrained], rule.add) == (names[row.constrained], names[row.fresh])
        assert [choice.op for choice in rule.choices] == [tick.op]
        assert rule.sources[0].mechanism == tick.mechanism
        if cursor >= 0:
            words[cursor] = row.constrained
        words.append(row.fresh)
        cursor, op = tick.address, tick.op


def test_operations_that_depend_on_the_word_read() -> None:
    hand = proved("hand")
    exact = exact_listing(hand).rules
    assert all(choice.words for rule in exact.values() for choice in rule.choices)
    assert all(not choice.words for rule in listing(hand).rules.values() for choice in rule.choices)
    state = next(iter(hand.rows))
    mixed = type(hand)(
        hand.task, 8, {**hand.rows, state: hand.rows[state]._replace(ops={0: 0, 15: 4, 255: 0})}
    )
    rule = listing(mixed).rules[START]
    assert rule.choices == (Choice(0, ("FRESH", "EXPANDING-1")), Choice(4, ("DONE",)))
    assert "do up if FRESH or EXPANDING-1, nop if DONE" in " ".join(program_text(mixed).split())
    assert parse_text(program_text(mixed)) == listing(mixed)


def test_long_reads_go_on_below() -> None:
    """Search programs with many alternatives at their last tick still fit the width."""
    rng = np.random.default_rng(4)
    broken = 0
    for _ in range(30):
        rules = minimized(other_last_reads(rng))
        text = listing_text(rules)
        assert max(map(len, text.splitlines())) <= WIDTH
        assert parse_text(text) == rules
        broken += bool(re.search(r"^ +else ", text, re.M))
    assert broken > 3


def test_a_read_is_broken_where_it_must_be() -> None:
    sources = (Source(2), Source(0, ("A", "BB")), Source(0, ("CCC",)))
    assert read_text(sources) == "read previous, else first A or BB, else first CCC"
    assert read_lines(sources, 100) == [read_text(sources)]
    assert read_lines(sources, 27) == ["read previous, else first A", "     or BB, else first CCC"]
    assert read_lines(sources, 1) == [
        "read previous,",
        "     else first A",
        "     or BB,",
        "     else first CCC",
    ]


def test_columns_stand_under_each_other() -> None:
    text = bare(listing_text(minimized(looking_up())))
    rules = [line for line in text.splitlines() if " do " in line][1:]
    assert len(rules) == 6
    for word in ("after", "mark", "add", "read", "do"):
        assert len({line.index(f" {word} ") for line in rules}) == 1


NAMES_OF_WORDS = ("A", "B", "FRESH", "FRESH-12", "EXPANDING-1b", "X--", "Zz9")


def random_words(rng: np.random.Generator) -> tuple[str, ...]:
    return tuple(str(word) for word in rng.choice(NAMES_OF_WORDS, size=rng.integers(1, 4)))


def random_rule(rng: np.random.Generator) -> Rule:
    mark, add = (str(word) for word in rng.choice(NAMES_OF_WORDS, size=2))
    mechanisms = [int(m) for m in rng.integers(5, size=rng.integers(1, 5))]
    sources = tuple(Source(m) if m else Source(0, random_words(rng)) for m in mechanisms)
    ops = [int(op) for op in rng.integers(5, size=rng.integers(1, 4))]
    choices = tuple(Choice(op, random_words(rng) if rng.random() < 0.6 else ()) for op in ops)
    return Rule(mark, add, sources, choices)


def random_listing(rng: np.random.Generator) -> Listing:
    rules = {START: random_rule(rng)._replace(mark="")}
    for _ in range(int(rng.integers(9))):
        word, phase, op = str(rng.choice(NAMES_OF_WORDS)), Phase(int(rng.integers(2))), int(rng.integers(5))
        rules[Situation(phase, word, op)] = random_rule(rng)
    return Listing(str(rng.choice(["plan", "search"])), rules)


def test_any_listing_comes_back_from_its_text() -> None:
    rng = np.random.default_rng(8)
    for _ in range(80):
        rules = random_listing(rng)
        assert parse_text(listing_text(rules)) == rules

"""Rules of a machine on an algorithm, as runs on small inputs show them; words that do the same are made one.

Unlike a proof they say nothing about control states that no run met. The runs are in plain Python, and so the
slow twin of the compiled loop.

Two words do the same if in the same cases they lead to the same: the same mechanism wins, the same
operations are chosen, words are written and found that do the same. The coarsest such partition is found by
refinement (Moore 1956). A lookup that found a word found the best that was there, so words that it prefers
to that one were nowhere; it may be called by their name too, but not by that of a word that it likes less.
So on the runs that were observed the merged rules do what the machine does, tick by tick.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from nhc.algorithms.tape import DONE, TapeAlgorithm
from nhc.program.compiled import CONTENT
from nhc.program.control import Control, Decided, Shown
from nhc.program.listing import Choice, Rule, Source
from nhc.program.names import letters
from nhc.program.plain import PlainMemory
from nhc.shapes import NONE

Classes: TypeAlias = dict[int, int]
"""Word -> the number of its class."""
TICKS_A_TASK = 3
"""Ticks for each that the teacher needs: a machine that goes astray is not followed for long."""


class PlainTick(NamedTuple):
    """What one tick did."""

    shown: Shown
    mechanism: int
    address: int
    word: int
    """Code of the word read."""
    op: int


@dataclass
class Seen:
    """What happened in one control state."""

    decided: Decided
    found: dict[int, set[int]] = field(default_factory=dict)
    """Mechanism that won, strongest first -> words that it found."""
    ops: dict[int, int] = field(default_factory=dict)
    """Word read -> operation."""


class Case(NamedTuple):
    """When a rule applies; the word is empty, and the operation `NONE`, before the first tick."""

    signals: int
    word: str
    op: int


class Rules(NamedTuple):
    """Rules in reading order, and the words that each name stands for."""

    task: str
    rules: dict[Case, Rule]
    words: dict[str, tuple[int, ...]]


class Difference(NamedTuple):
    """Where two programs part, and the rule of each; None where it has none."""

    case: Case
    first: Rule | None
    second: Rule | None


def plain_run(
    control: Control, algorithm: TapeAlgorithm[object], instance: object, max_ticks: int
) -> list[PlainTick]:
    """A run on a plain memory, until the data side ends or `max_ticks` have passed."""
    tape, registers = algorithm.load(instance)
    memory, stored, ticks, op = PlainMemory[int](), list[int](), list[PlainTick](), NONE
    while not registers[DONE] and len(ticks) < max_ticks:
        signals, data = algorithm.functions.observe(tape, registers)
        word = NONE if memory.cursor == NONE else memory.words[memory.cursor]
        shown = Shown(int(signals), word, op)
        decided = control.decided(shown)
        memory.write(decided.constrained, decided.fresh)
        if not memory.words:
            break
        stored += [int(data)] * (len(memory.words) - len(stored))
        cells = memory.links()
        best = max(set(memory.words), key=lambda code: decided.scores[code])
        cells[CONTENT] = memory.first([best])
        mechanism = next(m for m in decided.mechanisms if m in cells)
        memory.cursor = cells[mechanism]
        read = memory.words[memory.cursor]
        op = int(decided.ops[read])
        algorithm.functions.act(op, stored[memory.cursor], tape, registers)
        ticks.append(PlainTick(shown, mechanism, memory.cursor, read, op))
    return ticks


def observed(control: Control, algorithm: TapeAlgorithm[object]) -> dict[Shown, Seen]:
    """All control states of runs on the algorithm's examples."""
    states: dict[Shown, Seen] = {}
    for instance in algorithm.examples():
        limit = TICKS_A_TASK * len(algorithm.teacher(instance))
        for tick in plain_run(control, algorithm, instance, limit):
            seen = states.setdefault(tick.shown, Seen(control.states[tick.shown]))
            seen.found.setdefault(tick.mechanism, set()).add(tick.word)
            seen.ops[tick.word] = tick.op
    return states


def rules_of(task: str, states: Mapping[Shown, Seen], *, minimize: bool) -> Rules:
    """The rules for the states that were met; every word apart unless `minimize`."""
    words = sorted({word for seen in states.values() for word in written(seen.decided)})
    classes = {word: number for number, word in enumerate(words)}
    if minimize:
        classes = _merged(states, dict.fromkeys(words, 0))
    names = _named(states, classes)
    rules: dict[Case, Rule] = {}
    for shown in sorted(states, key=lambda s: (s.word != NONE, s.signals, names.get(s.word, ""), s.op)):
        case = Case(shown.signals, names.get(shown.word, ""), shown.op)
        rule = _rule(shown, states[shown], names)
        rules[case] = rule if case not in rules else _joined(rules[case], rule)
    together = {name: tuple(word for word in words if names[word] == name) for name in names.values()}
    return Rules(task, rules, {name: together[name] for name in sorted(together, key=_place)})


def written(decided: Decided) -> list[int]:
    """The words of the constrained head and, unless its gate is closed, of the free head."""
    return [word for word in decided[:2] if word != NONE]


def first_difference(a: Rules, b: Rules) -> Difference | None:
    """The first case in which two minimal programs do not do the same; None if there is none."""
    for case in [*a.rules, *b.rules]:
        first, second = a.rules.get(case), b.rules.get(case)
        if first != second:
            return Difference(case, first, second)
    return None


def _merged(states: Mapping[Shown, Seen], classes: Classes) -> Classes:
    """The partition, refined until words of a class do the same and no lookup would find another."""
    while True:
        looks: dict[int, list[object]] = {word: [] for word in classes}
        for shown, seen in states.items():
            if shown.word != NONE:
                looks[shown.word].append((shown.signals, shown.op, _through(seen, classes)))
        refined = _numbered(
            {word: (classes[word], tuple(sorted(map(repr, looks[word])))) for word in classes}
        )
        if len({*refined.values()}) > len({*classes.values()}):
            classes = refined
            continue
        worse = _worse(states, classes)
        if not worse:
            return classes
        classes = _numbered({word: (classes[word], word in worse) for word in classes})


def _through(seen: Seen, classes: Classes) -> object:
    """A rule as far as classes tell."""
    decided = seen.decided
    found = [
        (m, sorted({classes[word] for word in seen.found[m]})) for m in decided.mechanisms if m in seen.found
    ]
    ops = sorted({(classes[word], op) for word, op in seen.ops.items()})
    return classes[decided.constrained], classes.get(decided.fresh), found, ops


def _worse(states: Mapping[Shown, Seen], classes: Classes) -> set[int]:
    """Words that a lookup likes less than one of their class that it found; empty if there are none."""
    for seen in states.values():
        scores = seen.decided.scores
        for word in seen.found.get(CONTENT, ()):
            worse = {w for w in classes if classes[w] == classes[word] and scores[w] < scores[word]}
            if worse:
                return worse
    return set()


def _numbered(keys: Mapping[int, tuple[object, ...]]) -> Classes:
    numbers = {key: number for number, key in enumerate(sorted({*keys.values()}, key=repr))}
    return {word: numbers[key] for word, key in keys.items()}


def _named(states: Mapping[Shown, Seen], classes: Classes) -> dict[int, str]:
    """Names A, B, ... in the order in which a walk from the start meets the classes, whatever their bits."""
    order = sorted(states, key=lambda s: (s.signals, s.op))
    met: list[int] = []
    for shown in [s for s in order if s.word == NONE]:
        met += [classes[word] for word in written(states[shown].decided)[1:]]
    met = [*dict.fromkeys(met)]
    for one in met:
        for shown in [s for s in order if s.word != NONE and classes[s.word] == one]:
            for word in written(states[shown].decided):
                if classes[word] not in met:
                    met.append(classes[word])
    met += sorted({*classes.values()} - {*met})
    return {word: letters(met.index(classes[word])).upper() for word in classes}


def _rule(shown: Shown, seen: Seen, names: Mapping[int, str]) -> Rule:
    decided = seen.decided
    sources: list[Source] = []
    for mechanism in decided.mechanisms:
        best_first = sorted(seen.found.get(mechanism, ()), key=lambda word: -decided.scores[word])
        if mechanism == CONTENT:
            sources += [
                Source(CONTENT, (name,)) for name in dict.fromkeys(names[word] for word in best_first)
            ]
        elif best_first:
            sources.append(Source(mechanism))
    choices = _choices({(op, names[word]) for word, op in seen.ops.items()})
    mark = "" if shown.word == NONE else names[decided.constrained]
    return Rule(mark, names.get(decided.fresh, ""), tuple(sources), choices)


def _joined(one: Rule, other: Rule) -> Rule:
    """The rule of a case that several words share; they differ at most in what was found how."""
    pairs = {(choice.op, word) for rule in (one, other) for choice in rule.choices for word in choice.words}
    return one._replace(sources=tuple(dict.fromkeys((*one.sources, *other.sources))), choices=_choices(pairs))


def _choices(pairs: set[tuple[int, str]]) -> tuple[Choice, ...]:
    ops = sorted({op for op, _ in pairs})
    return tuple(Choice(op, tuple(sorted((w for o, w in pairs if o == op), key=_place))) for op in ops)


def _place(name: str) -> tuple[int, str]:
    """A, B, ..., Z, BA, BB, ..."""
    return len(name), name

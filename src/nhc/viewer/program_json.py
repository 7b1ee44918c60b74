"""The learned program as lines, each with the states of control in which it is executed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from nhc.algorithms.tape import TapeAlgorithm
from nhc.algorithms.tree.algorithm import TREES
from nhc.certify.prove import Proof, prove
from nhc.certify.reachable import extract_program
from nhc.machine.config import GATED, options_unlike
from nhc.model import Model
from nhc.program.listing import START, Choice, Rule, listing
from nhc.program.names import word_names
from nhc.program.rules_text import RulesText
from nhc.program.table import SIGNALS, Phase
from nhc.program.text import SECTION_NOTES, grouped, read_text
from nhc.shapes import NONE
from nhc.viewer.learned import observed_rules

PROVED = "The program that was proved to be what this machine does, on every task."
NOT_PROVED = "This machine is not proved, so it has no program. Its words have no names."
OBSERVED = "What the machine does in every case that small inputs meet. Words that do the same share a name."


class Line(NamedTuple):
    """One rule, in words."""

    keys: list[str]
    """States of control: `signals|code of the word read last|operation chosen last`."""
    when: str
    mark: str
    add: str
    read: str
    do: str


class Section(NamedTuple):
    """Rules that belong together."""

    title: str
    lines: list[Line]


@dataclass(frozen=True)
class Program:
    """Rules in reading order, and the name of every word."""

    about: str
    sections: list[Section] = field(default_factory=list)
    names: Mapping[int, str] = field(default_factory=dict)


def program_lines(model: Model) -> Program:
    """The proved program of search and plan, what runs on small inputs met of the others."""
    if model.algorithm.name in TREES:
        return _tree_program(model)
    found: object = model.algorithm
    if not isinstance(found, TapeAlgorithm) or options_unlike(model.config, GATED):
        return Program(NOT_PROVED)
    return _tape_program(model, found)


def _tree_program(model: Model) -> Program:
    verdict = prove(model)
    if not isinstance(verdict, Proof):
        return Program(NOT_PROVED)
    program = extract_program(model, verdict)
    rules, names, ops = listing(program), word_names(program), model.algorithm.ops
    codes = {name: code for code, name in names.items()}

    def line(situations: Sequence[tuple[Phase, str, int]], rule: Rule) -> Line:
        keys = [
            state_key(SIGNALS[phase][: model.config.signals], codes.get(word, NONE), op)
            for phase, word, op in situations
        ]
        cases = [f"{word} after {ops[op]}" for _, word, op in situations if op != NONE]
        return _line(keys, "on " + ", or ".join(cases) if cases else "at the start", rule, ops)

    sections = [Section("start", [line([START], rules.rules[START])])]
    for phase, title in ((Phase.SEARCH, "search"), (Phase.BACK, "back")):
        found = [case for case in rules.rules if case.phase is phase and case != START]
        note = SECTION_NOTES.get((rules.task, phase), "")
        lines = [line(cases, rules.rules[cases[0]]) for cases in grouped(rules, found)]
        sections += [Section(f"{title}: {note}", lines)] if found else []
    return Program(PROVED, sections, names)


def _tape_program(model: Model, algorithm: TapeAlgorithm[object]) -> Program:
    rules = observed_rules(model, minimize=True)
    text = RulesText(algorithm, rules, model.config.word_size)
    sections: dict[int, list[Line]] = {}
    for case, rule in rules.rules.items():
        shown = [case.signals >> bit & 1 for bit in range(model.config.signals)]
        keys = [state_key(shown, code, case.op) for code in rules.words.get(case.word, (NONE,))]
        sections.setdefault(case.signals, []).append(_line(keys, text.case(case), rule, algorithm.ops))
    names = {code: name for name, codes in rules.words.items() for code in codes}
    return Program(OBSERVED, [Section(text.shown(bits), lines) for bits, lines in sections.items()], names)


def state_key(signals: Sequence[float], word: int, op: int) -> str:
    """As the page names a state."""
    return f"{' '.join(str(int(value)) for value in signals)}|{word}|{op}"


def _line(keys: list[str], when: str, rule: Rule, ops: Sequence[str]) -> Line:
    return Line(keys, when, rule.mark, rule.add, read_text(rule.sources), _do(rule.choices, ops))


def _do(choices: Sequence[Choice], ops: Sequence[str]) -> str:
    if len(choices) == 1:
        return ops[choices[0].op]
    return ", ".join(f"{ops[one.op]} if {' or '.join(one.words)}" for one in choices)

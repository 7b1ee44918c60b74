"""The learned program: as a text, in a notebook with its state diagram, and as lines of rules for viewers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

from nhc.algorithms.tape import TapeAlgorithm
from nhc.algorithms.tree.algorithm import TREES
from nhc.certify.prove import Proof, Refutation, extract_program, prove
from nhc.computer.sequences import tape_algorithm
from nhc.errors import ConfigError
from nhc.machine.config import GATED, options_unlike
from nhc.model import Model
from nhc.program.control import Control
from nhc.program.diagram import Diagram, diagram
from nhc.program.diagram_figure import svg_text
from nhc.program.listing import START, Choice, Rule, listing
from nhc.program.minimize import minimized
from nhc.program.names import word_names
from nhc.program.rules import Rules, observed, rules_of
from nhc.program.rules_text import RulesText
from nhc.program.table import SIGNALS, Phase
from nhc.program.text import SECTION_NOTES, grouped, listing_text, program_text, read_text
from nhc.shapes import NONE

PROVED = "The program that was proved to be what this machine does, on every task."
NOT_PROVED = "This machine is not proved, so it has no program. Its words have no names."
OBSERVED = "What the machine does in every case that small inputs meet. Words that do the same share a name."


@dataclass(frozen=True)
class LearnedProgram:
    """What a machine learned, as rules; a notebook shows the state diagram of search and plan, too."""

    text: str
    """What `nhc program` prints."""
    diagram: Diagram | None = None
    """The state diagram, of search and plan."""
    title: str = ""

    def __str__(self) -> str:
        return self.text

    __repr__ = __str__

    def _repr_html_(self) -> str:
        picture = "" if self.diagram is None else svg_text(self.diagram, self.title)
        return f"{picture}<pre>{escape(self.text)}</pre>"


def program_of(model: Model, *, minimize: bool = True) -> LearnedProgram:
    """The program that a machine learned: of search and plan the proved one, of others what runs met.

    With `minimize` words that do the same are one. Raises ConfigError: `program.unproved` for a machine
    for search or plan that is not proved, `algorithm.family` for an algorithm of one's own, and
    `program.options` for a machine that is no finite table.
    """
    if model.algorithm.name not in TREES:
        rules = observed_rules(model, minimize=minimize)
        return LearnedProgram(RulesText(model.algorithm, rules, model.config.word_size).text())
    verdict = prove(model)
    if not isinstance(verdict, Proof):
        why = verdict.failure if isinstance(verdict, Refutation) else verdict.reason
        raise ConfigError("program.unproved", f"expected a machine that is proved, found: {why}")
    program = extract_program(model, verdict)
    smallest = minimized(program)
    text = listing_text(smallest) if minimize else program_text(program)
    return LearnedProgram(text, diagram(smallest), f"What {model.algorithm.name} {model.hash[:8]} learned")


def observed_rules(model: Model, *, minimize: bool) -> Rules:
    """The rules that runs on small inputs meet. Raises what `Control` and `tape_algorithm` raise."""
    algorithm, control = tape_algorithm(model), Control(model.parameters, model.config)
    return rules_of(algorithm.name, observed(control, algorithm), minimize=minimize)


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

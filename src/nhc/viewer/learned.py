"""`nhc.program_of`: the learned program as a text, and in a notebook with its state diagram."""

from dataclasses import dataclass
from html import escape

from nhc.algorithms.tree.algorithm import TREES
from nhc.certify.prove import Proof, Refutation, prove
from nhc.certify.reachable import extract_program
from nhc.computer.sequences import tape_algorithm
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.program.control import Control
from nhc.program.diagram import Diagram, diagram
from nhc.program.diagram_figure import svg_text
from nhc.program.minimize import minimized
from nhc.program.observed import observed
from nhc.program.rules import Rules, rules_of
from nhc.program.rules_text import RulesText
from nhc.program.text import listing_text, program_text


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
    return rules_of(algorithm.name, control, observed(control, algorithm), minimize=minimize)

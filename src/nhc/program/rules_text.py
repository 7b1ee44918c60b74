"""The rules of a sequence algorithm's machine as text that a student can read, as JSON, and for Graphviz."""

from nhc.algorithms.protocol import Algorithm, InstanceT
from nhc.program.listing import Rule, rule_json
from nhc.program.rules import Case, Difference, Rules
from nhc.program.table import word_signs
from nhc.program.text import NOTES, read_text
from nhc.shapes import NONE

INDENT = "    "
ABOUT = "# The cases that runs on small inputs met; only a proof can say that there are no others.\n"
DATA_NOTE = "#   do OP          applies an operation to the cursor's data: see nhc algorithms."


class RulesText:
    """One algorithm's rules in words."""

    def __init__(self, algorithm: Algorithm[InstanceT], rules: Rules, word_size: int) -> None:
        self._algorithm, self._rules, self._size = algorithm, rules, word_size
        self._wide = max((len(self.case(case)) for case in rules.rules), default=0)
        listed = rules.rules.values()
        self._mark = max((len(rule.mark) for rule in listed), default=0)
        self._add = max((len(added(rule)) for rule in listed), default=0)
        self._read = max((len(read_text(rule.sources)) for rule in listed), default=0)

    def text(self) -> str:
        """All rules by what is shown, with notes, and the bits of each word."""
        head = NOTES.rpartition("\n#   do OP")[0]
        lines = [f"program {self._rules.task}", ABOUT + head, DATA_NOTE]
        rules = self._rules.rules
        for signals in dict.fromkeys(case.signals for case in rules):
            lines += ["", self.shown(signals)]
            lines += [self._line(case, rule) for case, rule in rules.items() if case.signals == signals]
        return "\n".join([*lines, "", *self._words()]) + "\n"

    def shown(self, signals: int) -> str:
        """`shown ended, equal`; `shown nothing` where no signal is on."""
        names = [name for bit, name in enumerate(self._algorithm.signals) if signals >> bit & 1]
        return f"shown {', '.join(names) or 'nothing'}"

    def case(self, case: Case) -> str:
        """`on A after emit`, or `at the start`."""
        return "at the start" if case.op == NONE else f"on {case.word} after {self._algorithm.ops[case.op]}"

    def rule(self, rule: Rule | None) -> str:
        """A rule in one line."""
        if rule is None:
            return "no rule"
        mark = f"mark {rule.mark}  " if rule.mark else ""
        return f"{mark}{added(rule)}  {read_text(rule.sources)}  {self._do(rule)}"

    def difference(self, found: Difference) -> str:
        """Where two programs part."""
        return f"{self.shown(found.case.signals)}, {self.case(found.case)}"

    def _line(self, case: Case, rule: Rule) -> str:
        mark = f"mark {rule.mark}" if rule.mark else ""
        add = f"{added(rule):<{self._add}}"
        head = f"{INDENT}{self.case(case):<{self._wide}}  {mark:<{5 + self._mark}}  {add}"
        return f"{head}  {read_text(rule.sources):<{self._read}}  {self._do(rule)}"

    def _do(self, rule: Rule) -> str:
        if len(rule.choices) == 1:
            return f"do {self._algorithm.ops[rule.choices[0].op]}"
        parts = [f"{self._algorithm.ops[one.op]} if {' or '.join(one.words)}" for one in rule.choices]
        return f"do {', '.join(parts)}"

    def _words(self) -> list[str]:
        return [
            f"#  {name:<2} {' '.join(word_signs(word, self._size) for word in words)}"
            for name, words in self._rules.words.items()
        ]


def added(rule: Rule) -> str:
    """`add A`, or `store nothing`."""
    return f"add {rule.add}" if rule.add else "store nothing"


def rules_json(rules: Rules) -> dict[str, object]:
    """Rules as plain JSON values; signal k is bit k, words stand for codes."""
    listed = [
        {"signals": case.signals, "word": case.word, "op": case.op, **rule_json(rule)}
        for case, rule in rules.rules.items()
    ]
    words = {name: list(codes) for name, codes in rules.words.items()}
    return {"task": rules.task, "rules": listed, "words": words}


def rules_dot(algorithm: Algorithm[InstanceT], rules: Rules, word_size: int) -> str:
    """Boxes for word under the cursor and last operation, arrows by what is shown, for Graphviz."""
    text = RulesText(algorithm, rules, word_size)
    places = list(dict.fromkeys((case.word, case.op) for case in rules.rules))
    lines = [f'digraph "{rules.task}" {{', "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    for number, place in enumerate(places):
        cases = [case for case in rules.rules if (case.word, case.op) == place]
        told = [f"{text.shown(case.signals)}: {text.rule(rules.rules[case])}" for case in cases]
        label = "".join(f"{line}\\l" for line in (text.case(cases[0]), *told))
        lines.append(f'  n{number} [label="{label}"];')
    for case, rule in rules.rules.items():
        source = places.index((case.word, case.op))
        for target in [(word, choice.op) for choice in rule.choices for word in choice.words]:
            if target in places:
                lines.append(f'  n{source} -> n{places.index(target)} [label="{text.shown(case.signals)}"];')
    return "\n".join([*dict.fromkeys(lines), "}"]) + "\n"

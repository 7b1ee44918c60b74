"""`nhc program` for algorithms with an input: the rules that runs met, one program or several compared."""

import json
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from nhc.cli.program_command import grouped
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.model import Model
from nhc.program.rules import Rules, first_difference
from nhc.program.rules_text import RulesText, rules_dot, rules_json
from nhc.viewer.learned import observed_rules


class Learned(NamedTuple):
    """A model and its rules."""

    model: Model
    rules: Rules

    @property
    def text(self) -> RulesText:
        """The rules in words."""
        return RulesText(self.model.algorithm, self.rules, self.model.config.word_size)


def learned(model: Model, *, minimize: bool) -> Learned:
    """The rules of a model. Raises what `Control` and `tape_algorithm` raise."""
    return Learned(model, observed_rules(model, minimize=minimize))


def as_format(found: Learned, form: Literal["text", "json", "dot", "svg"]) -> str:
    """Rules in a format. Raises ConfigError (`program.options`) for svg."""
    match form:
        case "text":
            return found.text.text()
        case "json":
            return json.dumps(rules_json(found.rules)) + "\n"
        case "dot":
            return rules_dot(found.model.algorithm, found.rules, found.model.config.word_size)
        case _:
            name = found.model.algorithm.name
            raise ConfigError("program.options", f"{name}: expected text, json or dot, found {form}")


def compare_rules(found: Mapping[str, Learned], *, as_json: bool) -> int:
    """Say which models learned the same rules; exit 1 if two differ. The minimal rules are compared."""
    names = {learned.rules.task for learned in found.values()}
    if len(names) > 1:
        raise ConfigError("program.models", f"expected one algorithm, found {', '.join(sorted(names))}")
    if len(found) > 2:
        return _survey(found, as_json=as_json)
    first, second = found.values()
    difference = first_difference(first.rules, second.rules)
    if as_json:
        where = None if difference is None else first.text.difference(difference)
        print(json.dumps({"models": [*found], "same": difference is None, "difference": where}))
    elif difference is None:
        print("the same program")
    else:
        print(f"different programs; first difference: {first.text.difference(difference)}")
        for name, rule in zip(found, (difference.first, difference.second), strict=True):
            print(f"  {name}  {first.text.rule(rule)}")
    return int(difference is not None)


def _survey(found: Mapping[str, Learned], *, as_json: bool) -> int:
    groups = grouped({name: one.rules.rules for name, one in found.items()})
    if as_json:
        for group in groups:
            print(json.dumps({"models": group, "program": rules_json(found[group[0]].rules)}))
        return 0
    rows = [_row(number, group, found[group[0]].rules) for number, group in enumerate(groups, start=1)]
    print_table(
        f"{len(groups)} different programs", ["program", "models", "words", "cases", "learned by"], rows
    )
    return 0


def _row(number: int, group: Sequence[str], rules: Rules) -> list[str]:
    return [*map(str, (number, len(group), len(rules.words), len(rules.rules))), ", ".join(group)]

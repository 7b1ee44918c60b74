"""`nhc program`: what a machine learned, as a program; and which machines learned the same one."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.cli.tables import print_lines, print_table
from nhc.errors import ConfigError
from nhc.runs.storage import write_text_atomically
from nhc.zoo import ZOO_PREFIX

if TYPE_CHECKING:  # These need JAX, which --help does not.
    from nhc.model import Model
    from nhc.program.listing import Listing
    from nhc.program.rules import Rules
    from nhc.program.table import Program


Format = Literal["text", "json", "dot", "svg"]


@dataclass
class ProgramOptions:
    """Print the program that a trained machine learned, or say which machines learned the same program.

    Of search and plan it is what the proof says; of others, the rules that runs on small inputs met.
    One model: its program. Two: whether they learned the same one, else the first difference (exit 1). More:
    a table of the different programs. Programs are the same if they do the same in the same way: minimised,
    and whatever bits their words have, they read by the same mechanisms and choose the same operations.
    Of search and plan, only a machine that is proved has a program.

    Examples:
    nhc program zoo:plan --minimize
    nhc program zoo:plan --format svg --out program.svg
    nhc program zoo:plan runs/plan-seed1/model.safetensors
    nhc program runs/plan-seed*/model.safetensors
    """

    models: tyro.conf.Positional[tuple[str, ...]]
    """Model files, or names of the zoo such as zoo:plan."""
    minimize: bool = False
    """Words that do the same become one; dot and svg always show the program so."""
    format: Format = "text"
    """Of one program; dot is for Graphviz. For several models text or json."""
    out: Path | None = None
    """Write the program to this file."""


def run(arguments: list[str]) -> int:
    """Print or compare. Exit 1 if a model has no program, or if two have different ones."""
    options = parse(ProgramOptions, arguments, name="program")
    if not options.models:
        raise ConfigError("program.models", "expected at least one model, found none")
    if len(options.models) > 1 and (options.format in ("dot", "svg") or options.out is not None):
        raise ConfigError("program.options", "expected one model with dot, svg or --out, found several")
    from nhc.algorithms.tree.algorithm import TREES
    from nhc.model import load_model

    models = {name: load_model(name) for name in options.models}
    if any(model.algorithm.name not in TREES for model in models.values()):
        return run_rules(options, models)
    proved = ((name, proved_program(name, model)) for name, model in models.items())
    programs = {name: program for name, program in proved if program is not None}
    missing = len(models) - len(programs)
    if len(options.models) == 1:
        for name, program in programs.items():
            show(options, as_text(name, program, options))
        return missing
    if len(options.models) > 2:
        survey(options, programs)
    elif not missing:
        return compare(options, [programs[name] for name in options.models])
    return min(missing, 1)


def run_rules(options: ProgramOptions, models: "Mapping[str, Model]") -> int:
    """Print or compare what models for algorithms with an input learned: the rules that runs met.

    Raises ConfigError (`program.models`) for several algorithms, and what `observed_rules` and
    `rules_as_text` raise.
    """
    from nhc.viewer.learned import observed_rules

    several = len(options.models) > 1
    minimize = options.minimize or several or options.format == "dot"
    found = {name: observed_rules(model, minimize=minimize) for name, model in models.items()}
    tasks = sorted({rules.task for rules in found.values()})
    if len(tasks) > 1:
        raise ConfigError("program.models", f"expected one algorithm, found {', '.join(tasks)}")
    first = options.models[0]
    if len(options.models) > 2:
        survey_rules(options, found)
    elif several:
        return compare_rules(options, models[first], [found[name] for name in options.models])
    else:
        show(options, rules_as_text(models[first], found[first], options.format))
    return 0


def rules_as_text(model: "Model", rules: "Rules", form: Format) -> str:
    """Rules in a format. Raises ConfigError (`program.options`) for svg."""
    from nhc.program.rules_text import RulesText, rules_dot, rules_json

    match form:
        case "text":
            return RulesText(model.algorithm, rules, model.config.word_size).text()
        case "json":
            return json.dumps(rules_json(rules)) + "\n"
        case "dot":
            return rules_dot(model.algorithm, rules, model.config.word_size)
        case _:
            name = model.algorithm.name
            raise ConfigError("program.options", f"{name}: expected text, json or dot, found {form}")


def compare_rules(options: ProgramOptions, model: "Model", rules: "list[Rules]") -> int:
    """Say whether two models learned the same rules, in words for the first; 0 or 1."""
    from nhc.program.rules import first_difference
    from nhc.program.rules_text import RulesText

    models, difference = [*map(short, options.models)], first_difference(*rules)
    if difference is None:
        return compared(options, models, None, [])
    text = RulesText(model.algorithm, rules[0], model.config.word_size)
    told = (text.rule(rule) for rule in (difference.first, difference.second))
    where = text.difference(difference)
    return compared(options, models, where, [where, *map("  {}  {}".format, models, told)])


def survey_rules(options: ProgramOptions, found: "Mapping[str, Rules]") -> None:
    """The different rules, the most frequent first, with the models that learned them."""
    from nhc.program.rules_text import rules_json

    groups = grouped({name: rules.rules for name, rules in found.items()})
    learned = [([*map(short, group)], found[group[0]]) for group in groups]
    if options.format == "json":
        print_lines({"models": names, "program": rules_json(rules)} for names, rules in learned)
        return
    rows = [
        [*map(str, (number, len(names), len(rules.words), len(rules.rules))), ", ".join(names)]
        for number, (names, rules) in enumerate(learned, start=1)
    ]
    columns = ["program", "models", "words", "cases", "learned by"]
    print_table(f"{counted(len(groups))} in {len(found)} models", columns, rows)


def proved_program(name: str, model: "Model") -> "Program | None":
    """The program of a model; None, and a message why, unless the model is proved."""
    from nhc.certify.prove import Proof, Refutation, extract_program, prove

    verdict = prove(model)
    if isinstance(verdict, Proof):
        return extract_program(model, verdict)
    if isinstance(verdict, Refutation):
        message(f"{name} has no program: it is not the algorithm: on the free tree with {verdict.failure}")
    else:
        message(f"{name} has no program: it is not proved: {verdict.reason}")
    return None


def as_text(name: str, program: "Program", options: ProgramOptions) -> str:
    """A program in the format that is asked for; the state diagrams show it minimised."""
    from nhc.program.diagram import diagram, dot_text
    from nhc.program.listing import listing_json
    from nhc.program.minimize import minimized
    from nhc.program.table import program_json
    from nhc.program.text import listing_text, program_text

    match options.format:
        case "dot":
            return dot_text(diagram(minimized(program)))
        case "svg":
            from nhc.program.diagram_figure import svg_text

            return svg_text(diagram(minimized(program)), f"The program of {short(name)}")
        case "json":
            plain = listing_json(minimized(program)) if options.minimize else program_json(program)
            return json.dumps(plain) + "\n"
        case "text":
            return listing_text(minimized(program)) if options.minimize else program_text(program)


def show(options: ProgramOptions, text: str) -> None:
    """Print, or write to the file. Raises StorageError (`storage.write`)."""
    if options.out is None:
        print(text, end="")
    else:
        write_text_atomically(options.out, text)
        message(f"Written to {options.out}")


def compare(options: ProgramOptions, programs: "list[Program]") -> int:
    """Say whether two programs are the same; 0 or 1."""
    from nhc.program.minimize import first_difference, minimized

    difference = first_difference(*map(minimized, programs))
    if difference is None:
        return compared(options, options.models, None, [])
    names, told = [*map(short, options.models)], (difference.first, difference.second)
    wide = max(map(len, names))
    lines = [f"  {name:<{wide}}  {text}" for name, text in zip(names, told, strict=True)]
    return compared(options, options.models, difference._asdict(), [difference.where, *lines])


def compared(options: ProgramOptions, models: Sequence[str], difference: object, lines: list[str]) -> int:
    """Tell the first difference of two programs, for JSON and in lines; None if there is none. 0 or 1."""
    if options.format == "json":
        print(json.dumps({"models": models, "same": difference is None, "difference": difference}))
    elif difference is None:
        print("the same program")
    else:
        print("different programs; first difference: " + "\n".join(lines))
    return 0 if difference is None else 1


def survey(options: ProgramOptions, programs: "dict[str, Program]") -> None:
    """The different programs, the most frequent first, with the models that learned them."""
    from nhc.program.listing import listing_json
    from nhc.program.minimize import minimized, minimized_search

    listings = {name: minimized(program) for name, program in programs.items()}
    groups = grouped(listings)
    if options.format == "json":
        print_lines({"models": group, "program": listing_json(listings[group[0]])} for group in groups)
        return
    rows = [
        [str(number), str(len(group)), *what_differs(listings[group[0]]), ", ".join(map(short, group))]
        for number, group in enumerate(groups, start=1)
    ]
    columns = ["program", "models", "task", "next node", "at the goal", "learned by"]
    print_table(f"{counted(len(groups))} in {len(listings)} models", columns, rows, left=6)
    searches = grouped({name: minimized_search(program) for name, program in programs.items()})
    print(f"Until the goal is met: {counted(len(searches))}.")


def grouped(programs: Mapping[str, object]) -> list[list[str]]:
    """Names of equal programs together, the largest group first."""
    groups: list[list[str]] = []
    for name, found in programs.items():
        group = next((group for group in groups if programs[group[0]] == found), None)
        if group is None:
            groups.append([name])
        else:
            group.append(name)
    return sorted(groups, key=len, reverse=True)


def counted(number: int) -> str:
    """`1 program`, `2 different programs`."""
    return "1 program" if number == 1 else f"{number} different programs"


def what_differs(rules: "Listing") -> list[str]:
    """The task, and how a program reads the next node and, in every way, at the goal."""
    from nhc.domains.protocol import BRANCHING
    from nhc.program.table import Phase
    from nhc.program.text import read_text

    ways: dict[Phase, list[str]] = {Phase.SEARCH: [], Phase.BACK: []}
    for situation, rule in rules.rules.items():
        last = BRANCHING - 1 if situation.phase is Phase.SEARCH else situation.op
        if situation.op == last < BRANCHING:
            ways[situation.phase].append(read_text(rule.sources).removeprefix("read "))
    return [rules.task, *("; ".join(dict.fromkeys(found)) for found in ways.values())]


def short(model: str) -> str:
    """`plan-seed0` for a file in a run folder, else the file's name; zoo names stay."""
    path = Path(model)
    if model.startswith(ZOO_PREFIX):
        return model
    return path.parent.name if path.stem == "model" and path.parent.name else path.stem

"""Rules of machines on sequences: merged, they run as the network does, and bits of words do not matter."""

import json

import jax
import numpy as np
import pytest

from nhc.algorithms.tape import DONE
from nhc.computer.hosted import execute
from nhc.computer.sequences import tape_algorithm
from nhc.machine.layout import interface_blocks
from nhc.machine.parameters import Parameters
from nhc.model import Model
from nhc.program.compiled import CONTENT
from nhc.program.control import Control, Decided, Shown
from nhc.program.plain import PlainMemory
from nhc.program.rules import Case, Rules, Seen, first_difference, observed, plain_run, rules_of
from nhc.program.rules_text import RulesText, rules_dot, rules_json
from nhc.shapes import NONE
from tests.computer.sequence_machines import random_machine

MACHINES = [(name, seed) for name in ("copy", "brackets") for seed in (0, 1)]
TICKS = 40
BIT = 2


def rules(model: Model, *, minimize: bool = True) -> Rules:
    algorithm, control = tape_algorithm(model), Control(model.parameters, model.config)
    return rules_of(algorithm.name, observed(control, algorithm), minimize=minimize)


def run_rules(found: Rules, model: Model, instance: object, ticks: int) -> list[tuple[int, int]]:
    """Cells read and operations, by nothing but the rules."""
    algorithm = tape_algorithm(model)
    tape, registers = algorithm.load(instance)
    memory, data, made, op = PlainMemory[str](), list[int](), list[tuple[int, int]](), NONE
    while not registers[DONE] and len(made) < ticks:
        signals, word = algorithm.functions.observe(tape, registers)
        data.append(int(word))
        under = "" if memory.cursor == NONE else memory.words[memory.cursor]
        rule = found.rules[Case(int(signals), under, op)]
        memory.write(rule.mark, rule.add)
        links = memory.links()
        cells = [
            memory.first(source.words) if source.mechanism == CONTENT else links.get(source.mechanism, NONE)
            for source in rule.sources
        ]
        memory.cursor = next(cell for cell in cells if cell != NONE)
        read = memory.words[memory.cursor]
        op = next(choice.op for choice in rule.choices if read in choice.words)
        algorithm.functions.act(op, data[memory.cursor], tape, registers)
        made.append((memory.cursor, op))
    return made


@pytest.mark.parametrize("name, seed", MACHINES)
def test_merged_rules_run_as_the_machine_does(name: str, seed: int) -> None:
    model = random_machine(name, seed)
    algorithm, control = tape_algorithm(model), Control(model.parameters, model.config)
    for found in (rules(model), rules(model, minimize=False)):
        for size in (1, 2, 3):
            for instance in algorithm.listed(size)[:4]:
                limit = 3 * len(algorithm.teacher(instance))
                ticks = [(tick.address, tick.op) for tick in plain_run(control, algorithm, instance, limit)]
                assert run_rules(found, model, instance, limit) == ticks


@pytest.mark.parametrize("name, seed", MACHINES[::3])
def test_plain_runs_are_the_networks(name: str, seed: int) -> None:
    model, rng = random_machine(name, seed), np.random.default_rng(seed)
    algorithm, control = tape_algorithm(model), Control(model.parameters, model.config)
    for size in (1, 4):
        instance = algorithm.random(size, rng)
        ticks = plain_run(control, algorithm, instance, TICKS)
        trace = execute(model, instance, max_ticks=TICKS, keep=True).trace
        assert trace is not None
        assert [tick.address for tick in ticks] == trace.read.tolist()
        assert [tick.op for tick in ticks] == trace.op.tolist()
        assert all(trace.addresses[t, tick.mechanism] == tick.address for t, tick in enumerate(ticks))


def flipped(model: Model) -> Model:
    """The same machine with words of other bits: value `BIT` of every word has the other sign."""
    config = model.config
    controller, interface, last = (
        jax.tree.map(np.array, part)
        for part in (model.parameters.controller, model.parameters.interface, model.parameters.transform_c)
    )
    controller.w[:, config.signals + BIT] *= -1
    last.w[:, config.hidden + BIT] *= -1
    row = 0
    for block in interface_blocks(config):
        if block.name.removeprefix("interface.") in ("read.key", "write.word", "constrained.word"):
            interface.w[row + BIT] *= -1
            interface.b[row + BIT] *= -1
        row += block.rows
    return Model(Parameters(controller, interface, last), config, model.algorithm, {})


@pytest.mark.parametrize("name, seed", MACHINES)
def test_the_bits_of_words_do_not_matter(name: str, seed: int) -> None:
    model = random_machine(name, seed)
    other = flipped(model)
    mine, theirs = rules(model), rules(other)
    assert first_difference(mine, theirs) is None
    assert mine.rules == theirs.rules
    codes = [{code ^ 1 << BIT for code in words} for words in mine.words.values()]
    assert codes == [{*words} for words in theirs.words.values()]


def test_machines_that_differ_are_told_apart() -> None:
    one, other = rules(random_machine("brackets", 0)), rules(random_machine("brackets", 1))
    found = first_difference(one, other)
    assert found is not None and found.first != found.second
    back = first_difference(other, one)
    assert back is not None and back.case in {*one.rules, *other.rules}


def test_minimal_rules_are_fewer_and_all_is_named() -> None:
    fewer = 0
    for name, seed in MACHINES:
        model = random_machine(name, seed)
        every, small = rules(model, minimize=False), rules(model)
        assert len(small.words) <= len(every.words) and len(small.rules) <= len(every.rules)
        fewer += len(small.words) < len(every.words)
        codes = [code for words in small.words.values() for code in words]
        assert sorted(codes) == sorted(code for words in every.words.values() for code in words)
    assert fewer > 1


def test_texts_name_what_is_shown_and_done() -> None:
    model = random_machine("brackets", 0)
    found = rules(model)
    text = RulesText(model.algorithm, found, 8).text()
    assert text.startswith("program brackets\n# ") and "\nshown nothing\n    at the start" in text
    body = [line for line in text.splitlines() if " add " in line and not line.startswith("#")]
    assert len(body) == len(found.rules)
    assert all(line.split("  do ")[1].split()[0] in model.algorithm.ops for line in body)
    plain = json.loads(json.dumps(rules_json(found)))
    assert len(plain["rules"]) == len(found.rules) and plain["words"].keys() == found.words.keys()
    dot = rules_dot(model.algorithm, found, 8)
    assert dot.startswith('digraph "brackets" {') and dot.count("[label=") > len({c[1:] for c in found.rules})


def decided(mark: int, add: int, scores: dict[int, float], *, content: bool = False) -> Decided:
    """A state that reads by content or goes forward; words without a score have the least."""
    every = np.full(256, -9.0, np.float32)
    for word, score in scores.items():
        every[word] = score
    order = (CONTENT, 1, 2, 3, 4) if content else (1, CONTENT, 2, 3, 4)
    return Decided(mark, add, order, every, np.zeros(256, np.int32))


def names_of(states: dict[Shown, Seen]) -> dict[int, str]:
    """The names of words in the minimal rules of made-up states."""
    found = rules_of("copy", states, minimize=True)
    return {code: name for name, codes in found.words.items() for code in codes}


@pytest.mark.parametrize("score, together", [(1.0, False), (3.0, True)])
def test_a_word_that_a_lookup_likes_less_keeps_its_own_name(score: float, together: bool) -> None:
    """At the last tick word 2 is found. Nothing follows on 2 or 3, so only the lookup tells them apart."""
    states = {
        Shown(0, NONE, NONE): Seen(decided(9, 1, {}), {CONTENT: {1}}, {1: 0}),
        Shown(1, 1, 0): Seen(decided(2, 3, {2: 2.0, 3: score}, content=True), {CONTENT: {2}}, {2: 2}),
    }
    names = names_of(states)
    assert (names[2] == names[3]) is together


def test_what_is_shown_tells_words_apart() -> None:
    """Words 1 and 2 have the same two rules, each where the other has the other."""
    one, two = (
        lambda: Seen(decided(1, 2, {}), {1: {2}}, {2: 0}),
        lambda: Seen(decided(2, 1, {}), {1: {1}}, {1: 1}),
    )
    states = {
        Shown(0, NONE, NONE): Seen(decided(9, 1, {}), {CONTENT: {1}}, {1: 0}),
        Shown(0, 1, 0): one(),
        Shown(1, 1, 0): two(),
        Shown(0, 2, 0): two(),
        Shown(1, 2, 0): one(),
    }
    names = names_of(states)
    assert names[1] != names[2]


@pytest.mark.parametrize("head", ["mark", "add"])
def test_words_that_write_different_words_are_different(head: str) -> None:
    """Words 1 and 2 differ in one word that they write, 3 or 4; on 3 and 4 other operations follow."""

    def writes(word: int) -> Decided:
        return decided(*((word, 9) if head == "mark" else (9, word)), {})

    states = {
        Shown(0, NONE, NONE): Seen(decided(9, 1, {}), {CONTENT: {1}}, {1: 0}),
        Shown(0, 1, 0): Seen(writes(3), {1: {9}}, {9: 0}),
        Shown(0, 2, 0): Seen(writes(4), {1: {9}}, {9: 0}),
        Shown(0, 3, 0): Seen(decided(9, 2, {}), {1: {9}}, {9: 1}),
        Shown(0, 4, 0): Seen(decided(9, 2, {}), {1: {9}}, {9: 2}),
    }
    names = names_of(states)
    assert names[1] != names[2] and names[3] != names[4]

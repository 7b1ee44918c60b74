"""Verdicts against brute force on changed machines: `python -m nhc.certify.mutants MODEL ...`.

Runs use the control of the independent checker and a plain row of words, nothing of the prover. A mutant that
is proved and answers wrong is a fault of the prover; so would be one that is refuted and answers right.
"""

import sys
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from nhc.algorithms.protocol import Word
from nhc.algorithms.registry import AnyAlgorithm
from nhc.algorithms.sequence.algorithm import SequenceAlgorithm
from nhc.certify.checker import CONTENT, NONE, Control
from nhc.certify.path_check.certificate import CONTROLS
from nhc.certify.paths import PathProof, failing_instance, verdict_label, verdict_on
from nhc.certify.replay import TICKS_A_TASK, instances
from nhc.machine.parameters import Parameters
from nhc.model import Model, load_model
from nhc.program.plain import PlainMemory
from nhc.streams import random_stream

Blocks = dict[str, NDArray[np.float32]]
COUNT = 100
TICKS = 60_000
"""Ticks of brute force for each mutant, and as many again on long instances for those that are proved."""
LONG_LEVELS = (60, 150, 300)


def blocks_of(model: Model) -> Blocks:
    """The weights by name."""
    return {name: np.array(block) for name, block in model.parameters.named_blocks(model.config).items()}


def with_blocks(model: Model, blocks: Blocks) -> Model:
    """The same machine with other weights."""
    return Model(Parameters.from_blocks(blocks, model.config), model.config, model.algorithm, {})


def mutant(model: Model, rng: np.random.Generator) -> Model:
    """All weights shaken, some moved, or some drawn anew; consumes `rng`."""
    blocks, size = blocks_of(model), 10 ** rng.uniform(-2.0, 0.3)
    kind = int(rng.integers(3))
    if kind == 0:
        for name, block in blocks.items():
            blocks[name] = block + rng.normal(0, 0.3 * size, block.shape).astype(np.float32)
    else:
        names = sorted(blocks)
        for _ in range(int(rng.integers(1, 20))):
            weights = blocks[names[int(rng.integers(len(names)))]].reshape(-1)
            place, change = int(rng.integers(weights.size)), float(rng.normal())
            weights[place] = weights[place] + 3 * size * change if kind == 1 else change / 2
    return with_blocks(model, blocks)


def control_of(model: Model) -> Control:
    """What the weights decide, without margins."""
    config = model.config
    control = CONTROLS[config.write_gate]
    return control(blocks_of(model), config.signals, config.word_size, config.usage_link, config.ops)


def answers(control: Control, algorithm: AnyAlgorithm, instance: object) -> tuple[bool, int]:
    """Is the result right? And the ticks it took."""
    side, memory, stored = algorithm.begin(instance), PlainMemory[int](), list[Word]()
    limit, ticks, word, op = TICKS_A_TASK * len(algorithm.teacher(instance)), 0, NONE, NONE
    while not side.done and ticks < limit:
        signals, new = side.observe()
        state = (tuple(map(int, signals)), word, op)
        memory.write(*control.written(state))
        if not memory.words:
            return False, ticks
        stored += [new] * (len(memory.words) - len(stored))
        links = {way: cell for way, cell in memory.links().items() if way in control.every}
        winner = control.winner(state, tuple(sorted({CONTENT, *links})))
        memory.cursor = links.get(winner, NONE)
        if winner == CONTENT:
            memory.cursor = memory.first([control.best_word(state, set(memory.words))])
        word = memory.words[memory.cursor]
        op = control.op(state, word)
        side.act(op, stored[memory.cursor])
        ticks += 1
    return side.done and side.result == algorithm.spec(instance), ticks


def brute_force(model: Model, *, long: bool) -> object:
    """The first instance found that is wrong, None if all that were tried are right."""
    control, left = control_of(model), TICKS
    for instance in long_instances(model.algorithm) if long else instances(model.algorithm):
        right, ticks = answers(control, model.algorithm, instance)
        if not right:
            return instance
        left -= ticks
        if left < 0:
            break
    return None


def long_instances(algorithm: AnyAlgorithm) -> Iterator[object]:
    """Random ones that are far larger than those trained; none if they would take too long."""
    if isinstance(algorithm, SequenceAlgorithm) and algorithm.exponential:
        return
    rng = random_stream(0, "long")
    for level in LONG_LEVELS:
        yield from (algorithm.sample(level, rng) for _ in range(2))


def judged(model: Model) -> str:
    """The verdict, with what brute force says."""
    verdict = verdict_on(model)
    wrong = brute_force(model, long=False)
    if wrong is None and isinstance(verdict, PathProof):
        wrong = brute_force(model, long=True)
    found = "right" if wrong is None else "wrong"
    if verdict_label(verdict) == "refuted" and wrong is None:  # Small instances need not show what is wrong.
        right, _ = answers(control_of(model), model.algorithm, failing_instance(verdict))
        found = "right" if right else "wrong"
    return f"{verdict_label(verdict)}, {found}"


def drill(model: Model, count: int, seed: int = 0, tell: Callable[[str], None] = print) -> Counter[str]:
    """How many mutants were proved, refuted or undecided, and right or wrong by brute force."""
    rng, found = random_stream(seed, "mutants"), Counter[str]()
    for _ in range(count):
        changed = mutant(model, rng)
        verdict = judged(changed)
        if verdict in ("proved, wrong", "refuted, right"):
            tell(f"fault of the prover: {verdict}")
        found[verdict] += 1
    return found


def main(names: list[str]) -> int:
    """Prints a line for each model. Returns 1 if the prover was wrong."""
    faults = 0
    for name in names:
        found = drill(load_model(name), COUNT)
        faults += found["proved, wrong"] + found["refuted, right"]
        print(f"{name}: {'; '.join(f'{kind}: {count}' for kind, count in sorted(found.items()))}", flush=True)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

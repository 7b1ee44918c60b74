"""The DNC and the stack-augmented network once more: plain loops over numbers, from the papers' equations.

Graves et al. 2016, "Methods", and Joulin and Mikolov 2015, section 3.2. Nothing is shared with the package
but the weights' names.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from nhc.baselines.dnc import Dnc, DncParameters
from nhc.baselines.stack_rnn import StackParameters, StackRnn
from nhc.machine.parameters import Linear

Floats = NDArray[np.float64]
TINY = 1e-6


def sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x))


def softmax(values: list[float]) -> list[float]:
    powers = [math.exp(value - max(values)) for value in values]
    return [power / sum(powers) for power in powers]


def affine(linear: Linear, x: list[float]) -> list[float]:
    w, b = np.asarray(linear.w, np.float64), np.asarray(linear.b, np.float64)
    assert w.shape == (len(b), len(x))
    return [sum(w[i, j] * x[j] for j in range(len(x))) + b[i] for i in range(len(b))]


def content(memory: Floats, key: Floats, strength: float) -> list[float]:
    scores = []
    for row in memory:
        dot = sum(a * b for a, b in zip(row, key, strict=True))
        sizes = math.sqrt(sum(a * a for a in row) + TINY) * math.sqrt(sum(b * b for b in key) + TINY)
        scores.append(strength * dot / sizes)
    return softmax(scores)


def retention(free: list[float], read: Floats) -> list[float]:
    found = [1.0] * read.shape[1]
    for head, gate in enumerate(free):
        for cell in range(len(found)):
            found[cell] *= 1 - gate * read[head, cell]
    return found


def usage_after(usage: Floats, written: Floats, retained: list[float]) -> list[float]:
    after = []
    for cell, used in enumerate(usage):
        untouched = 1.0
        for head in range(len(written)):
            untouched *= 1 - written[head, cell]
        after.append((used + (1 - untouched) - used * (1 - untouched)) * retained[cell])
    return after


def allocation(usage: list[float]) -> list[float]:
    """By sorting, as the paper writes it."""
    order = sorted(range(len(usage)), key=lambda cell: (usage[cell], cell))
    found, product = [0.0] * len(usage), 1.0
    for cell in order:
        found[cell] = (1 - usage[cell]) * product
        product *= usage[cell]
    return found


def allocations(usage: list[float], gates: list[float]) -> list[list[float]]:
    found = []
    for gate in gates:
        weighting = allocation(usage)
        usage = [u + (1 - u) * gate * a for u, a in zip(usage, weighting, strict=True)]
        found.append(weighting)
    return found


def memory_after(memory: Floats, written: Floats, erase: Floats, values: Floats) -> Floats:
    after = memory.copy()
    for cell in range(memory.shape[0]):
        for place in range(memory.shape[1]):
            for head in range(len(written)):
                after[cell, place] *= 1 - written[head, cell] * erase[head, place]
            for head in range(len(written)):
                after[cell, place] += written[head, cell] * values[head, place]
    return after


def links_after(links: Floats, precedence: Floats, written: Floats) -> Floats:
    after = np.zeros_like(links)
    for head in range(links.shape[0]):
        w, p = written[head], precedence[head]
        for i in range(links.shape[1]):
            for j in range(links.shape[2]):
                if i != j:
                    after[head, i, j] = (1 - w[i] - w[j]) * links[head, i, j] + w[i] * p[j]
    return after


def precedence_after(precedence: Floats, written: Floats) -> Floats:
    after = np.zeros_like(precedence)
    for head in range(len(precedence)):
        for cell in range(precedence.shape[1]):
            after[head, cell] = (1 - sum(written[head])) * precedence[head, cell] + written[head, cell]
    return after


def read_weighting(modes: list[float], links: Floats, found: list[float], before: Floats) -> list[float]:
    """Modes in the order: backward for each write head, content, forward for each write head."""
    writes, cells = links.shape[0], links.shape[1]
    after = []
    for i in range(cells):
        total = modes[writes] * found[i]
        for head in range(writes):
            back = sum(links[head, j, i] * before[j] for j in range(cells))
            ahead = sum(links[head, i, j] * before[j] for j in range(cells))
            total += modes[head] * back + modes[writes + 1 + head] * ahead
        after.append(total)
    return after


@dataclass
class Lstm:
    """A controller with its state."""

    gates: Linear
    hidden: int
    h: list[float] = field(init=False)
    s: list[float] = field(init=False)

    def __post_init__(self) -> None:
        self.h, self.s = [0.0] * self.hidden, [0.0] * self.hidden

    def step(self, x: list[float]) -> list[float]:
        a, n = affine(self.gates, [*x, *self.h]), self.hidden
        for k in range(n):
            i, f, s, o = (a[part * n + k] for part in range(4))
            self.s[k] = sigmoid(f) * self.s[k] + sigmoid(i) * math.tanh(s)
            self.h[k] = sigmoid(o) * math.tanh(self.s[k])
        return self.h


def run_dnc(net: Dnc, parameters: DncParameters, inputs: Floats) -> list[list[float]]:
    """The outputs of all ticks."""
    heads, word, cells, reads = net.writes, net.word, net.cells, net.reads
    lstm = Lstm(parameters.controller, net.hidden)
    memory, usage = np.zeros((cells, word)), np.zeros(cells)
    links, precedence = np.zeros((heads, cells, cells)), np.zeros((heads, cells))
    written, read = np.zeros((heads, cells)), np.zeros((reads, cells))
    words = np.zeros((reads, word))
    outputs = []
    for x in inputs:
        hidden = lstm.step([*x.tolist(), *words.ravel().tolist()])
        left = affine(parameters.interface, hidden)

        def cut(rows: int, left: list[float] = left) -> list[float]:
            part, left[:] = left[:rows], left[rows:]
            return part

        def plus(values: list[float]) -> list[float]:
            return [1 + math.log1p(math.exp(value)) for value in values]

        read_keys = np.array(cut(reads * word)).reshape(reads, word)
        read_strengths = plus(cut(reads))
        write_keys = np.array(cut(heads * word)).reshape(heads, word)
        write_strengths = plus(cut(heads))
        erase = np.array([sigmoid(value) for value in cut(heads * word)]).reshape(heads, word)
        values = np.array(cut(heads * word)).reshape(heads, word)
        free, allocate, write = ([sigmoid(v) for v in cut(rows)] for rows in (reads, heads, heads))
        modes = [softmax(cut(1 + 2 * heads)) for _ in range(reads)]
        assert left == []

        usage = np.array(usage_after(usage, written, retention(free, read)))
        fresh = allocations(usage.tolist(), [a * w for a, w in zip(allocate, write, strict=True)])
        written = np.zeros((heads, cells))
        for head in range(heads):
            found = content(memory, write_keys[head], write_strengths[head])
            for cell in range(cells):
                mixed = allocate[head] * fresh[head][cell] + (1 - allocate[head]) * found[cell]
                written[head, cell] = write[head] * mixed
        memory = memory_after(memory, written, erase, values)
        links = links_after(links, precedence, written)
        precedence = precedence_after(precedence, written)
        read = np.array(
            [
                read_weighting(modes[r], links, content(memory, read_keys[r], read_strengths[r]), read[r])
                for r in range(reads)
            ]
        )
        words = read @ memory
        outputs.append(affine(parameters.output, [*hidden, *words.ravel().tolist()]))
    return outputs


def stack_after(stack: Floats, action: list[float], pushed: list[float]) -> Floats:
    after = np.zeros_like(stack)
    depth = len(stack)
    for i in range(depth):
        for place in range(stack.shape[1]):
            above = pushed[place] if i == 0 else stack[i - 1, place]
            below = stack[i + 1, place] if i + 1 < depth else -1.0
            after[i, place] = action[0] * above + action[1] * below + action[2] * stack[i, place]
    return after


def run_stack_rnn(net: StackRnn, parameters: StackParameters, inputs: Floats) -> list[list[float]]:
    """The outputs of all ticks."""
    lstm = Lstm(parameters.controller, net.hidden)
    stacks = [np.full((net.depth, net.word), -1.0) for _ in range(net.stacks)]
    outputs = []
    for x in inputs:
        seen = [value for stack in stacks for row in stack[: net.tops] for value in row.tolist()]
        hidden = lstm.step([*x.tolist(), *seen])
        actions, pushed = affine(parameters.actions, hidden), affine(parameters.pushed, hidden)
        for number in range(net.stacks):
            action = softmax(actions[3 * number : 3 * number + 3])
            word = [sigmoid(v) for v in pushed[net.word * number : net.word * (number + 1)]]
            stacks[number] = stack_after(stacks[number], action, word)
        outputs.append(affine(parameters.output, hidden))
    return outputs

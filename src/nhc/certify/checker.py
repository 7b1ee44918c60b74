"""Checks a certificate against a model's weights, with NumPy alone: `python checker.py CERTIFICATE MODEL`.

It shares no code with the prover, whose files explain the argument. Task, sizes, prefix and the tool's name
are taken from the certificate; all else is computed from the weights and must be what is written. A state
is (phase, word read last, operation chosen last), all that the weights see of a run. Bit j of a word is set
where value j is +1.
"""

import hashlib
import json
import math
import sys
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from reprlib import repr as short

import numpy as np
from numpy.typing import NDArray

MECHANISMS = ("content", "temporal forward", "temporal backward", "usage forward", "usage backward")
CONTENT, FORWARD, BACKWARD, USAGE_FORWARD, USAGE_BACKWARD = range(5)
OPS, NOP, NONE = ("up", "right", "down", "left", "nop"), 4, -1
PHASES, SEARCH, BACK = ("search", "back"), 0, 1
BREADTH_FIRST = (
    "On every tree and for every goal that first occurs at a node n >= 1, tick t = 1..n reads node "
    "floor((t-1)/4) and applies operation (t-1) mod 4: breadth-first search."
)
STOP = "Tick n+1, the first that sees the goal, chooses nop."
WALK = (
    "From tick n+1 on the machine reads the goal, its parent, and so on up to the start, one a tick, and "
    "chooses nop each time, whatever the depth of the goal."
)
CLAIMS = {"search": [BREADTH_FIRST, STOP], "plan": [BREADTH_FIRST, WALK]}
ASSUMPTIONS = [
    "The memory has a free cell at every tick.",
    "The equality bit is right: the fed word is compared with the goal's, once met with the start's.",
    "Arithmetic is IEEE float32, summed in any order; tanh is within 2^-20.",
    "Equal configurations have equal successors, so an ancestor of the goal is never the start again.",
]
SCALARS = (
    *("read.strength", "read.free_gate", "write.strength", "write.gate", "write.allocation"),
    "constrained.gate",
)
WORDS = ("read.key", "write.key", "write.erase", "write.word", "constrained.erase", "constrained.word")
FACTOR, AGREEMENT = 2.0, 1e-6
SINGLE, DOUBLE, TANH_SINGLE, TANH_DOUBLE = 2.0**-24, 2.0**-53, 16 * 2.0**-24, 2.0**-52
LARGEST, SMALLEST, SLACK = 2.0**127, 2.0**-126, 1 + 2.0**-40
MOST_NODES, MOST_PAIRS = 256, 256  # bounds on the checker's own work

Vector = NDArray[np.float64]
Blocks = Mapping[str, NDArray[np.generic]]
State = tuple[int, int, int]
Seen = tuple[int | tuple[int, ...], int, int]  # or with the signals themselves
Decision = tuple[float, float, str]  # distance of the values compared, how far off each may be, where


class Rejected(Exception):
    """Steps that fail, without which the others have no meaning."""


def gamma(terms: int, unit: float) -> float:
    """Relative error of a sum of that many products, added in any order, fused or not."""
    return terms * unit / (1 - terms * unit)


def tanh(x: float) -> float:
    """(1 - t) / (1 + t) with t = exp(-2|x|), off by less than `TANH_DOUBLE`. Integers count units of 2^-120.

    r = 2|x| / 2^8 < 0.16: the series of exp(-r) ends with r^20 / 20!, its rest is below 0.16^21 / 21! < 1
    unit, and 20 terms are off by 2 units each. Each of 8 squarings doubles the error and adds a unit, which
    makes less than 2^14 units. The slope in t is at most 2. From 20 on, tanh is above 1 - 2^-56.
    """
    one = 1 << 120
    r = int(min(abs(x), 20.0) * 2.0**121) >> 8
    term = total = one
    for n in range(1, 21):
        term = -term * r // (n * one)
        total += term
    for _ in range(8):
        total = total * total // one
    return math.copysign((one - total) / (one + total), x)


def strongest(values: Vector, candidates: Iterable[int]) -> tuple[int, float, float]:
    """The largest value, the earlier on ties; its distance from the next; how far off each may be."""
    best, *others = sorted(candidates, key=lambda i: (-values[0, i], i))
    gap = values[0, best] - values[0, others[0]] if others else math.inf
    return best, gap, max(values[1, i] for i in (best, *others))


def said(state: Seen) -> str:
    """A state in words."""
    word, op = "none" if state[1] == NONE else f"{state[1]:08b}", "none" if state[2] == NONE else state[2]
    if isinstance(state[0], tuple):
        return f"signals {''.join(map(str, state[0]))} word {word} op {op}"
    return f"{PHASES[state[0]]} word {word} op {op if op == 'none' else OPS[state[2]]}"


class Control:
    """What the weights decide; each decision that is asked for is noted once, with its margin.

    Numbers come as two rows: values in float64, and how far the true values and any float32 may be off.
    """

    def __init__(self, blocks: Blocks, signals: int, size: int, usage_link: bool, ops: int = 5) -> None:
        self.ops, self.blocks = ops, {name: np.asarray(array, np.float64) for name, array in blocks.items()}
        self.signals, self.size, self.every = signals, size, tuple(range(5 if usage_link else 3))
        self.noted: dict[str, list[Decision]] = {}
        self.at, self.written, self.op = cache(self._at), cache(self._written), cache(self._op)
        self.winner, self.prefers = cache(self._winner), cache(self._prefers)

    def bits(self, word: int) -> Vector:
        """±1 by the bits of a word, the lowest first; zeros for no word."""
        return np.zeros(self.size) if word == NONE else np.where(word >> np.arange(self.size) & 1, 1.0, -1.0)

    def layer(self, name: str, *inputs: Vector) -> Vector:
        """W x + b; single rows are exact. Below the smallest normal number, float32 may lose everything."""
        w, b = self.blocks[f"{name}.w"], self.blocks[f"{name}.b"]
        x, off = np.hstack([v if v.ndim == 2 else np.array([v, 0 * v]) for v in inputs])
        terms, size = len(x) + 1, abs(b) + abs(w) @ (abs(x) + off)
        if not (size < LARGEST).all():
            raise Rejected(f"range: sums of {name} may overflow in float32")
        rounding = (gamma(terms, SINGLE) + gamma(terms + 1, DOUBLE)) * size + 4 * terms * SMALLEST
        return np.array([w @ x + b, (abs(w) @ off + rounding) * SLACK])

    def note(self, kind: str, gap: float, off: float, where: str) -> None:
        """Keep a decision."""
        self.noted.setdefault(kind, []).append((float(gap), float(off), where))

    def _at(self, state: Seen) -> dict[str, Vector]:
        """Controller and memory interface in a state."""
        shown, last_op = state[0], 1.0 * (np.arange(self.ops) == state[2])
        signals = np.array(shown, float) if isinstance(shown, tuple) else np.eye(self.signals)[shown]
        before, off = self.layer("controller", signals, self.bits(state[1]), last_op)
        value = [tanh(float(x)) for x in before]  # its slope is at most 1
        hidden = np.array([value, (off + TANH_SINGLE + TANH_DOUBLE) * SLACK])
        names = ("read.key", "read.modes", "write.word", "constrained.word")
        parts = {name: self.layer(f"interface.{name}", signals, hidden) for name in names}
        return parts | {"signals": signals, "hidden": hidden}

    def _written(self, state: Seen) -> tuple[int, int]:
        """The words that the constrained and the free head write."""
        return self.word(state, "constrained"), self.word(state, "write")

    def word(self, state: Seen, head: str) -> int:
        """The word of one head; sign(0) = -1."""
        values, off = self.at(state)[f"{head}.word"]
        for j in range(self.size):
            self.note("sign", abs(values[j]), off[j], f"{said(state)}, {head} bit {j}")
        return sum(1 << j for j in range(self.size) if values[j] > 0)

    def _winner(self, state: Seen, present: tuple[int, ...]) -> int:
        """The strongest of the mechanisms that have an address."""
        best, gap, off = strongest(self.at(state)["read.modes"], present)
        if len(present) > 1:
            self.note("mode", gap, off, f"{said(state)}, {MECHANISMS[best]}")
        return best

    def _op(self, state: Seen, word: int) -> int:
        """The operation chosen in a state in which `word` is read."""
        logits = self.layer(
            "transform_c", self.at(state)["hidden"], self.bits(word), self.at(state)["signals"]
        )
        best, gap, off = strongest(logits, range(self.ops))
        self.note("op", gap, off, f"{said(state)}, read {word:08b}, op {best}")
        return best

    def _prefers(self, state: Seen, word: int, other: int) -> bool:
        """Does the read key match `word` better than `other`? Products with ±1 are exact."""
        key, off = self.at(state)["read.key"]
        gap = float(key @ (self.bits(word) - self.bits(other)))
        rounding = (gamma(self.size, SINGLE) + gamma(self.size + 2, DOUBLE)) * (abs(key) + off)
        if not (abs(key) + off).sum() < LARGEST:
            raise Rejected("range: content scores may overflow in float32")
        bound = (float((off + rounding).sum()) + 4 * self.size * SMALLEST) * SLACK
        self.note("content", abs(gap), bound, f"{said(state)}, {word:08b} against {other:08b}")
        return gap > bound / 2**25  # what float64 can hardly tell apart is a tie, which no proof may use

    def best_word(self, state: Seen, words: Iterable[int]) -> int:
        """The word that the key matches best: each, by increasing code, against the best so far."""
        best, *others = sorted(set(words))
        for other in others:
            best = best if self.prefers(state, best, other) else other
        return best


class Proof:
    """Every step of the proof, taken for one model. `failing` names those that do not hold."""

    def __init__(self, control: Control, prefix: int, backtracks: bool) -> None:
        self.control, self.prefix, self.backtracks = control, prefix, backtracks
        self.failing: list[str] = []
        self.reads: dict[State, set[int]] = {}
        self.lookups: set[State] = set()
        self.pattern = cache(self._pattern)
        self.first = self.follow()
        if self.failing:
            raise Rejected(*self.failing)
        self.pairs = self.closure()
        self.fresh = {here for _, here in self.pairs}
        self.early = {self.pattern(word)[1][4] for word in self.first[:prefix]}
        self.final = self.early | {self.pattern(word)[1][4] for word in self.fresh}
        for before, here in sorted(self.pairs):
            self.search(before, here)
            for op in range(4):
                state = (BACK, self.pattern(here)[1][op], op)
                self.walk(state) if backtracks else self.stop(state, before, here)
        for word in sorted(self.final) if backtracks else ():
            self.back("back.up", word, self.final)

    def tick(self, words: list[int], last: int, state: State) -> tuple[int, State]:
        """One tick on cells with `words`, cell `last` read before: the cell read now, the state left behind.

        Tick t writes cell t - 1, so the links follow from `last`; its parent, if no tick was wrong before.
        """
        constrained, fresh = self.control.written(state)
        if last != NONE:
            words[last] = constrained
        words.append(fresh)
        links = (0, last + 1, last - 1, len(words) - 1, (last - 1) // 4)
        present = (m for m in self.control.every if m == CONTENT or (last != NONE and links[m] != NONE))
        winner = self.control.winner(state, tuple(present))
        cell = links[winner]
        if winner == CONTENT:
            self.lookups.add(state)
            cell = words.index(self.control.best_word(state, words))
        self.reads.setdefault(state, set()).add(words[cell])
        return cell, (state[0], words[cell], self.control.op(state, words[cell]))

    def follow(self) -> list[int]:
        """Ticks and goals 1 .. 4 prefix + 1, one by one. F_0 .. F_{4 prefix}: what cells are written with."""
        words: list[int] = []
        first, cell, state = [], NONE, (SEARCH, NONE, NONE)
        for goal in range(1, 4 * self.prefix + 2):
            cell, state = self.tick(words, cell, state)
            self.expect((cell, state[2]) == divmod(goal - 1, 4), "prefix.search", f"tick {goal}")
            first.append(words[-1])
            copy, last, left, node = [*words], cell, state, goal
            while node != NONE:
                last, left = self.tick(copy, last, (BACK, *left[1:]))
                right = left[2] == NOP and (last == node or not self.backtracks)
                self.expect(right, "prefix.end", f"goal {goal}, node {node}")
                node = (node - 1) // 4 if self.backtracks else NONE
        return first

    def _pattern(self, word: int) -> tuple[list[State], list[int], list[int]]:
        """A node whose cell is written with `word`: the states that its ticks leave, the words of its cell at
        its ticks and for good, the words of its children."""
        states: list[State] = []
        words, children = [word], []
        for op in range(4):
            states.append((SEARCH, words[-1], op))
            constrained, fresh = self.control.written(states[-1])
            words.append(constrained)
            children.append(fresh)
        return states, words, children

    def closure(self) -> set[tuple[int, int]]:
        """Q: all (F_{n-1}, F_n) with n >= prefix, from those followed. 4m is the last child of node m - 1."""
        pairs = {*pairwise(self.first[self.prefix - 1 :])}
        left = [*pairs]
        while left:
            before, here = left.pop()
            new = {*pairwise((self.pattern(before)[2][3], *self.pattern(here)[2]))} - pairs
            pairs |= new
            left += new
            if len(pairs) > MOST_PAIRS:
                raise Rejected(f"invariant.pairs: more than {MOST_PAIRS}")
        return pairs

    def search(self, before: int, here: int) -> None:
        """The ticks of a node n >= prefix: cells before n hold final words, cells after it fresh ones."""
        first, (states, words, _) = self.pattern(before)[0][3], self.pattern(here)
        self.finds("search.advance", first, here, self.final, CONTENT, FORWARD)
        self.chooses("search.op", first, {here}, 0)
        for op in range(1, 4):
            self.finds("search.stay", states[op - 1], words[op], self.final, CONTENT)
            self.chooses("search.op", states[op - 1], {words[op]}, op)

    def walk(self, state: State) -> None:
        """The goal's tick reads the new cell, the next its parent, rewritten by then, others final words."""
        constrained, fresh = self.control.written(state)
        others = self.final | self.fresh | {constrained}
        self.finds("goal.read", state, fresh, others, CONTENT, USAGE_FORWARD)
        self.chooses("goal.nop", state, {fresh}, NOP)
        onward = (BACK, fresh, NOP)
        unlike: set[int] = set()
        if self.control.winner(onward, self.control.every) == CONTENT:
            # No other cell may have the word: the goal's, rewritten, and one more are new.
            unlike = self.final | self.fresh | {*self.control.written(onward)}
        self.finds("back.parent", onward, constrained, unlike, CONTENT, USAGE_BACKWARD)
        self.chooses("back.parent", onward, {constrained}, NOP)
        self.back("back.grandparent", constrained, self.final)

    def back(self, name: str, last: int, words: set[int]) -> None:
        """A tick on the way back, after the word `last` was read."""
        self.finds(name, (BACK, last, NOP), last, set(), USAGE_BACKWARD)
        self.chooses(name, (BACK, last, NOP), words, NOP)

    def stop(self, state: State, before: int, here: int) -> None:
        """The goal's tick of Search chooses nop, whatever it reads; cell m >= prefix was read before."""
        words = {self.control.written(state)[1]}
        winner = self.control.winner(state, self.control.every)
        if winner == CONTENT:
            words = self.candidates(state, before, here)
        elif winner == FORWARD:
            words = {after for word, after in self.pairs if word == here}
        elif winner == BACKWARD:
            words = {self.pattern(before)[1][4]}
        elif winner == USAGE_BACKWARD:
            patterns = [self.pattern(word) for word in self.fresh.union(self.first[: self.prefix])]
            words = {pattern[1][4] for pattern in patterns if here in pattern[2]}
        self.chooses("end.nop", state, words, NOP)

    def candidates(self, state: State, before: int, here: int) -> set[int]:
        """What a lookup may find: nothing that matches less than a word that is surely there.

        Such are the words of cells 0 .. prefix - 1, of m .. m + 3 and of 4m .. n, where n > 4m >= m + 3.
        """
        children = (self.pattern(before)[2][3], *self.pattern(here)[2][: state[2]])
        sure, found = self.early.union(children, self.control.written(state)), set()
        paths: set[tuple[int, ...]] = {(here,)}
        for _ in range(3):
            paths = {(*path, after) for path in paths for word, after in self.pairs if word == path[-1]}
        if len(paths) > MOST_PAIRS:
            raise Rejected(f"end.nop: more than {MOST_PAIRS} ways to go on from word {here:08b}")
        for path in paths:
            best = self.control.best_word(state, sure.union(path[1:]))
            others = sorted((self.final | self.fresh) - {best})
            found |= {best, *(word for word in others if not self.control.prefers(state, best, word))}
        return found

    def finds(self, name: str, state: State, word: int, unlike: set[int], *allowed: int) -> None:
        """An allowed mechanism reads. A lookup finds `word`, and in the right cell, if cells that would be
        taken for it hold words of `unlike`, which must not have it, and if all other words match less."""
        winner = self.control.winner(state, self.control.every)
        self.expect(winner in allowed, name, f"{said(state)} reads by {MECHANISMS[winner]}")
        if winner == CONTENT and CONTENT in allowed:
            self.expect(word not in unlike, name, f"{said(state)}: another cell may hold {word:08b}")
            for other in sorted((self.final | self.fresh | unlike) - {word}):
                right = self.control.prefers(state, word, other)
                self.expect(right, name, f"{said(state)} prefers {other:08b} to {word:08b}")

    def chooses(self, name: str, state: State, words: set[int], op: int) -> None:
        """The same operation, whichever of the words is read."""
        self.reads.setdefault(state, set()).update(words)
        for word in sorted(words):
            found = self.control.op(state, word)
            self.expect(found == op, name, f"{said(state)}, read {word:08b}: {OPS[found]}, not {OPS[op]}")

    def expect(self, holds: bool, name: str, where: str) -> None:
        """Note a step that does not hold."""
        self.failing += [] if holds else [f"{name}: {where}"]

    def row(self, state: State) -> dict[str, object]:
        """The program in one state; words that may be in memory are ordered where a lookup is possible."""
        constrained, fresh = self.control.written(state)
        strength, reads = self.control.at(state)["read.modes"][0], self.reads[state]
        left, preference = {constrained, fresh, *reads, *self.final, *self.fresh, *self.first}, []
        if state not in self.lookups and self.control.winner(state, self.control.every) != CONTENT:
            left = set()
        while left:
            preference.append(self.control.best_word(state, left))
            left.remove(preference[-1])
        return {
            **{"phase": PHASES[state[0]], "word": state[1], "op": state[2]},
            **{"constrained": constrained, "fresh": fresh, "preference": preference},
            "mechanisms": sorted(self.control.every, key=lambda m: (-strength[m], m)),
            "ops": [[word, self.control.op(state, word)] for word in sorted(reads)],
        }


def shapes(signals: int, hidden: int, size: int, ops: int = 5) -> dict[str, tuple[int, ...]]:
    """The blocks of a machine's weights: W and b of three linear maps, the interface cut into named parts."""
    rows = dict.fromkeys(SCALARS, 1) | dict.fromkeys(WORDS, size) | {"read.modes": 5}
    maps = {f"interface.{name}": (count, signals + hidden) for name, count in rows.items()}
    maps |= {"controller": (hidden, signals + size + ops), "transform_c": (ops, hidden + size + signals)}
    return {f"{name}.w": s for name, s in maps.items()} | {f"{name}.b": s[:1] for name, s in maps.items()}


def hash_of(blocks: Blocks) -> str:
    """SHA-256 over name, shape and little-endian bytes of each block, in the order of names."""
    digest = hashlib.sha256()
    for name, array in sorted(blocks.items()):
        head = json.dumps([name, [*array.shape]], separators=(",", ":"))
        digest.update(head.encode() + b"\n" + np.asarray(array, array.dtype.newbyteorder("<"), "C").tobytes())
    return digest.hexdigest()


def smallest(decisions: list[Decision], claimed: object) -> dict[str, object]:
    """The margin with the smallest ratio, in the certificate's own numbers where they agree with ours."""
    gap, off, where = min(decisions, key=lambda decision: decision[0] / decision[1])
    match claimed:
        case {"gap": float(g), "bound": float(b), "where": str(w)}:
            near = [d for d in decisions if d[2] == w and d[0] / d[1] <= gap / off * (1 + AGREEMENT)]
            if any(abs(g - d[0]) <= AGREEMENT * d[0] and abs(b - d[1]) <= AGREEMENT * d[1] for d in near):
                gap, off, where = g, b, w
    return {"decisions": len(decisions), "gap": gap, "bound": off, "where": where}


def differences(path: str, expected: object, found: object) -> Iterator[str]:
    """Where two JSON values are not the same; 1, 1.0 and true are not."""
    if isinstance(expected, dict) and isinstance(found, dict) and expected.keys() == found.keys():
        for name in expected:
            yield from differences(f"{path}.{name}".removeprefix("."), expected[name], found[name])
    elif isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for i, pair in enumerate(zip(expected, found, strict=True)):
            yield from differences(f"{path}[{i}]", *pair)
    elif isinstance(expected, dict | list) or type(expected) is not type(found) or expected != found:
        yield f"{path or 'certificate'}: expected {short(expected)}, found {short(found)}"


def check(certificate: Mapping[str, object], blocks: Blocks) -> list[str]:
    """The steps that fail; none if all that the certificate says of these weights is right.

    Takes less than a second.
    """
    try:
        return steps(certificate, blocks)
    except Rejected as rejected:
        return [*rejected.args]


def steps(certificate: Mapping[str, object], blocks: Blocks) -> list[str]:
    """The steps that fail. Raises Rejected where those that follow have no meaning."""
    match certificate:
        case {
            "task": "search" | "plan" as task,
            "tool": str(tool),
            "machine": {"signals": int(signals), "hidden": int(hidden), "word_size": int(size), **options},
            "invariant": {"prefix": int(prefix)},
            "margins": {"smallest": dict(claimed)},
        } if signals in (2, 3) and 1 <= size <= 12 and 1 <= prefix <= MOST_NODES:
            usage_link = options.get("usage_link") is True
        case _:
            raise Rejected("certificate: task, tool, machine, prefix or margins are missing or out of range")
    if {name: array.shape for name, array in blocks.items()} != shapes(signals, hidden, size):
        raise Rejected("machine: the weights have other blocks or shapes")
    if not all(array.dtype == np.float32 and np.isfinite(array).all() for array in blocks.values()):
        raise Rejected("weights: expected finite float32 numbers")
    control = Control(blocks, signals, size, usage_link)
    proof = Proof(control, prefix, backtracks=task == "plan")
    noted = {kind: [*decisions] for kind, decisions in control.noted.items()}  # the program asks for more
    invariant = {"prefix": int(prefix), "prefix_words": proof.first, "pairs": sorted(map(list, proof.pairs))}
    expected = {
        **{"kind": "certificate", "schema": 1, "tool": tool, "weights": hash_of(blocks), "task": task},
        "machine": {
            **{"signals": int(signals), "hidden": int(hidden), "word_size": int(size)},
            **{"mix": "winner", "words": "bits", "usage_link": usage_link, "constrained_head": True},
            **dict.fromkeys(("constrained_gate", "write_gate", "allocation"), "always"),
        },
        "claims": [{"label": "proved", "text": text} for text in CLAIMS[task]],
        "assumptions": ASSUMPTIONS,
        "program": {
            **{"schema": 1, "task": task, "word_size": int(size)},
            "states": [proof.row(state) for state in sorted(proof.reads)],
        },
        "invariant": invariant | {"final": sorted(proof.final), "fresh": sorted(proof.fresh)},
        "margins": {
            "factor": FACTOR,
            "smallest": {kind: smallest(decisions, claimed.get(kind)) for kind, decisions in noted.items()},
        },
    }
    thin = [
        f"margin.{kind}: {where}: gap {gap:.3g}, bound {off:.3g}"
        for kind, decisions in noted.items()
        for gap, off, where in decisions
        if not gap > FACTOR * off
    ]
    control_part = {name: value for name, value in certificate.items() if name != "data"}
    return [*proof.failing, *thin, *differences("", expected, control_part), *recorded(certificate)]


def recorded(certificate: Mapping[str, object]) -> list[str]:
    """What is wrong with a record about data modules, if there is one: all of it must have been right."""
    if "data" not in certificate:
        return []
    match record := certificate["data"]:
        case {"states": int(n), "expected_states": int(m), "cases": int(cases), "errors": int(errors)} if (
            0 < n == m == cases / len(OPS) and errors is not False and errors == 0
        ):
            return []
    return [f"data: expected a complete record without errors, found {short(record)}"]


def unchecked(certificate: Mapping[str, object]) -> list[str]:
    """What an accepted certificate says beside the weights of control: it is as recorded."""
    record = certificate.get("data")
    about = [f"{name} {value}" for name, value in record.items()] if isinstance(record, dict) else []
    return [f"not checked, data as recorded: {'; '.join(about)}"] if about else []


def parse(text: str | bytes) -> dict[str, object]:
    """A JSON object in UTF-8. Raises ValueError for anything else, and where a field stands twice."""

    def unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
        if len(dict(pairs)) < len(pairs):
            raise ValueError("a field stands twice")
        return dict(pairs)

    try:
        text = text if isinstance(text, str) else text.decode("utf-8")  # json would take UTF-16 and UTF-32
        value = json.loads(text, object_pairs_hook=unique)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    if not isinstance(value, dict):
        raise ValueError("expected a JSON object")
    return value


def read_model(path: Path) -> tuple[dict[str, NDArray[np.generic]], dict[str, object]]:
    """Blocks and metadata of a model, a safetensors file. Raises OSError, ValueError."""
    data = path.read_bytes()
    body = 8 + int.from_bytes(data[:8], "little")
    header, entries = parse(data[8:body]), []
    match header.pop("__metadata__", None):
        case {"nhc": str(text)}:
            envelope = parse(text)
        case _:
            raise ValueError("expected the metadata of a model")
    for name, entry in header.items():
        match entry:
            case {"dtype": "F32", "shape": [*shape], "data_offsets": [begin, end]} if {
                *map(type, (*shape, begin, end))
            } == {int}:
                entries.append((begin, end, name, shape))
            case _:
                raise ValueError(f"{name} is no float32 block")
    blocks, last = {}, 0
    for begin, end, name, shape in sorted(entries):
        if (
            begin != last
            or min(shape, default=0) < 1
            or end - begin != 4 * math.prod(shape)
            or body + end > len(data)
        ):
            raise ValueError(f"{name} does not begin where the block before it ends, or is of another size")
        part = data[body + begin : body + end]
        blocks[name] = np.frombuffer(part, "<f4").reshape(shape)  # ValueError beyond the end of the file
        last = end
    metadata = envelope.get("metadata")
    if body + last != len(data) or not isinstance(metadata, dict):
        raise ValueError("expected the metadata of a model, and nothing after its last block")
    content = [1, metadata, dict.fromkeys(blocks, "float32"), hash_of(blocks)]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    if envelope.get("checksum") != hashlib.sha256(text.encode()).hexdigest():
        raise ValueError("the model's checksum is wrong: it is not what was written")
    return blocks, metadata


def check_files(certificate_path: Path, model_path: Path) -> list[str]:
    """`check` for files, with the model's own word on task and machine. Raises OSError, ValueError."""
    certificate, (blocks, metadata) = parse(certificate_path.read_bytes()), read_model(model_path)
    told = {name: metadata.get(name) for name in ("kind", "ops", "task", "machine", "signals")}
    claimed = {name: certificate.get(name) for name in ("task", "machine")}
    match claimed:
        case {"machine": {"signals": signals}}:
            claimed["signals"] = signals
    meant = {"kind": "model", "ops": [*OPS], "signals": None} | claimed
    return [*differences("model", meant, told), *check(certificate, blocks)]


def main(arguments: list[str]) -> int:
    """Prints `accepted` or the steps that fail. Returns 0, 1, or 2 where the files cannot be used."""
    try:
        certificate, model = map(Path, arguments)
        failing = check_files(certificate, model)
        notes = unchecked(parse(certificate.read_bytes()))
    except (OSError, ValueError) as error:
        print(f"usage: checker.py CERTIFICATE MODEL\nerror: {error}", file=sys.stderr)
        return 2
    print("\n".join(failing or ["accepted", *notes]))
    return 1 if failing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

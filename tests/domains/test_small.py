"""Small worlds made of plain functions, against rules written another way; what does not fit is refused."""

from collections.abc import Callable
from dataclasses import replace
from itertools import permutations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from nhc.domains.local import FiniteWorld, view_of
from nhc.domains.protocol import NOP, ReadableDomain
from nhc.domains.small import Cells, SmallWorld, small_world
from nhc.domains.states import picked, plain
from nhc.errors import InputError

PADS, SIGNS = 5, ".rg"
JUMPS = (-1, 1, -2, 2)
ALL = sorted({"".join(order) for order in permutations(".rrgg")})


def step(state: str, op: int) -> str:
    """The frog that many pads away from the hole jumps into it."""
    hole, frog = state.index("."), state.index(".") + JUMPS[op]
    if not 0 <= frog < PADS:
        return state
    pads = [*state]
    pads[hole], pads[frog] = pads[frog], "."
    return "".join(pads)


def look(state: str) -> list[int | None]:
    hole = state.index(".")
    return [hole, *(hole + jump if 0 <= hole + jump < PADS else None for jump in JUMPS)]


def frogs(**changes: object) -> SmallWorld:
    """Five pads in a row, a hole, two red frogs and two green ones."""
    given = {
        "name": "frogs",
        "family": "two red frogs, two green ones and a hole on five pads",
        "symbols": SIGNS,
        "size": 5 * 6,
        "states": ALL,
        "step": step,
        "look": look,
        "ops": {"left": (0, 1), "right": (0, 2), "far-left": (0, 3), "far-right": (0, 4)},
    }
    return small_world(**{**given, **changes})


WORLD = frogs()
STATES = next(iter(WORLD.family_states()))
TEXTS = [WORLD.draw(picked(STATES, row)) for row in range(len(ALL))]


def twin(text: str, op: int) -> str:
    """By cutting the text: the two signs change places."""
    ends = sorted((text.find("."), text.find(".") + JUMPS[op]))
    if ends[0] < 0 or ends[1] >= len(text):
        return text
    a, b = ends
    return text[:a] + text[b] + text[a + 1 : b] + text[a] + text[b + 1 :]


def test_the_family_is_all_states_once() -> None:
    assert isinstance(WORLD, FiniteWorld) and isinstance(WORLD, ReadableDomain)
    assert WORLD.family_size == 30 == len({*TEXTS}) and {*TEXTS} == {*ALL}
    drawn = WORLD.sample(np.random.default_rng(0), 500)
    assert {*np.asarray(drawn.number).tolist()} == {*np.asarray(STATES.number).tolist()}
    by_hand = [sum(SIGNS.index(sign) * 3**pad for pad, sign in enumerate(text)) for text in TEXTS]
    assert np.asarray(STATES.number).tolist() == by_hand == WORLD.key(STATES).tolist()


@pytest.mark.parametrize("op", range(4))
def test_steps_are_those_of_the_twin(op: int) -> None:
    after = WORLD.step(STATES, op)
    grid = WORLD.step(Cells(np.asarray(STATES.number).reshape(5, 6)), op)
    assert np.array_equal(np.asarray(grid.number).reshape(-1), after.number)
    for row, text in enumerate(TEXTS):
        alone = WORLD.step(plain(picked(STATES, row)), op)
        assert type(alone.number) is int
        assert WORLD.draw(alone) == WORLD.draw(picked(after, row)) == twin(text, op)


def test_words_are_one_hot_signs() -> None:
    by_hand = [[int(sign == held) for held in text for sign in SIGNS] for text in TEXTS]
    words = WORLD.encode(STATES)
    assert words.tolist() == by_hand and WORLD.word_bits == 15
    assert np.array_equal(WORLD.decode(words).number, STATES.number)
    assert WORLD.decode(words[7]) == plain(picked(STATES, 7))
    double = words[3].copy()
    double[:3] = 1
    holes = np.tile(np.array([1, 0, 0], np.uint8), PADS)
    for wrong, message in ((double, "exactly one"), (holes, "a state of frogs")):
        with pytest.raises(InputError, match=message) as caught:
            WORLD.decode(wrong)
        assert caught.value.code == "word.invalid"


@pytest.mark.parametrize("library", [np.asarray, jnp.asarray])
def test_view_and_rule_are_those_of_the_twin(library: Callable) -> None:
    contents = library(WORLD.contents(STATES))
    run = jax.jit if library is jnp.asarray else lambda function: function
    cells = run(WORLD.cells_in_view)(contents)
    view = view_of(WORLD.form, contents, cells)
    for op in range(5):
        changed, after = run(WORLD.act)(view, library(np.full(len(TEXTS), op)))
        for row, text in enumerate(TEXTS):
            hole = text.index(".")
            shown = [hole, *(hole + jump for jump in JUMPS)]
            expected = [cell if 0 <= cell < PADS else -1 for cell in shown]
            assert np.asarray(cells)[row].tolist() == expected
            then = text if op == NOP else twin(text, op)
            reach = (0, 1 + op) if op < NOP else (0, 1)
            held = [SIGNS.index(then[expected[slot]]) if expected[slot] >= 0 else 3 for slot in reach]
            assert np.asarray(after)[row].tolist() == held
            assert bool(np.asarray(changed)[row]) == (then != text)
    shown = {tuple(row) for row in np.asarray(view).tolist()}
    assert sorted(shown) == sorted(map(tuple, WORLD.views().tolist()))


def test_people_read_and_write_states() -> None:
    state = WORLD.state_from_json("rg.gr")
    assert WORLD.draw(state) == WORLD.state_to_json(state) == "rg.gr"
    assert WORLD.plan_text(state, [3, 0]) == "far-right left"
    for wrong in ("rg.g", "rg.gx", "rrrgg", 7, None, ["r", "g", ".", "g", "r"]):
        with pytest.raises(InputError, match="a state of frogs") as caught:
            WORLD.state_from_json(wrong)
        assert caught.value.code == "task.json"


def stray(state: str, op: int) -> str:
    return state[:-1] + "r" if op == 2 else step(state, op)


def far_change(state: str, op: int) -> str:
    return "".join(reversed(state)) if op == 1 else step(state, op)


def hidden_change(state: str, op: int) -> str:
    """Depends on a frog that the narrow view does not show."""
    return step(state, op) if op < 2 and state[-1] != "g" else state


NARROW = {"left": (0, 1), "right": (0, 2), "rest": (0, 1), "wait": (0, 2)}


@pytest.mark.parametrize(
    ("code", "message", "changes"),
    [
        ("world.symbols", "2 to 254 different signs", {"symbols": ".rr"}),
        ("world.symbols", "5 signs of '.rg', found 'rg.gx'", {"states": [*ALL[:29], "rg.gx"]}),
        ("world.symbols", "found 'rg'", {"states": [*ALL[:29], "rg"]}),
        ("world.size", "expected 31 states, found 30", {"size": 31}),
        ("world.states", "found none", {"states": [], "size": 0}),
        ("world.states", f"'{ALL[0]}' comes twice", {"states": [*ALL[:29], ALL[0]]}),
        ("world.states", "operation 2 leads from .* not among the states", {"step": stray}),
        ("world.view", "expected 5 cells of 0..4", {"look": lambda s: look(s)[: 5 - (s[0] == "g")]}),
        ("world.view", "found .*5", {"look": lambda s: [s.index(".") + 1, None, None, None, None]}),
        ("world.reach", "4 operations", {"ops": {"left": (0, 1), "right": (0, 2), "far-left": (0, 3)}}),
        ("world.reach", "equally many", {"ops": {"a": (0,), "b": (0, 2), "c": (0, 3), "d": (0, 4)}}),
        ("world.reach", "slots of 0..4", {"ops": {"a": (0, 1), "b": (0, 2), "c": (0, 3), "d": (0, 5)}}),
        ("world.reach", r"operation 1 changes cell 0 .* none of its slots \[0, 2\]", {"step": far_change}),
        (
            "world.act",
            "show the same view, but operation 0",
            {"look": lambda s: look(s)[:3], "ops": NARROW, "step": hidden_change},
        ),
        ("world.large", "at most 200,000 states", {"symbols": SIGNS + "".join(map(chr, range(256, 356)))}),
    ],
)  # fmt: skip
def test_what_does_not_fit_together_is_refused(code: str, message: str, changes: dict) -> None:
    with pytest.raises(InputError, match=message) as caught:
        frogs(**changes)
    assert caught.value.code == code


def test_worlds_are_themselves_only() -> None:
    """They are static arguments of compiled functions."""
    assert len({WORLD, frogs(), replace(WORLD)}) == 3

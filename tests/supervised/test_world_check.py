"""Checks of worlds: ours pass, and each way to get a part wrong has its code."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import jax
import numpy as np
import pytest

from nhc.domains.local import FiniteWorld, WordForm, namespace
from nhc.domains.permuted import PermutedSokoban
from nhc.domains.stacking import Stacking
from nhc.errors import InputError
from nhc.supervised.world_check import MEMBERS, check_world, require_members
from tests.supervised.passage import FLOOR, STONE, WALKER, Passage, Walk

FORM = Passage().form


@pytest.fixture(autouse=True)
def _like_users() -> Iterator[None]:
    """The rule that no rank is promoted is our own."""
    with jax.numpy_rank_promotion("allow"):
        yield


@pytest.mark.parametrize("world", [Passage(), Stacking(4), PermutedSokoban()], ids=lambda world: world.name)
def test_sound_worlds_pass(world: FiniteWorld) -> None:
    check_world(world)


def broken(**parts: object) -> Passage:
    """A passage with other parts: values, or functions of the sound passage and the arguments."""
    sound = Passage()
    made = {
        name: property(lambda self, value=part: value)
        if not callable(part)
        else lambda self, *arguments, part=part: part(sound, *arguments)
        for name, part in parts.items()
    }
    return type("Broken", (Passage,), made)()


def with_form(**changes: object) -> Passage:
    return broken(form=replace(FORM, **changes))


def lost_stone(world: Passage, state: Walk, op: int) -> Walk:
    """Operation 2 takes the stones away."""
    return Walk(state.walker, state.stones * 0) if op == 2 else world.step(state, op)


def one_way(world: Passage, state: Walk, op: int) -> Walk:
    """Forgets a batch's operation for single states."""
    return state if np.ndim(state.walker) == 0 else world.step(state, op)


def always(world: Passage, view: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    changed, after = world.act(view, op)
    return changed | True, after


def invented(world: Passage, view: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Reports what is not there where nothing changes."""
    changed, after = world.act(view, op)
    return changed, namespace(view).where(changed[..., None], after, STONE)


def nop_acts(world: Passage, view: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return world.act(view, namespace(op).where(op == 4, 1, op))


def narrow(world: Passage, view: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    changed, after = world.act(view, op)
    return changed, after[..., :1]


def branches(world: Passage, contents: np.ndarray) -> np.ndarray:
    return world.cells_in_view(contents) if (contents == WALKER).any() else contents


def other_in_jax(world: Passage, view: np.ndarray, op: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    changed, after = world.act(view, op)
    return (changed & (op != 3) if isinstance(view, jax.Array) else changed), after


def doubled(world: Passage) -> Iterator[Walk]:
    """The last part of the family is the first one again."""
    parts = list(world.family_states())
    yield from [*parts[:-1], parts[0]]


def most(world: Passage) -> Iterator[Walk]:
    """With states that are none in place of those that have the walker at 3."""
    for part in world.family_states():
        stones = np.where(part.walker == 3, part.stones ^ 8, part.stones)
        yield Walk(np.where(part.walker == 3, 9, part.walker), stones)


CASES: list[tuple[str, str, Callable[[], object]]] = [
    ("world.form", "two different symbols", partial(with_form, symbols=("a", "b", "a"))),
    ("world.form", "one cell", partial(with_form, cells=0)),
    ("world.form", "`beyond`", partial(with_form, beyond=4)),
    ("world.form", "four rows", partial(with_form, reach=((0, 2), (0, 2), (0, 1)))),
    ("world.form", "equally many", partial(with_form, reach=((0, 2), (0, 2), (0, 1), (0,)))),
    ("world.form", "slots of 0..2", partial(with_form, reach=((0, 2), (0, 3), (0, 1), (0, 1)))),
    ("world.form", "`word_bits`", partial(broken, word_bits=20)),
    ("world.symbols", r"uint8 \(512, 7\), found uint8 \(512, 6\)",
     partial(broken, contents=lambda w, s: w.contents(s)[..., :6])),
    ("world.symbols", "found int64", partial(broken, contents=lambda w, s: w.contents(s).astype(np.int64))),
    ("world.symbols", "state Walk.* a symbol of 0..2, found 3",
     partial(broken, contents=lambda w, s: w.contents(s) + np.uint8(w.contents(s) == FLOOR))),
    ("world.encoding", r"shape \(512, 21\)", partial(broken, encode=lambda w, s: w.encode(s)[:, :18])),
    ("world.encoding", "not its contents", partial(broken, encode=lambda w, s: w.encode(s)[..., ::-1])),
    ("world.encoding", "decodes to",
     partial(broken, decode=lambda w, words: Walk(w.decode(words).walker, 1 + w.decode(words).stones))),
    ("world.key", "equal keys and different words",
     partial(broken, key=lambda w, s: w.key(s) >> np.uint64(1))),
    ("world.key", "equal keys and different words",
     partial(broken, key=lambda w, s: np.arange(512, dtype=np.uint64))),
    ("world.view", r"shape \(512, 3\)",
     partial(broken, cells_in_view=lambda w, c: w.cells_in_view(c)[:, :2])),
    ("world.view", "slot .: expected a cell of 0..6 or -1 for none, found 7",
     partial(broken, cells_in_view=lambda w, c: w.cells_in_view(c) + 1)),
    ("world.views", "is not among", partial(broken, views=lambda w: w.views()[1:])),
    ("world.step", "alone and to", partial(broken, step=one_way)),
    ("world.act", "operation 2: `act` makes .* where `step` makes", partial(broken, step=lost_stone)),
    ("world.act", "shapes", partial(broken, act=narrow)),
    ("world.act", "wrong about whether", partial(broken, act=always)),
    ("world.act", r"reports \[1, 1\] for slots that still hold", partial(broken, act=invented)),
    ("world.act", "nop: `act` makes", partial(broken, act=nop_acts)),
    ("world.jax", "cannot be traced by JAX", partial(broken, cells_in_view=branches)),
    ("world.jax", "operation 3: JAX computes another state", partial(broken, act=other_in_jax)),
    ("world.size", "expected 449 states by formula, found 448", partial(broken, family_size=449)),
    ("world.states", "comes twice", partial(broken, family_states=doubled)),
    ("world.states", "it was drawn, but is not of the family", partial(broken, family_states=most)),
]  # fmt: skip


@pytest.mark.parametrize(("code", "message", "make"), CASES, ids=[f"{c}-{m:.20}" for c, m, _ in CASES])
def test_mistakes_have_names(code: str, message: str, make: Callable[[], FiniteWorld]) -> None:
    with pytest.raises(InputError, match=message) as caught:
        check_world(make())
    assert caught.value.code == code


def test_leaving_the_family_is_found() -> None:
    """Only walkers in the left half are of the family, and right leads out of it."""

    def half(world: Passage) -> Iterator[Walk]:
        yield from list(world.family_states())[:4]

    def drawn(world: Passage, rng: np.random.Generator, count: int) -> Walk:
        states = world.sample(rng, count)
        walker = states.walker % 4
        return Walk(walker, states.stones & ~(1 << walker))

    world = broken(family_states=half, sample=drawn, family_size=256)
    with pytest.raises(InputError, match=r"walker=3.*operation 1 leads out of the family") as caught:
        check_world(world)
    assert caught.value.code == "world.states"


def test_parts_that_are_missing_are_named() -> None:
    parts = SimpleNamespace(**dict.fromkeys(MEMBERS))
    require_members(parts)
    del parts.act, parts.sample
    with pytest.raises(InputError, match="none of sample, act") as caught:
        require_members(parts)
    assert caught.value.code == "world.members"


def test_the_form_is_what_the_cases_change() -> None:
    assert WordForm(("walker", "stone", "floor"), 7, 3, 3, ((0, 2), (0, 2), (0, 1), (0, 1))) == FORM

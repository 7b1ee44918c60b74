"""From plain functions on texts to a world; what does not fit together is refused with the state at fault."""

from collections.abc import Iterable, Mapping, Sequence

from nhc.domains.local import WordForm
from nhc.domains.protocol import BRANCHING
from nhc.domains.small.tables import LARGEST_NUMBER, MOST_STATES, Look, Step, tabulated
from nhc.domains.small.world import SmallWorld
from nhc.errors import InputError


def small_world(
    *,
    name: str,
    family: str,
    symbols: str,
    size: int,
    states: Iterable[str],
    step: Step,
    look: Look,
    ops: Mapping[str, Sequence[int]],
) -> SmallWorld:
    """A world whose states are texts of one length, one sign of `symbols` a cell.

    `states` are all of them, `size` is their number by a count of its own, and `family` says in a sentence
    which they are. `step(state, op)` is the state after operation 0..3, an equal one where it has no effect.
    `look(state)` names the cells that the local view shows, slot by slot, None where a slot shows none. `ops`
    names the four operations, each with the slots whose cells it may change, equally many for each.

    The local rule, what an operation makes of a view, follows from `step`: where the view does not decide
    what happens, or another cell changes, the world is refused. Raises InputError: `world.symbols`,
    `world.states`, `world.size`, `world.large`, `world.view`, `world.reach`, `world.act`.
    """
    texts = list(states)
    form = form_of(symbols, texts, look, ops)
    if len(texts) != size:
        raise InputError("world.size", f"{name}: expected {size:,} states, found {len(texts):,}")
    words, views = len(symbols) ** form.cells, form.view_symbols**form.slots
    if len(texts) > MOST_STATES or max(words, views) > LARGEST_NUMBER:
        expected = f"at most {MOST_STATES:,} states and {LARGEST_NUMBER:,} possible words and views"
        found = f"{len(texts):,}, {words:,} and {views:,}"
        raise InputError("world.large", f"{name}: expected {expected}; found {found}")
    return SmallWorld(name, family, form, tuple(ops), tabulated(form, texts, step, look))


def form_of(symbols: str, texts: list[str], look: Look, ops: Mapping[str, Sequence[int]]) -> WordForm:
    """How words and views are made of cells. Raises InputError: `world.symbols`, `world.states`,
    `world.reach`."""
    if not 2 <= len({*symbols}) == len(symbols) < 255:
        raise InputError("world.symbols", f"expected 2 to 254 different signs, found {symbols!r}")
    if not texts or not texts[0]:
        raise InputError("world.states", "expected states of one cell or more, found none")
    slots, reach = len(look(texts[0])), tuple(map(tuple, ops.values()))
    counts = {len(row) for row in reach}
    inside = all(slot in range(slots) for row in reach for slot in row)
    if len(reach) != BRANCHING or len(counts) != 1 or counts == {0} or not inside:
        expected = f"4 operations, each with equally many slots of 0..{slots - 1}"
        raise InputError("world.reach", f"expected {expected}; found {dict(ops)}")
    return WordForm(tuple(symbols), len(texts[0]), slots, len(symbols), reach)

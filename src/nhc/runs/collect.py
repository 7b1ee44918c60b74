"""The results of work that a pool does, in the order of the items: each in its turn, or all at the end."""

from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from typing import cast

from nhc.runs.pool import ItemT, Outcome, ResultT, outcomes


def in_order(outcomes: Iterable[Outcome[ItemT, ResultT]]) -> Iterator[ResultT]:
    """The results in the order of the items, each when those before it are there; raises their errors."""
    early, due = dict[int, Outcome[ItemT, ResultT]](), 0
    for outcome in outcomes:
        early[outcome.number] = outcome
        while (ready := early.pop(due, None)) is not None:
            if ready.error is not None:
                raise ready.error
            yield cast("ResultT", ready.result)
            due += 1


def completed(
    function: Callable[[ItemT], ResultT],
    items: Iterable[ItemT],
    workers: int,
    on_done: Callable[[ResultT], None],
    *,
    started: Callable[[ItemT], None] = lambda item: None,
    lost: Callable[[ItemT], ItemT] = lambda item: item,
) -> list[ResultT]:
    """All results in the order of the items; `on_done` is told of each as soon as it is there.

    After the first error no other item begins, and it is raised when all running ones have ended. On
    KeyboardInterrupt the workers write their checkpoints before this raises.
    """
    results, errors = dict[int, ResultT](), list[Exception]()
    open_items = takewhile(lambda item: not errors, items)
    for outcome in outcomes(function, open_items, workers, started=started, lost=lost):
        if outcome.result is None:
            errors.append(outcome.error or RuntimeError("an item without a result"))
        else:
            results[outcome.number] = outcome.result
            on_done(outcome.result)
    if errors:
        raise errors[0]
    return [results[number] for number in range(len(results))]

"""A check from its first chunk to its last: enumeration, engine, progress file, early end."""

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import jax
import numpy as np
from numpy.typing import NDArray

from nhc.data.networks import Networks
from nhc.domains.local import FiniteWorld
from nhc.domains.protocol import StateT
from nhc.domains.states import regrouped
from nhc.errors import ConfigError, InputError, Place
from nhc.runs.arrays import weight_hash
from nhc.runs.storage import sha256
from nhc.streams import random_stream
from nhc.supervised.check.cases import ChunkResult, Truth
from nhc.supervised.check.engine import Engine
from nhc.supervised.check.report import COUNTED, CaseCounts, CheckRecord, load_report, save_report
from nhc.supervised.files import blocks

SAVE_EVERY = 10.0
"""Seconds between two writes of the progress file."""
NEEDS = {
    "transform_d": ("view",),
    "alu": ("acts", "change"),
    "output": ("inserts", "mask"),
    "composed": ("view", "acts", "change", "inserts", "mask"),
}
"""Networks of what is counted."""

OnProgress = Callable[[CheckRecord, int], None]
"""Told the record so far and the number of chunks in all."""


@dataclass(frozen=True)
class CheckOptions:
    """How to check."""

    modules: frozenset[str] = frozenset(COUNTED)
    samples: int = 0
    """Draw so many states at random instead of enumerating the family."""
    seed: int = 0
    stop_after: int | None = None
    """End early when so many errors were found."""
    chunk: int = 4096
    progress_file: Path | None = None
    resume: bool = False


def check_networks(
    world: FiniteWorld[StateT],
    networks: Networks,
    options: CheckOptions,
    on_progress: OnProgress = lambda report, chunks: None,
) -> CheckRecord:
    """Run modules on every state of the family, or the part of it that the options name.

    Of the networks only those of the checked modules have to be there.

    Raises ConfigError (`check.options` for options that do not fit, `world.views`) and InputError
    (`check.record` for a progress file that is damaged or belongs to another check).
    """
    require(options, networks)
    engine = Engine(Truth(world), networks, options.modules)
    report = begun(world, networks, options)
    if "alu" in options.modules and "alu" not in report.tallies:
        report.tallies["alu"] = engine.counter.alu_counts()
    if options.modules == {"alu"}:  # The states do not matter, and there may be too many to enumerate.
        return report
    hashes: list[NDArray[np.uint64]] = []
    jobs = chunks_of(world, options, report.chunks, hashes)
    follow(report, (engine.check(states, first) for first, states in jobs), options, on_progress)
    if not options.samples and not report.stopped:
        for _ in jobs:
            pass  # the rest of the enumeration, where no chunk is checked
        ordered = np.sort(np.concatenate(hashes))
        report.enumerated, report.distinct = len(ordered), bool((ordered[1:] != ordered[:-1]).all())
    keep(report, options)
    return report


def require(options: CheckOptions, networks: Networks) -> None:
    """Raises ConfigError (`check.options`)."""
    needed = {name for module in options.modules for name in NEEDS.get(module, (f"module {module}",))}
    if missing := sorted(needed - networks.keys()):
        raise ConfigError("check.options", f"expected networks that are not there: {', '.join(missing)}")
    if options.chunk < 1 or options.samples < 0:
        raise ConfigError("check.options", f"expected samples to draw, found {options.samples}")


def begun(world: FiniteWorld[StateT], networks: Networks, options: CheckOptions) -> CheckRecord:
    """An empty record, or the one to go on with."""
    device = jax.devices()[0]
    fresh = CheckRecord(
        world=world.name,
        family=world.family,
        family_hash=family_hash(world),
        weights=weight_hash(blocks(networks)),
        modules=[name for name in COUNTED if name in options.modules],
        engine="jax",
        arithmetic=f"float32, {device.platform} {device.device_kind} (JAX)",
        samples=options.samples,
        chunk=options.chunk,
        formula=world.family_size,
    )
    path = options.progress_file
    if not options.resume or path is None or not path.exists():
        return fresh
    old = load_report(path)
    if old.identity() != fresh.identity():
        message = "belongs to another check: expected the same weights, family and modules"
        raise InputError("check.record", message, Place(str(path)))
    return old


def family_hash(world: FiniteWorld[StateT]) -> str:
    """SHA-256 of what names the family: its world, its sentence, its size, and how words are made."""
    parts = [world.name, world.family, world.family_size, asdict(world.form)]
    return sha256(json.dumps(parts, sort_keys=True).encode())


def chunks_of(
    world: FiniteWorld[StateT], options: CheckOptions, done: int, hashes: list[NDArray[np.uint64]]
) -> Iterator[tuple[int, StateT]]:
    """The chunks to be checked after the first `done` of them, each with the number of its first state.

    `hashes` takes those of all states that are enumerated: if they are distinct, so are the states.
    """
    if options.samples:
        for number, first in enumerate(range(0, options.samples, options.chunk)):
            if number >= done:
                rng = random_stream(options.seed, "module check", number)
                yield first, world.sample(rng, min(options.chunk, options.samples - first))
        return
    for number, states in enumerate(regrouped(world.family_states(), options.chunk)):
        hashes.append(hashed(states))
        if number >= done:
            yield number * options.chunk, states


def hashed(states: tuple[object, ...]) -> NDArray[np.uint64]:
    """A hash of each state of a batch."""
    fields = [np.asarray(part).astype(np.uint64) for part in states]
    mixed = np.zeros_like(fields[0])
    for part in fields:
        mixed = (mixed ^ part) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return mixed


def follow(
    report: CheckRecord, results: Iterator[ChunkResult], options: CheckOptions, on_progress: OnProgress
) -> None:
    """Add chunk after chunk to the record; it is saved now and then, and when something stops the check."""
    chunks = -(-(options.samples or report.formula) // options.chunk)
    last = saved = time.monotonic()
    try:
        for result in results:
            for name, counts in result.counts.items():
                report.tallies.setdefault(name, CaseCounts()).add(counts)
            report.chunks += 1
            report.checked += result.states
            report.words = sha256((report.words + result.digest).encode())
            now = time.monotonic()
            report.seconds += now - last
            last = now
            on_progress(report, chunks)
            errors = sum(counts.errors for counts in report.tallies.values())
            if options.stop_after is not None and errors >= options.stop_after:
                report.stopped = True
                return
            if now - saved > SAVE_EVERY:
                keep(report, options)
                saved = now
    except BaseException:
        keep(report, options)
        raise


def keep(report: CheckRecord, options: CheckOptions) -> None:
    """Write the progress file, if one is wanted."""
    if options.progress_file is not None:
        save_report(options.progress_file, report)

"""A check from its first chunk to its last: enumeration, engines, progress file, early end."""

import json
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from nhc.data.learned import LearnedModules, Network, together
from nhc.domains.local import FiniteWorld, LocalStateT
from nhc.domains.states import regrouped
from nhc.errors import ConfigError, InputError, ModelError, Place
from nhc.runs.arrays import weight_hash
from nhc.runs.environment import host_threads
from nhc.runs.storage import sha256
from nhc.streams import random_stream
from nhc.supervised.check.fast import FastEngine
from nhc.supervised.check.judged import ChunkResult, Judge
from nhc.supervised.check.report import Report, Slice, load_report, save_report
from nhc.supervised.check.tally import MODULES, Tally
from nhc.supervised.check.truth import Truth
from nhc.supervised.check.weights import are_deep, named_networks, plain_networks
from nhc.supervised.check.workers import Done, Engine, Job, Spec, in_process, over_cores
from nhc.supervised.files import blocks

SAVE_EVERY = 10.0
"""Seconds between two writes of the progress file."""
FOLDING_SAMPLE = 4096
NEEDS = {
    "transform_d": ("view",),
    "alu": ("acts", "change"),
    "output": ("inserts", "mask"),
    "composed": ("view", "acts", "change", "inserts", "mask"),
}
"""Networks of each module."""
NETWORKS = ("equality", *NEEDS["composed"])

OnProgress = Callable[[Report, int], None]
"""Told the report so far and the number of chunks in all."""


@dataclass(frozen=True)
class CheckOptions:
    """How to check."""

    modules: frozenset[str] = frozenset(MODULES)
    engine: Literal["fast", "jax"] = "fast"
    slice: Slice = field(default_factory=Slice)
    samples: int = 0
    """Draw so many states at random instead of enumerating the family."""
    seed: int = 0
    workers: int | None = None
    """Processes of the fast engine, of one thread each; None for one a core, 0 to stay in this one."""
    stop_after: int | None = None
    """End early when so many errors were found."""
    chunk: int = 4096
    progress_file: Path | None = None
    resume: bool = False


class Enumeration:
    """Counts the states of a family and remembers a hash of each: all different means all distinct."""

    def __init__(self) -> None:
        self.count = 0
        self._hashes: list[NDArray[np.uint64]] = []

    def note(self, states: tuple[object, ...]) -> int:
        """Take a chunk; returns how many states it has."""
        fields = [np.asarray(part) for part in states]
        mixed = np.zeros(len(fields[0]), np.uint64)
        for part in fields:
            mixed = (mixed ^ part.astype(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
            mixed ^= mixed >> np.uint64(29)
        self._hashes.append(mixed)
        self.count += len(mixed)
        return len(mixed)

    def distinct(self) -> bool:
        """No two hashes are equal, so no two states are."""
        hashes = np.sort(np.concatenate(self._hashes))
        return bool((hashes[1:] != hashes[:-1]).all())


def check_modules(
    world: FiniteWorld[LocalStateT],
    modules: LearnedModules,
    options: CheckOptions,
    on_progress: OnProgress = lambda report, chunks: None,
) -> Report:
    """Run the modules on every state of the family, or the part of it that the options name.

    The fast engine needs a hidden layer in each network that reads words; others run in JAX.

    Raises ModelError (`model.encoding`) for modules of another world, and the errors of `check_networks`.
    """
    if modules.form != world.form or modules.world != world.name:
        raise ModelError("model.encoding", f"expected modules for {world.name}, found {modules.name}")
    return check_networks(world, named_networks(modules), options, on_progress)


def check_networks(
    world: FiniteWorld[LocalStateT],
    networks: Mapping[str, Network],
    options: CheckOptions,
    on_progress: OnProgress = lambda report, chunks: None,
) -> Report:
    """The same for networks by name, of which only those of the checked modules have to be there.

    Raises ConfigError (`check.options` for options that do not fit, `world.views`) and InputError
    (`check.record` for a progress file that is damaged or belongs to another check).
    """
    require(options, networks)
    truth = Truth(world)
    report = begun(world, networks, options)
    if "alu" in options.modules and "alu" not in report.tallies:
        report.tallies["alu"] = Judge(truth, plain_networks(networks)).alu_tally()
    enumeration = Enumeration()
    jobs = chunks_of(world, options, report.chunks, enumeration)
    if options.modules == {"alu"}:  # The states do not matter, and there may be too many to enumerate.
        return report
    follow(report, results(world, networks, truth, options, jobs), options, on_progress)
    if not options.samples and not report.stopped:
        for _ in jobs:
            pass  # the rest of the enumeration, where no chunk is checked
        report.enumerated, report.distinct = enumeration.count, enumeration.distinct()
    keep(report, options)
    return report


def require(options: CheckOptions, networks: Mapping[str, Network]) -> None:
    """Raises ConfigError (`check.options`)."""
    needed = {name for module in options.modules for name in NEEDS.get(module, (f"module {module}",))}
    needed |= set(NETWORKS) if engine_of(networks, options) == "jax" else set()
    if missing := sorted(needed - networks.keys()):
        raise ConfigError("check.options", f"expected networks that are not there: {', '.join(missing)}")
    if not 1 <= options.slice.part <= options.slice.of or options.chunk < 1 or options.samples < 0:
        raise ConfigError("check.options", f"expected a slice from 1/1 on, found {options.slice}")


def engine_of(networks: Mapping[str, Network], options: CheckOptions) -> str:
    """The engine that the options name, but `jax` for networks that the fast one cannot run."""
    return options.engine if are_deep(networks) or options.modules == {"alu"} else "jax"


def begun(world: FiniteWorld[LocalStateT], networks: Mapping[str, Network], options: CheckOptions) -> Report:
    """An empty report, or the one to go on with."""
    fresh = Report(
        world=world.name,
        family=world.family,
        family_hash=family_hash(world),
        weights=weight_hash(blocks(networks)),
        modules=[name for name in MODULES if name in options.modules],
        engine=engine_of(networks, options),
        arithmetic=arithmetic(engine_of(networks, options)),
        slice=str(options.slice),
        samples=options.samples,
        chunk=options.chunk,
        formula=world.family_size,
        constant=[int(cell) for cell in np.flatnonzero(constant_symbols(world) >= 0)],
    )
    path = options.progress_file
    if not options.resume or path is None or not path.exists():
        return fresh
    old = load_report(path)
    if old.identity() != fresh.identity():
        message = "belongs to another check: expected the same weights, family, engine and slice"
        raise InputError("check.record", message, Place(str(path)))
    return old


def family_hash(world: FiniteWorld[LocalStateT]) -> str:
    """SHA-256 of what names the family: its world, its sentence, its size, and how words are made."""
    parts = [world.name, world.family, world.family_size, asdict(world.form)]
    return sha256(json.dumps(parts, sort_keys=True).encode())


def arithmetic(engine: str) -> str:
    """Where and how numbers are computed."""
    if engine == "fast":
        return "float32, CPU (NumPy)"
    import jax

    device = jax.devices()[0]
    return f"float32, {device.platform} {device.device_kind} (JAX)"


def chunks_of(
    world: FiniteWorld[LocalStateT], options: CheckOptions, done: int, enumeration: Enumeration
) -> Iterator[Job[LocalStateT]]:
    """The chunks to be checked after the first `done` of them."""
    if options.samples:
        starts = range(0, options.samples, options.chunk)
        for number, first in enumerate(starts):
            if number >= done:
                rng = random_stream(options.seed, "module check", number)
                yield Job(number, first, world.sample(rng, min(options.chunk, options.samples - first)))
        return
    first, number = 0, 0
    for index, states in enumerate(regrouped(world.family_states(), options.chunk)):
        size = enumeration.note(states)
        if index % options.slice.of == options.slice.part - 1:
            if number >= done:
                yield Job(number, first, states)
            number += 1
        first += size


def chunk_count(world: FiniteWorld[LocalStateT], options: CheckOptions) -> int:
    """How many chunks there are to check."""
    whole = -(-(options.samples or world.family_size) // options.chunk)
    if options.samples:
        return whole
    return len(range(options.slice.part - 1, whole, options.slice.of))


def results(
    world: FiniteWorld[LocalStateT],
    networks: Mapping[str, Network],
    truth: Truth[LocalStateT],
    options: CheckOptions,
    jobs: Iterator[Job[LocalStateT]],
) -> Iterator[tuple[Done, int]]:
    """What each chunk gives, and the number of chunks in all."""
    total = chunk_count(world, options)
    plain, constant = plain_networks(networks), constant_symbols(world)
    workers = min(host_threads() if options.workers is None else options.workers, total)
    done: Iterator[Done]
    if engine_of(networks, options) == "jax":
        from nhc.supervised.check.twin import TwinEngine

        learned = LearnedModules(together(networks), world.form, world.name)
        twin: Engine[LocalStateT] = TwinEngine(truth, learned, options.modules)
        done = in_process(twin, jobs)
    elif workers == 0:
        done = in_process(FastEngine(truth, plain, constant, options.modules), jobs)
    else:
        done = over_cores(Spec(world, plain, constant, options.modules), jobs, workers)
    for one in done:
        yield one, total


def constant_symbols(world: FiniteWorld[LocalStateT]) -> NDArray[np.int64]:
    """Of each cell the symbol that a sample of states shares, -1 if they differ.

    A guess: the engine looks at every chunk whether it holds there.
    """
    sample = world.sample(random_stream(0, "constant cells"), FOLDING_SAMPLE)
    contents = world.contents(sample).astype(np.int64)
    same = (contents == contents[0]).all(axis=0)
    return np.where(same, contents[0], -1)


def follow(
    report: Report, done: Iterator[tuple[Done, int]], options: CheckOptions, on_progress: OnProgress
) -> None:
    """Add chunk after chunk to the report; it is saved now and then, and when something stops the check."""
    last = time.monotonic()
    saved = last
    try:
        for one, total in done:
            add(report, one.result)
            now = time.monotonic()
            report.seconds += now - last
            last = now
            if one.rate is not None:
                report.rates.append(one.rate)
            on_progress(report, total)
            errors = sum(tally.errors for tally in report.tallies.values())
            if options.stop_after is not None and errors >= options.stop_after:
                report.stopped = True
                return
            if now - saved > SAVE_EVERY:
                keep(report, options)
                saved = now
    except BaseException:
        keep(report, options)
        raise


def add(report: Report, result: ChunkResult) -> None:
    """Count a chunk."""
    for name, tally in result.tallies.items():
        report.tallies.setdefault(name, Tally()).add(tally)
    report.chunks += 1
    report.checked += result.states
    report.constant = report.constant if result.constant else []
    report.words = sha256((report.words + result.digest).encode())
    report.core_seconds += result.seconds
    report.flops += result.flops


def keep(report: Report, options: CheckOptions) -> None:
    """Write the progress file, if one is wanted."""
    if options.progress_file is not None:
        save_report(options.progress_file, report)

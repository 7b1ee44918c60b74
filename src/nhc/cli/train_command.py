"""`nhc train`: one run with live progress, or many seeds over the cores."""

import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Literal

import tyro

from nhc.algorithms.names import Name
from nhc.cli.parse import message, message_unless, parse, parse_numbers, parse_seeds, processes
from nhc.cli.tables import print_lines, print_table
from nhc.errors import ConfigError, Place
from nhc.evolve.config import (
    BadMemoriesConfig,
    CurriculumConfig,
    EvolutionConfig,
    NoveltyConfig,
    RestartConfig,
    TrainConfig,
)
from nhc.machine.config import MachineConfig
from nhc.runs.toml import dump_toml, load_toml
from nhc.training.presets import PRESETS, SAMPLING, merged

Flag = tyro.conf.FlagCreatePairsOff[bool]
"""An option that is off unless it is named; settings of the run can be switched either way."""
RUNS = Path("runs")
EXACT_ES = SAMPLING["exact"]["es"]


@dataclass
class TrainOptions:
    """Train a machine to search, to plan or to do something else, from random weights to a model file.

    The run directory keeps the full configuration, metrics, checkpoints, the learning curve and the model.
    The preset is the base, --config overrides it, single options override both; --dry-run prints what a run
    has then. Shown below is what `nhc train plan` begins with. Algorithms have options of their own, which
    --dry-run shows. Other runs of search and plan begin with:

    --sampling sampled: --es.population 20 --es.learning-rate 0.01 --until mastered
    --sampling sampled --fitness success, or answer: also --budget 20000 --restart.rule unsolved
        --restart.patience 1500
    --fitness success: --budget 20000 --restart.patience 1500
    --fitness answer: --budget 20000 --restart.patience 400 --es.population 100 --es.learning-rate 0.05
    --preset paper: --sampling sampled --machine.words real --machine.mix sum

    Examples:
    nhc train plan
    nhc train plan --seeds 0..14
    nhc train brackets
    nhc train search --fitness outcome --seed 3
    nhc train plan --sampling sampled
    nhc train plan --es.sigma 0.05 --budget 20000 --out runs/small-sigma
    nhc train plan --log tensorboard
    nhc train plan --resume runs/plan-seed0
    """

    task: tyro.conf.Positional[Name]
    """What is to be learned."""
    preset: Literal["default", "paper"] = "default"
    """`paper` is the literal reading: sampled, linear words, weighted sum of attentions, soft erase."""
    fitness: Literal["steps", "outcome", "success", "answer"] = "steps"
    """How much the teacher tells: every tick, the nodes made, two bits a task, or one for the answer."""
    sampling: Literal["exact", "sampled"] = "exact"
    """A batch is every task of the levels so far, or random ones as in the paper; --domain means sampled."""
    config: Path | None = None
    """TOML file with any keys of the config.toml that a run keeps."""
    seed: int = 0
    """Decides everything random."""
    seeds: str | None = None
    """Several runs, for example 0..14."""
    jobs: int | None = None
    """Runs at a time with --seeds; one a core by default."""
    domain: str = ""
    """Where sampled tasks come from: sokoban-6x6 (usual), other sizes, sliding-3x3, stacking, free-tree."""
    budget: int = 10_000
    """Iterations, learning or not."""
    batch: int = 20
    """Sampled tasks an iteration."""
    until: Literal["mastered", "certified"] = "certified"
    """When to end: as soon as the weights are proved to be the algorithm, or when all levels are solved."""
    out: Path | None = None
    """Run directory; with --seeds the folder of the run directories."""
    overwrite: Flag = False
    """Replace earlier runs in the same place."""
    resume: Path | None = None
    """Continue the run in this directory, or `latest`; with --seeds this folder of runs."""
    dry_run: Flag = False
    """Print the full configuration and stop."""
    json: Flag = False
    """One JSON object a run on stdout."""
    quiet: Flag = False
    """No progress."""
    log: Literal["none", "tensorboard"] = "none"
    """Also write event files for TensorBoard into the run directory (extra `tensorboard`)."""
    machine: MachineConfig = field(default_factory=MachineConfig)
    es: EvolutionConfig = field(default_factory=lambda: EvolutionConfig.model_validate(EXACT_ES))
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    bad_memories: BadMemoriesConfig = field(default_factory=BadMemoriesConfig)
    restart: RestartConfig = field(default_factory=RestartConfig)
    novelty: NoveltyConfig = field(default_factory=NoveltyConfig)


def run(arguments: list[str]) -> int:
    """Parse, train, report. Exit 0 if every run mastered all levels or was certified, else 1."""
    options, config = parsed(arguments)
    if options.dry_run:
        print(dump_toml(config.model_dump(mode="json")), end="")
        return 0
    summaries = [single(options, config)] if options.seeds is None else many(options, config)
    if options.json:
        print_lines(summaries)
    else:
        print_summaries(summaries)
    return 0 if all(map(succeeded, summaries)) else 1


def parsed(arguments: list[str]) -> tuple[TrainOptions, TrainConfig]:
    """Options, and the configuration they make: preset and fitness, then file, then what the line names.

    Of a run that is to be resumed, what the line does not name is what the run has.
    """
    options = parse(TrainOptions, arguments, name="train", pairs=True)
    from nhc.training.config import run_config, validated

    file = {} if options.config is None else load_toml(options.config)
    named, kept = named_settings(options, arguments), kept_config(options)
    if kept is not None:
        layers = (PRESETS[options.preset], file, named)
        return options, validated(reduce(merged, layers, kept), options.config)
    config = run_config(
        options.task, preset=options.preset, file=file, overrides=named, source=options.config
    )
    return options, config


def kept_config(options: TrainOptions) -> dict[str, object] | None:
    """The configuration of the run that is to be resumed, of several the first that was begun.

    Raises ConfigError (`run.config`) for another task, of which hardly any setting would fit.
    """
    if options.resume is None:
        return None
    from nhc.runs.directory import RunDirectory

    folders = [latest_run() if options.resume == Path("latest") else options.resume]
    if options.seeds is not None:
        folders = [options.resume / run_name(options, seed) for seed in parse_numbers(options.seeds)]
    begun = [folder for folder in folders if RunDirectory(folder).is_begun]
    if not begun:
        return None
    kept = RunDirectory.open(begun[0]).read_config()
    if kept.get("task", options.task) != options.task:
        message = f"task: {kept.get('task')} is kept, {options.task} is wanted"
        raise ConfigError("run.config", message, Place(str(begun[0])))
    return kept


def named_settings(options: TrainOptions, arguments: list[str]) -> dict[str, object]:
    """The settings of the run that the line names, as nested tables; all others are preset and file's.

    An option's value alone does not tell whether it was given: it may be given as what it is by default.
    """
    settings: dict[str, object] = {}
    for argument in arguments:
        path = argument.partition("=")[0].removeprefix("--").replace("-", "_").split(".")
        if not argument.startswith("--") or path[0] not in TrainConfig.model_fields or path == ["task"]:
            continue
        value: object = options
        names = [*path[:-1], path[-1].removeprefix("no_")] if len(path) > 1 else path
        for name in names:
            value = getattr(value, name)
        for name in reversed(names):
            value = {name: value}
        assert isinstance(value, Mapping)
        settings = merged(settings, value)
    return settings


def succeeded(summary: Mapping[str, object]) -> bool:
    """Did a run end because of what was learned?"""
    return bool(summary["mastered"] or summary.get("certified"))


def single(options: TrainOptions, config: TrainConfig) -> dict[str, object]:
    """One run in this process, shown live; returns the fields of its summary."""
    from nhc.runs.progress import progress_unless
    from nhc.training.keeping import finished_summary, resume_in_directory, summary_of, train_in_directory

    progress = progress_unless(options.quiet)
    if options.resume is None:
        path = options.out or RUNS / run_name(options, config.seed)
        message(f"Learning to {config.task}: {path}")
        result = train_in_directory(config, path, progress, overwrite=options.overwrite, log=options.log)
        return summary_of(result, path).fields()
    path = latest_run() if options.resume == Path("latest") else options.resume
    done = finished_summary(path, config)
    if done is not None:
        message(f"{path} has ended already.")
        return done.fields()
    message(f"Continuing {path}")
    return summary_of(resume_in_directory(path, progress, config, log=options.log), path).fields()


def many(options: TrainOptions, config: TrainConfig) -> list[dict[str, object]]:
    """Several seeds, one directory each, then one picture; returns the fields of their summaries."""
    from nhc.training.config import validated
    from nhc.training.jobs import Job, draw_jobs, run_jobs
    from nhc.training.keeping import Summary

    seeds = parse_seeds(options.seeds or "")
    most = processes(options.jobs)
    folder = options.resume or options.out or RUNS
    jobs = [
        Job(
            validated({**config.model_dump(), "seed": seed}),
            folder / run_name(options, seed),
            resume=options.resume is not None,
            overwrite=options.overwrite,
            log=options.log,
        )
        for seed in seeds
    ]
    workers = min(most, len(jobs))
    message(f"Learning to {config.task}: {len(jobs)} runs in {folder}, {workers} at a time")
    tell, done = message_unless(options.quiet), list[Summary]()

    def on_done(summary: Summary) -> None:
        done.append(summary)
        mean = statistics.fmean(each.wall_s for each in done)
        left = round(mean * (len(jobs) - len(done)) / workers)
        outcome = "mastered" if summary.mastered else f"reached level {summary.level}"
        outcome = "certified" if summary.certified else outcome
        tell(
            f"  seed {summary.seed}: {outcome} after {summary.learning_iterations} learning iterations, "
            f"{summary.wall_s:.0f} s; {len(done)}/{len(jobs)} done, about {left} s left"
        )

    def on_lost(job: Job) -> None:
        message(f"  seed {job.config.seed}: its worker was lost; it goes on from its last checkpoint")

    summaries = run_jobs(jobs, workers, on_done, on_lost)
    name = run_name(options, seeds[0]).rsplit("-seed", 1)[0]
    picture, _ = draw_jobs(jobs, folder / f"{name}-seeds")
    message(f"Picture: {picture}")
    return [summary.fields() for summary in summaries]


def run_name(options: TrainOptions, seed: int) -> str:
    """The directory name of a run."""
    parts: list[str] = [options.task]
    parts += [options.preset] if options.preset != "default" else []
    parts += [options.sampling] if options.sampling != "exact" else []
    parts += [options.fitness] if options.fitness != "steps" else []
    return "-".join([*parts, f"seed{seed}"])


def latest_run() -> Path:
    """The run in `runs/` that was written last. Raises ConfigError (`run.missing`) if there is none."""
    metas = sorted(RUNS.glob("*/meta.json"), key=lambda path: path.stat().st_mtime)
    if not metas:
        raise ConfigError("run.missing", f"expected a run in {RUNS}/, found none")
    return metas[-1].parent


def print_summaries(summaries: list[dict[str, object]]) -> None:
    """A row a run, and for several the median learning iterations of those that mastered all levels."""
    names = list(dict.fromkeys(name for summary in summaries for name in summary))
    rows = [[_cell(summary.get(name, False)) for name in names] for summary in summaries]
    learned = [int(str(each["learning_iterations"])) for each in summaries if succeeded(each)]
    certified = any("certified" in each for each in summaries)
    title = f"{len(learned)} of {len(summaries)} {'certified' if certified else 'mastered all levels'}"
    if learned:
        title += f"; learning iterations: median {statistics.median(learned):g}"
        title += f" ({min(learned)} to {max(learned)})" if len(learned) > 1 else ""
    print_table(title, [name.replace("_", " ") for name in names], rows)


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:,}" if isinstance(value, int) else str(value)

"""`nhc train`: one run with live progress, or many seeds over the cores."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

import tyro

from nhc.evolve.config import (
    BadMemoriesConfig,
    CurriculumConfig,
    EvolutionConfig,
    RestartConfig,
)
from nhc.machine.config import MachineConfig

EPILOG = """\
examples:
  nhc train plan
  nhc train plan --seeds 0..14 --jobs 2
  nhc train search --fitness outcome --seed 3
  nhc train plan --es.sigma 0.05 --budget 20000 --out runs/small-sigma
  nhc train plan --resume runs/plan-seed0
"""


@dataclass
class TrainOptions:
    """Train a machine to search or to plan, from random weights to a model file.

    The run directory holds the full configuration, metrics, checkpoints, the learning curve and the model.
    A preset is the base, --config overrides it, single options override both.
    """

    task: tyro.conf.Positional[Literal["search", "plan"]]
    """What is to be learned."""
    preset: Literal["default", "paper"] = "default"
    """`paper` is the literal reading: linear words, weighted sum of attentions, soft erase."""
    fitness: Literal["steps", "outcome", "success"] = "steps"
    """How much the teacher tells: every tick, the generated nodes, or two bits an episode."""
    config: Path | None = None
    """TOML file with any of the options below."""
    seed: int = 0
    seeds: str | None = None
    """Several runs, for example 0..14."""
    jobs: int | None = None
    """Runs at a time with --seeds; one a core by default."""
    domain: str = "sokoban-6x6"
    budget: int = 10_000
    """Iterations, learning or not."""
    batch: int = 20
    """Tasks an iteration."""
    out: Path | None = None
    """Run directory (with --seeds: the folder of the run directories)."""
    overwrite: bool = False
    """Replace an earlier run in the same directory."""
    resume: Path | None = None
    """Continue the run in this directory, or `latest`; with --seeds a folder of runs."""
    dry_run: bool = False
    """Print the full configuration and stop."""
    json: bool = False
    """One JSON object a run on stdout."""
    quiet: bool = False
    """No progress."""
    machine: MachineConfig = field(default_factory=MachineConfig)
    es: EvolutionConfig = field(default_factory=EvolutionConfig)
    curriculum: CurriculumConfig = field(default_factory=CurriculumConfig)
    bad_memories: BadMemoriesConfig = field(default_factory=BadMemoriesConfig)
    restart: RestartConfig = field(default_factory=RestartConfig)

"""`nhc modules show`: one state on its way through the learned data modules, as text and as a picture."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import tyro

from nhc.cli.parse import message, parse
from nhc.errors import ConfigError, InputError, Place
from nhc.runs.storage import write_text_atomically
from nhc.zoo import modules_path

if TYPE_CHECKING:  # These need NumPy, which --help does not.
    from nhc.domains.local import FiniteWorld
    from nhc.domains.registry import AnyState


@dataclass
class ModulesShowOptions:
    """Draw the data modules' workflow: the word, the local view, the local change, and the word with it.

    Everything shown is what the learned networks say; the last line tells whether the rules agree.

    Examples:
    nhc modules show modules.safetensors --sample 3 --op right
    nhc modules show modules.safetensors --state level.json --op up --svg workflow.svg
    """

    model: tyro.conf.Positional[str]
    """A file of data modules, or zoo:WORLD for those that ship."""
    state: Path | None = None
    """A task file of the model's world; its start is shown."""
    sample: int | None = None
    """The seed of a drawn state, instead of a task file; 0 by default."""
    op: Literal["up", "right", "down", "left", "nop"] = "right"
    """The operation."""
    svg: Path | None = None
    """Also write a picture."""


def run(arguments: list[str]) -> int:
    """Show the workflow. Exit 1 if it differs from the rules."""
    options = parse(ModulesShowOptions, arguments, name="modules show")
    from nhc.domains.protocol import OPS
    from nhc.supervised.files import learned_modules, load_with_world
    from nhc.supervised.workflow import columns_of, svg_of, text_of, workflow

    model, world = load_with_world(modules_path(options.model))
    learned_modules(model)  # refuses files that lack modules
    state = state_of(options, world)
    flow = workflow(world, model.networks, state, OPS.index(options.op), columns_of(world))
    print(text_of(flow))
    if options.svg is not None:
        write_text_atomically(options.svg, svg_of(flow))
        message(f"Picture: {options.svg}")
    return 1 if flow.faults else 0


def state_of(options: ModulesShowOptions, world: "FiniteWorld[AnyState]") -> "AnyState":
    """The start of a task file, or a drawn state.

    Raises ConfigError (`cli.options`) for both, InputError (`task.domain` for a task of another world, and
    the codes of `read_task`).
    """
    from nhc.streams import random_stream
    from nhc.tasks.files import read_task

    if options.state is None:
        rng = random_stream(options.sample or 0, "modules show")
        return world.sample(rng, 1)
    if options.sample is not None:
        raise ConfigError("cli.options", "expected --state or --sample, found both")
    task = read_task(options.state)
    if task.world.name != world.name:
        place = Place(str(options.state))
        raise InputError("task.domain", f"expected a task of {world.name}, found {task.world.name}", place)
    return task.start

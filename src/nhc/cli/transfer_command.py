"""`nhc transfer`: a trained machine, unchanged, on the whole curriculum of other worlds."""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import tyro

from nhc.cli.parse import message, message_unless, now_and_then, parse
from nhc.cli.tables import print_table
from nhc.errors import ConfigError
from nhc.runs.canonical import readable_json
from nhc.runs.storage import storage_error, write_text_atomically
from nhc.streams import require_seed
from nhc.zoo import DEFAULT_CHOICE

PAPER_ITERATIONS = 10_000
BATCH = 20
TARGETS = ("sokoban-permuted", "sliding-3x3", "stacking")
"""The worlds of the paper's Figure 4."""


@dataclass
class TransferOptions:
    """Run a trained machine over all curriculum levels of other worlds, with their learned data modules.

    Nothing is learned. 10,000 iterations of 20 samples, as in the paper's Figure 4, which is drawn.

    Examples:
    nhc transfer zoo:plan
    nhc transfer zoo:search --to sokoban-8x8 --iterations 2000
    nhc transfer runs/plan-seed0/model.safetensors --to sliding-3x3 stacking --out runs/transfer
    """

    model: tyro.conf.Positional[str]
    """Model file, or a name of the zoo such as zoo:plan."""
    to: tuple[str, ...] = TARGETS
    """The worlds."""
    modules: str = DEFAULT_CHOICE
    """Data modules: `learned` (those that ship; exact ones where there are none), `exact`, or a file."""
    iterations: int = PAPER_ITERATIONS
    """Batches of 20 samples."""
    seed: int = 0
    """Decides the samples."""
    out: Path | None = None
    """Folder for picture and figures; runs/transfer-TASK by default."""
    json: bool = False
    """One JSON object a world."""
    quiet: bool = False
    """No progress."""


def run(arguments: list[str]) -> int:
    """Transfer to each world and draw. Exit 1 if a sample was not solved perfectly."""
    options = parse(TransferOptions, arguments, name="transfer")
    require_seed(options.seed)
    if options.iterations < 1:
        raise ConfigError("transfer.range", f"expected at least one iteration, found {options.iterations}")
    from nhc.domains.registry import make_domain
    from nhc.model import load_model
    from nhc.planning.states import chosen_modules, computer_for
    from nhc.planning.transfer import Transfer, example_world, transfer
    from nhc.runs.figure import save_figure
    from nhc.runs.transfer_figure import Panel, transfer_figure

    model = load_model(options.model)
    domains = [make_domain(name) for name in options.to]
    tell, done, panels = message_unless(options.quiet), list[Transfer](), list[Panel]()
    for domain in domains:
        chosen = chosen_modules(options.modules, domain)
        computer = computer_for(model, domain, chosen.modules)
        tell(f"{options.model} on {domain.name}: {chosen.note}")
        note = progress(domain.name, options.iterations * BATCH, tell)
        made = transfer(computer, domain, iterations=options.iterations, seed=options.seed, on_progress=note)
        done.append(made)
        if options.json:
            print(json.dumps(made.summary()), flush=True)
        state, word = example_world(domain, options.seed)
        panels.append(
            Panel(
                title=made.modules,
                state=state,
                word=word,
                level=made.level,
                fitness=made.fitness,
                maximum=model.algorithm.maximum,
                behind=made.behind,
                note=f"{made.samples:,} samples, {made.mistakes:,} mistakes",
            )
        )
    folder = options.out or Path("runs") / f"transfer-{model.algorithm.name}"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise storage_error(folder, error) from error
    title = f"{model.algorithm.name.title()}, frozen, in other worlds"
    picture, _ = save_figure(transfer_figure(panels, title), folder / "transfer")
    summaries = [one.summary() for one in done]
    write_text_atomically(picture.with_suffix(".json"), readable_json(summaries))
    if not options.json:
        print_results(options.model, summaries)
    message(f"Picture: {picture}")
    return 1 if any(one.mistakes for one in done) else 0


def progress(world: str, total: int, tell: Callable[[str], None]) -> Callable[[int, int], None]:
    """Says now and then how far a transfer is."""
    began = time.monotonic()

    def note(samples: int, mistakes: int) -> None:
        left = (time.monotonic() - began) * (total - samples) / samples
        tell(f"  {world}: {samples:,}/{total:,} samples, {mistakes} mistakes, about {left:.0f} s left")

    return now_and_then(5.0, note)


def print_results(model: str, summaries: list[dict[str, object]]) -> None:
    """One row a world."""
    shown = {
        "world": "{world}",
        "modules": "{modules}",
        "samples": "{samples:,}",
        "mistakes": "{mistakes:,}",
        "lowest fitness": "{lowest_fitness:.2f}",
        "failure rate": "{claim}",
        "samples/s": "{samples_per_s:,}",
        "s": "{seconds:.0f}",
    }
    rows = [[form.format(**one) for form in shown.values()] for one in summaries]
    print_table(f"{model}, frozen, on the curriculum of other worlds: sampled", [*shown], rows, left=2)

"""Named starting points for a run: what a preset and a fitness mean, before any override."""

from collections.abc import Mapping

from nhc.tasks.algorithm import ALGORITHMS

PRESETS: dict[str, dict[str, object]] = {
    "default": {},
    "paper": {"machine": {"words": "real", "mix": "sum"}},
}
"""`paper` is the literal reading: linear words, soft erase, the weighted sum of attentions."""

FITNESS_DEFAULTS: dict[str, dict[str, object]] = {
    "steps": {},
    "outcome": {"domain": "free-tree"},
    "success": {"domain": "free-tree", "budget": 20_000, "restart": {"rule": "unsolved", "patience": 1_500}},
}


def preset_values(task: str, preset: str, fitness: str) -> dict[str, object]:
    """The values of a run that differ from `TrainConfig`'s defaults, as nested tables."""
    base: dict[str, object] = {
        "task": task,
        "fitness": fitness,
        "machine": {"signals": ALGORITHMS[task].signals},
    }
    return merged(merged(base, PRESETS[preset]), FITNESS_DEFAULTS[fitness])


def merged(lower: Mapping[str, object], upper: Mapping[str, object]) -> dict[str, object]:
    """Nested tables laid over each other; `upper` wins."""
    result = dict(lower)
    for name, value in upper.items():
        below = result.get(name)
        result[name] = (
            merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return result

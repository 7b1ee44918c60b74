"""Named starting points for a run: what preset, sampling and fitness mean, before any override."""

from collections.abc import Mapping

PRESETS: dict[str, dict[str, object]] = {
    "default": {},
    "paper": {"sampling": "sampled", "machine": {"words": "real", "mix": "sum"}},
}
"""`paper` is the literal reading: sampled levels, linear words, soft erase, the sum of attentions."""

SAMPLING: dict[str, dict[str, object]] = {
    "sampled": {},
    "exact": {"es": {"population": 40, "learning_rate": 0.02}},
}
"""A batch without sampling noise bears larger steps of more offspring."""

SAMPLED_BITS: dict[str, object] = {
    "domain": "free-tree",
    "budget": 20_000,
    "restart": {"rule": "unsolved", "patience": 1_500},
}
"""For one or two bits an episode."""

FITNESS: dict[tuple[str, str], dict[str, object]] = {
    ("sampled", "outcome"): {"domain": "free-tree"},
    ("sampled", "success"): SAMPLED_BITS,
    ("sampled", "answer"): SAMPLED_BITS,
    ("exact", "success"): {"budget": 20_000, "restart": {"patience": 1_500}},
    ("exact", "answer"): {
        "budget": 20_000,
        "es": {"population": 100, "learning_rate": 0.05},
        "restart": {"patience": 400},
    },
}
"""By sampling and fitness; the others have no options of their own."""


def merged(lower: Mapping[str, object], upper: Mapping[str, object]) -> dict[str, object]:
    """Nested tables laid over each other; `upper` wins."""
    result = dict(lower)
    for name, value in upper.items():
        below = result.get(name)
        result[name] = (
            merged(below, value) if isinstance(below, Mapping) and isinstance(value, Mapping) else value
        )
    return result

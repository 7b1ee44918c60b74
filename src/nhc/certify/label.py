"""The label that an answer carries: what is known about the control that gave it."""

from nhc.certify.prove import Proof, Refutation, Verdict


def control_label(verdict: Verdict) -> str:
    """One word: `proved`, `refuted` or `unproved`."""
    if isinstance(verdict, Proof):
        return "proved"
    return "refuted" if isinstance(verdict, Refutation) else "unproved"


def control_sentence(verdict: Verdict) -> str:
    """What the verdict means for a person who reads an answer."""
    if isinstance(verdict, Proof):
        return "control proved: breadth-first search on every task, whatever its size"
    if isinstance(verdict, Refutation):
        return f"control refuted: it is not the algorithm, on the free tree with {verdict.failure}"
    return f"control not proved ({verdict.reason})"

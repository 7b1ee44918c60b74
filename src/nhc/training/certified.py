"""Certificate-guided training: a proof ends the run, and the tasks that refute it are learned from.

A proof takes a fraction of a second. Sampled runs try one whenever a batch is perfect for the first time
since the weights changed, and save the thousands of perfect iterations that would make the same claim by
sampling; exact runs try one when all their levels are solved. Where weights are right and no proof is near, a
new lineage begins.
"""

from collections.abc import Callable
from dataclasses import replace

from nhc.algorithms.traces import trace_of
from nhc.certify.paths import failing_instance, verdict_label, verdict_on
from nhc.certify.prove import Undecided
from nhc.evolve.course import Course
from nhc.evolve.state import TrainState, refused
from nhc.model import Model

REFUTING_TICKS = 1_000
"""Longer tasks that refute a machine are not remembered: they would slow every batch down."""


def examiner(course: Course) -> Callable[[TrainState], TrainState]:
    """The judgement of a state's weights: certified, or with the refuting task as the only bad memory."""

    def examined(state: TrainState) -> TrainState:
        verdict = verdict_on(Model(state.parameters, course.config.machine, course.algorithm, {}))
        if verdict_label(verdict) == "proved":
            return replace(state, certified=True)
        bad, instance = state.bad, failing_instance(verdict)
        if instance is not None and (course.exact or course.config.bad_memories.enabled):
            failed = trace_of(course.algorithm, instance)
            if failed.longest <= REFUTING_TICKS:
                # A perfect batch says that older failures are mended. Among them the new one would hardly be
                # drawn before ten perfect iterations clear them all.
                bad = (bad if course.exact else bad.cleared()).remember(failed)
        if not course.exact:
            return replace(state, bad=bad)
        if isinstance(verdict, Undecided) and not verdict.close and bad is state.bad:
            return refused(course, state)
        last, as_before = course.config.last_level, bad is state.bad
        return replace(state, bad=bad, mastered=False, level=last, reached=as_before, undecided=as_before)

    return examined

"""Exact binomial bounds against slow exact arithmetic and against the definition."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nhc.statistics import label_sampled, upper_bound


def exact_tail(failures: int, n: int, p: Fraction) -> Fraction:
    """P(X <= failures), term by term, without rounding."""
    return sum((math.comb(n, x) * p**x * (1 - p) ** (n - x) for x in range(failures + 1)), start=Fraction(0))


@given(st.integers(1, 60), st.data(), st.sampled_from([0.5, 0.9, 0.95, 0.999]))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_bound_meets_its_definition(n: int, data: st.DataObject, confidence: float) -> None:
    failures = data.draw(st.integers(0, n - 1))
    bound = Fraction(upper_bound(failures, n, confidence))
    error = 1 - Fraction(confidence)
    shift = bound / 10**9
    assert exact_tail(failures, n, bound - shift) > error > exact_tail(failures, n, bound + shift)


@pytest.mark.parametrize(
    ("failures", "n", "bound"),
    [
        # By hand: 1 - 0.05^(1/n), and 0.95 for one sample.
        (0, 1, 0.95),
        (0, 1000, 0.0029912495),
        (0, 24_545_440, 1.2204764e-07),
        # From printed tables of the exact limits (the upper ends of 90 % two-sided intervals).
        (1, 10, 0.3941633),
        (2, 10, 0.5069013),
        (5, 20, 0.4555824),
        (9, 10, 0.9948838),
    ],
)
def test_known_values(failures: int, n: int, bound: float) -> None:
    assert upper_bound(failures, n) == pytest.approx(bound, rel=1e-6)


def test_zero_failures_is_the_rule_of_three() -> None:
    assert upper_bound(0, 10**9) == pytest.approx(-math.log(0.05) / 10**9, rel=1e-8)
    assert upper_bound(0, 1000) < 3 / 1000


def test_large_samples_follow_the_normal_limit() -> None:
    assert upper_bound(500_000, 1_000_000) == pytest.approx(0.5 + 1.6448536 * 0.0005, abs=2e-6)
    # Few failures in very many samples: half the 95 % quantile of chi-squared with 16 degrees of freedom.
    assert upper_bound(7, 10**8) == pytest.approx(26.2962276 / 2 / 10**8, rel=1e-6)


@given(st.integers(1, 3000), st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_bound_grows_with_failures_and_confidence_and_falls_with_samples(n: int, data: st.DataObject) -> None:
    failures = data.draw(st.integers(0, n))
    bound = upper_bound(failures, n)
    assert failures / n <= bound <= 1
    assert upper_bound(failures, n + 1) < bound or failures == n
    if failures < n:
        assert bound < upper_bound(failures + 1, n)
        assert bound < upper_bound(failures, n, 0.99)
    else:
        assert bound == 1


@pytest.mark.parametrize("case", [(-1, 5, 0.95), (6, 5, 0.95), (0, 0, 0.95), (0, 5, 1.0), (0, 5, 0.4)])
def test_what_is_no_sample(case: tuple[int, int, float]) -> None:
    with pytest.raises(ValueError):
        upper_bound(*case)


@pytest.mark.parametrize(
    ("failures", "n", "rate"),
    [
        (0, 1000, "0.30"),
        (0, 1, "95"),
        (0, 20, "14"),
        (1, 1000, "0.48"),
        (0, 24_545_440, "0.000013"),
        (3, 3, "100"),
        (0, 30, "9.6"),
    ],
)
def test_labels_round_up(failures: int, n: int, rate: str) -> None:
    expected = f"sampled: {failures} of {n} failed, failure rate <= {rate} % (one-sided 95 %)"
    assert label_sampled(failures, n) == expected


@given(st.integers(1, 10**6), st.data())
@settings(max_examples=60, deadline=None, derandomize=True)
def test_labels_never_claim_too_much(n: int, data: st.DataObject) -> None:
    failures = data.draw(st.integers(0, min(n, 50)))
    text = label_sampled(failures, n).split("<= ")[1].split(" %")[0]
    bound = 100 * Fraction(upper_bound(failures, n))
    assert bound <= Fraction(text) <= bound * Fraction(11, 10)


@pytest.mark.parametrize(("failures", "n"), [(0, 7), (1, 10), (2, 50), (9, 10), (17, 40)])
def test_the_default_bound_leaves_exactly_five_percent(failures: int, n: int) -> None:
    """The exact tail at the bound, in rationals: not 10 %, as a two-sided limit would leave at one end."""
    tail = exact_tail(failures, n, Fraction(upper_bound(failures, n)))
    assert float(tail) == pytest.approx(0.05, rel=1e-9)

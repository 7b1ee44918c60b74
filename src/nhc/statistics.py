"""What a sample without (or with few) failures says: exact binomial bounds on a failure rate.

C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934). One-sided: a claim that something works needs no lower bound.
"""

import math
from decimal import ROUND_CEILING, Decimal


def upper_bound(failures: int, n: int, confidence: float = 0.95) -> float:
    """Exact one-sided upper bound on the failure rate after `failures` in `n` independent samples.

    It is the largest rate p at which so few failures still have a probability of at least
    1 - confidence:  P(X <= failures | n, p) = 1 - confidence,  and 1 if every sample failed. Zero failures
    give 1 - (1 - confidence)^(1/n), about 3/n at 95 %. A rate above the bound would have shown more failures
    with a probability of at least `confidence`.

    In [0, 1]. Raises ValueError unless 0 <= failures <= n, n >= 1 and 0.5 <= confidence < 1.
    """
    if not 0 <= failures <= n or n < 1:
        raise ValueError(f"expected 0 <= failures <= n and n >= 1, found {failures} of {n}")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"expected a confidence in [0.5, 1), found {confidence}")
    if failures == n:
        return 1.0
    error = 1 - confidence
    if failures == 0:
        return -math.expm1(math.log(error) / n)
    return _bisect(failures, n, error)


def label_sampled(failures: int, n: int) -> str:
    """The label of a sampled claim, with the bound rounded up to two digits.

    For example `sampled: 0 of 1000 failed, failure rate <= 0.30 % (one-sided 95 %)`. Raises ValueError as
    `upper_bound` does.
    """
    bound = _round_up(100 * upper_bound(failures, n))
    return f"sampled: {failures} of {n} failed, failure rate <= {bound} % (one-sided 95 %)"


def _bisect(failures: int, n: int, error: float) -> float:
    """Halve the interval until its ends are neighbouring floats; its upper end, the careful one.

    At p = failures/n the tail is at least 1/2, at p = 1 it is 0, and it falls in between.
    """
    low, high = failures / n, 1.0
    while low < (middle := (low + high) / 2) < high:
        if _lower_tail(failures, n, middle) >= error:
            low = middle
        else:
            high = middle
    return high


def _lower_tail(failures: int, n: int, p: float) -> float:
    """P(X <= failures) for failures/n < p < 1: the terms fall from X = failures downwards."""
    log_term = math.lgamma(n + 1) - math.lgamma(failures + 1) - math.lgamma(n - failures + 1)
    term = math.exp(log_term + failures * math.log(p) + (n - failures) * math.log1p(-p))
    total, odds = term, (1 - p) / p
    for x in range(failures, 0, -1):
        # P(X = x - 1) / P(X = x) = x (1 - p) / ((n - x + 1) p)
        term *= x / (n - x + 1) * odds
        total += term
        if term < 1e-17 * total:
            break
    return total


def _round_up(percent: float) -> str:
    """Two significant digits, never less than the number."""
    exact = Decimal(percent)
    step = Decimal(1).scaleb(exact.adjusted() - 1)
    return f"{exact.quantize(step, rounding=ROUND_CEILING):f}"

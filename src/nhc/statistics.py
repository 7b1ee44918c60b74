"""What a sample without (or with few) failures says: exact binomial bounds on a failure rate.

C. J. Clopper and E. S. Pearson, "The use of confidence or fiducial limits illustrated in the case of the
binomial", Biometrika 26 (1934). One-sided: a claim that something works needs no lower bound.
"""

from decimal import ROUND_CEILING, Decimal


def upper_bound(failures: int, n: int, confidence: float = 0.95) -> float:
    """Exact one-sided upper bound on the failure rate after `failures` in `n` independent samples.

    It is the largest rate p at which so few failures still have a probability of at least
    1 - confidence:  P(X <= failures | n, p) = 1 - confidence,  and 1 if every sample failed. P is 1 - I_p,
    the regularised incomplete beta function of (failures + 1, n - failures), so p is the quantile of that
    beta distribution. Zero failures give 1 - (1 - confidence)^(1/n), about 3/n at 95 %. A rate above the
    bound would have shown more failures with a probability of at least `confidence`.

    In [0, 1]. Raises ValueError unless 0 <= failures <= n, n >= 1 and 0.5 <= confidence < 1.
    """
    if not 0 <= failures <= n or n < 1:
        raise ValueError(f"expected 0 <= failures <= n and n >= 1, found {failures} of {n}")
    if not 0.5 <= confidence < 1:
        raise ValueError(f"expected a confidence in [0.5, 1), found {confidence}")
    if failures == n:
        return 1.0
    from scipy.special import betaincinv

    return float(betaincinv(failures + 1, n - failures, confidence))


def label_sampled(failures: int, n: int) -> str:
    """The label of a sampled claim, with the bound rounded up to two digits.

    For example `sampled: 0 of 1000 failed, failure rate <= 0.30 % (one-sided 95 %)`. Raises ValueError as
    `upper_bound` does.
    """
    bound = _round_up(100 * upper_bound(failures, n))
    return f"sampled: {failures} of {n} failed, failure rate <= {bound} % (one-sided 95 %)"


def _round_up(percent: float) -> str:
    """Two significant digits, never less than the number."""
    exact = Decimal(percent)
    step = Decimal(1).scaleb(exact.adjusted() - 1)
    return f"{exact.quantize(step, rounding=ROUND_CEILING):f}"

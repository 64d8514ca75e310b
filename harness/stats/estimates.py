"""A mean with its standard error and interval; pass@k."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from harness.stats.scores import Floats, Scores, StatsError, cluster_codes


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean and how sure we are of it.

    se: standard error, clustered. low, high: a two-sided interval at `level`.
    questions, clusters: what the estimate stands on. unscored: single answers left out.
    """

    mean: float
    se: float
    low: float
    high: float
    level: float
    questions: int
    clusters: int
    unscored: int


def mean_estimate(scores: Scores, level: float = 0.95) -> Estimate:
    """Mean over questions with a clustered standard error and Student-t interval.

    Degrees of freedom are clusters − 1. Raises StatsError with fewer than two clusters.
    """
    kept = scores.scored
    return estimate_of(
        scores.means[kept],
        [cluster for cluster, keep in zip(scores.clusters, kept, strict=True) if keep],
        level,
        scores.unscored,
    )


def estimate_of(values: Floats, clusters: list[str], level: float, unscored: int) -> Estimate:
    codes = cluster_codes(clusters)
    groups = int(codes.max()) + 1 if len(codes) else 0
    if groups < 2:
        raise StatsError(f"an error needs at least two questions or clusters, not {groups}")
    mean, se = float(values.mean()), clustered_se(values, codes)
    half = t_quantile(tails(level)[1], groups - 1) * se
    return Estimate(mean, se, mean - half, mean + half, level, len(values), groups, unscored)


def clustered_se(values: Floats, codes: np.ndarray) -> float:
    """√(G/(G−1) · Σ_c (Σ_{i∈c} (x_i − x̄))²) / n: Miller's formula with the usual small-G factor.

    With every question its own cluster this is exactly s/√n.
    """
    groups = int(codes.max()) + 1
    residuals = np.bincount(codes, weights=values - values.mean(), minlength=groups)
    return float(math.sqrt(groups / (groups - 1) * np.square(residuals).sum()) / len(values))


def wilson_interval(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson's score interval for a proportion: right where n is small or p is near 0 or 1."""
    from scipy.stats import binomtest

    if not 0 <= successes <= trials or trials < 1:
        raise StatsError(f"{successes} of {trials} is not a proportion")
    tails(level)  # refuses what is no level
    interval = binomtest(successes, trials).proportion_ci(level, method="wilson")
    return float(interval.low), float(interval.high)


def bootstrap_interval(
    scores: Scores, level: float = 0.95, draws: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of the mean, resampling whole clusters (never single answers)."""
    kept = scores.scored
    clusters = [cluster for cluster, keep in zip(scores.clusters, kept, strict=True) if keep]
    return bootstrap_of(scores.means[kept], clusters, level, draws, seed)


def bootstrap_of(
    values: Floats, clusters: list[str], level: float, draws: int, seed: int
) -> tuple[float, float]:
    if len(set(clusters)) < 2 or draws < 1:
        raise StatsError("a bootstrap needs at least two questions or clusters, and one draw")
    means = bootstrap_means(values, cluster_codes(clusters), draws, seed)
    low, high = np.quantile(means, tails(level))
    return float(low), float(high)


def bootstrap_means(values: Floats, codes: np.ndarray, draws: int, seed: int) -> Floats:
    """Means of `draws` resamples of clusters. Shape (draws,). Memory stays flat in `draws`."""
    sums, sizes = np.bincount(codes, weights=values), np.bincount(codes)
    generator = np.random.default_rng(seed)
    means = np.empty(draws)
    step = max(1, 2_000_000 // len(sums))
    for start in range(0, draws, step):
        count = min(step, draws - start)
        picks = generator.integers(len(sums), size=(count, len(sums)))
        means[start : start + count] = sums[picks].sum(axis=1) / sizes[picks].sum(axis=1)
    return means


def pass_at_k(samples: int, right: int, k: int) -> float:
    """Unbiased 1 − C(n−c, k)/C(n, k) (Chen et al. 2021)."""
    if not 1 <= k <= samples:
        raise StatsError(f"pass@{k} needs k >= 1 and k scored samples a question, not {samples}")
    if not 0 <= right <= samples:
        raise StatsError(f"{right} of {samples} samples cannot be right")
    return 1.0 - math.comb(samples - right, k) / math.comb(samples, k)


def pass_at_k_estimate(scores: Scores, k: int, level: float = 0.95) -> Estimate:
    """pass@k by question, averaged, with the clustered error across questions."""
    values, clusters = [], []
    for row, cluster in zip(scores.values, scores.clusters, strict=True):
        scored = [value for value in row if value is not None]
        if scored:
            values.append(pass_at_k(len(scored), sum(value >= 1.0 for value in scored), k))
            clusters.append(cluster)
    return estimate_of(np.array(values), clusters, level, scores.unscored)


def tails(level: float) -> tuple[float, float]:
    """The two quantiles that hold `level` between them."""
    if not 0.0 < level < 1.0:
        raise StatsError(f"a level lies in (0, 1), such as 0.95, not {level:g}")
    return (1 - level) / 2, (1 + level) / 2


def t_quantile(probability: float, freedom: int) -> float:
    from scipy.stats import t

    return float(t.ppf(probability, freedom))

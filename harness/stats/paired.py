"""Is one system better than another, on the same questions?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from harness.stats.estimates import bootstrap_of, estimate_of
from harness.stats.scores import Floats, Scores, StatsError, cluster_codes

EXACT_CLUSTERS = 16  # up to 2**16 sign patterns are enumerated
ROUNDING = 1e-12  # values lie in [0, 1]: what is smaller than this is rounding, not a difference


@dataclass(frozen=True, slots=True)
class Comparison:
    """a − b over the same questions.

    p: two-sided, Student t on clustered paired differences (the sign test where all are alike).
    questions: those scored for both.
    dropped: questions that one of the two has unscored.
    """

    difference: float
    se: float
    low: float
    high: float
    level: float
    p: float
    questions: int
    clusters: int
    dropped: int

    @property
    def distinguishable(self) -> bool:
        return self.p < 1 - self.level

    def non_inferior_p(self, margin: float) -> float:
        """One-sided p of "a is worse than b by `margin` or more" (margin > 0, as the values)."""
        if not margin > 0:
            raise StatsError(f"a margin is how much worse is still good enough, not {margin:g}")
        return _upper_tail(self.difference + margin, self.se, self.clusters - 1)


def compare(a: Scores, b: Scores, level: float = 0.95, most_unscored: float = 0.05) -> Comparison:
    """Paired difference with a clustered error.

    Raises StatsError when the question sets differ, or when more than `most_unscored` of either
    system's answers are unscored: such a comparison would be about our trouble, not theirs.
    """
    differences, clusters = paired_differences(a, b, most_unscored)
    estimate = estimate_of(differences, clusters, level, 0)
    tail = _upper_tail(abs(estimate.mean), estimate.se, estimate.clusters - 1)
    return Comparison(
        difference=estimate.mean,
        se=estimate.se,
        low=estimate.low,
        high=estimate.high,
        level=level,
        p=min(1.0, 2 * tail),
        questions=len(differences),
        clusters=estimate.clusters,
        dropped=len(a.questions) - len(differences),
    )


def paired_differences(
    a: Scores, b: Scores, most_unscored: float = 0.05
) -> tuple[Floats, list[str]]:
    """a − b by question (shape (questions scored for both,)) and those questions' clusters."""
    if a.questions != b.questions:
        odd = sorted(set(a.questions) ^ set(b.questions)) or ["their order"]
        raise StatsError(
            f"the two systems answered different questions ({len(odd)} differ, e.g. {odd[0]!r})"
        )
    if a.clusters != b.clusters:
        raise StatsError("the two systems' questions are clustered differently")
    for name, scores in (("first", a), ("second", b)):
        if scores.unscored > most_unscored * scores.answers:
            raise StatsError(
                f"{scores.unscored} of {scores.answers} answers of the {name} system are unscored; "
                f"at most {most_unscored:.0%} may be: run the same command again to fill them"
            )
    both = a.scored & b.scored
    clusters = [cluster for cluster, keep in zip(a.clusters, both, strict=True) if keep]
    return (a.means - b.means)[both], clusters


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """Two-sided exact p of McNemar's test; `only_a` questions are right for a alone."""
    from scipy.stats import binomtest

    if only_a + only_b == 0:
        return 1.0
    return float(binomtest(only_a, only_a + only_b, 0.5).pvalue)


def permutation_test(a: Scores, b: Scores, draws: int = 20_000, seed: int = 0) -> float:
    """Two-sided p of a sign-flip test; whole clusters flip together. Exact up to 16 clusters."""
    differences, clusters = paired_differences(a, b)
    if not clusters or draws < 1:
        raise StatsError("a permutation test needs a question scored for both, and one draw")
    sums = np.bincount(cluster_codes(clusters), weights=differences)
    observed = abs(sums.sum())
    slack = ROUNDING * max(1.0, observed)  # sums of the same terms in another order are ties
    if len(sums) <= EXACT_CLUSTERS:
        patterns = np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1
        return float(np.mean(np.abs((1 - 2 * patterns) @ sums) >= observed - slack))
    generator, extreme = np.random.default_rng(seed), 0
    step = max(1, 2_000_000 // len(sums))
    for start in range(0, draws, step):
        signs = generator.integers(2, size=(min(step, draws - start), len(sums))) * 2 - 1
        extreme += int(np.sum(np.abs(signs @ sums) >= observed - slack))
    return (extreme + 1) / (draws + 1)


def paired_bootstrap(
    a: Scores, b: Scores, level: float = 0.95, draws: int = 10_000, seed: int = 0
) -> tuple[float, float]:
    """Percentile interval of a − b: questions are drawn once, both systems recomputed on them."""
    differences, clusters = paired_differences(a, b)
    return bootstrap_of(differences, clusters, level, draws, seed)


def holm(p_values: Sequence[float]) -> list[float]:
    """Holm's step-down adjusted p, in the order given."""
    if not all(0.0 <= p <= 1.0 for p in p_values):
        raise StatsError(f"p-values lie in [0, 1], not {list(p_values)}")
    order = sorted(range(len(p_values)), key=lambda index: p_values[index])
    adjusted, highest = [0.0] * len(p_values), 0.0
    for rank, index in enumerate(order):
        highest = max(highest, min(1.0, (len(p_values) - rank) * p_values[index]))
        adjusted[index] = highest
    return adjusted


def _upper_tail(difference: float, se: float, freedom: int) -> float:
    from scipy.stats import t

    if se < ROUNDING:  # every cluster differs alike: t is undefined, the sign test is not
        if abs(difference) < ROUNDING:
            return 0.5
        tail = 0.5 ** (freedom + 1)
        return tail if difference > 0 else 1.0 - tail
    return float(t.sf(difference / se, freedom))

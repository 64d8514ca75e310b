"""What a design can show, before anything is spent."""

from __future__ import annotations

import math

from harness.stats.scores import StatsError


def minimum_detectable_effect(
    questions: int, disagreement: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """Smallest paired difference in accuracy that `questions` one-shot pairs can show.

    disagreement: share of questions on which exactly one of the two systems is right. The
    variance of a pair is disagreement − δ², solved for δ. A result above `disagreement` cannot
    occur: such a design shows nothing.
    """
    _check(disagreement)
    _check_questions(questions)
    factor = _z_sum(alpha, power) ** 2 / questions
    return math.sqrt(factor * disagreement / (1 + factor))


def questions_needed(
    effect: float, disagreement: float, alpha: float = 0.05, power: float = 0.8
) -> int:
    """How many questions a paired difference of `effect` needs (the inverse of the MDE)."""
    _check(disagreement)
    if not 0 < effect <= disagreement:
        raise StatsError(
            f"a difference of {effect:g} cannot come from a disagreement of {disagreement:g}"
        )
    variance = disagreement - effect**2
    return max(1, math.ceil(_z_sum(alpha, power) ** 2 * variance / effect**2))


def unpaired_detectable_effect(
    questions: int, accuracy: float, alpha: float = 0.05, power: float = 0.8
) -> float:
    """The same without pairing: two independent runs at `accuracy` (what pairing saves)."""
    _check_questions(questions)
    if not 0 <= accuracy <= 1:
        raise StatsError(f"an accuracy lies in [0, 1], not {accuracy:g}")
    return _z_sum(alpha, power) * math.sqrt(2 * accuracy * (1 - accuracy) / questions)


def _z_sum(alpha: float, power: float) -> float:
    from scipy.stats import norm

    if not (0 < alpha < 1 and 0 < power < 1):
        raise StatsError(f"alpha and power lie in (0, 1), not {alpha:g} and {power:g}")
    return float(norm.ppf(1 - alpha / 2) + norm.ppf(power))


def _check(disagreement: float) -> None:
    if not 0 < disagreement <= 1:
        raise StatsError(f"the share of disagreement lies in (0, 1], not {disagreement:g}")


def _check_questions(questions: int) -> None:
    if questions < 1:
        raise StatsError(f"a design needs at least one question, not {questions}")

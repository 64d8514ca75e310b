"""Metrics beyond Inspect's own."""

from __future__ import annotations

from inspect_ai.scorer import Metric, SampleScore, Value, accuracy, metric

ERRATUM = "erratum"  # key of Sample.metadata: why a problem cannot be scored by its tests, or None


@metric
def accuracy_without_errata() -> Metric:
    """Accuracy over the problems that nobody has found to be broken."""
    over_all = accuracy()

    def compute(scores: list[SampleScore]) -> Value:
        sound = [score for score in scores if not (score.sample_metadata or {}).get(ERRATUM)]
        return over_all(sound)  # type: ignore[arg-type]

    return compute

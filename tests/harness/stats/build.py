"""Scores from plain lists, and systems whose true accuracy is known."""

from collections.abc import Sequence

import numpy as np

from harness.stats import Scores
from harness.stats.scores import Row


def scores(
    values: Sequence[float | Sequence[float | None] | None], clusters: Sequence[str] | None = None
) -> Scores:
    """Question i is named q0000i; a bare value is a single epoch."""
    rows = []
    for index, entry in enumerate(values):
        epochs = entry if isinstance(entry, Sequence) else [entry]
        cluster = None if clusters is None else clusters[index]
        rows += [Row(f"q{index:05}", epoch, v, cluster) for epoch, v in enumerate(epochs)]
    return Scores.from_rows(rows)


def one_shot(probabilities: np.ndarray, generator: np.random.Generator) -> Scores:
    """Each question answered once, right with its own probability."""
    return scores((generator.random(len(probabilities)) < probabilities).astype(float).tolist())


def clustered(
    clusters: int, size: int, generator: np.random.Generator, easy: float = 0.9, hard: float = 0.3
) -> Scores:
    """Clusters are easy or hard with even odds: true mean (easy + hard) / 2."""
    levels = np.where(generator.random(clusters) < 0.5, easy, hard)
    rights = generator.random((clusters, size)) < levels[:, None]
    names = [f"c{index}" for index in range(clusters) for _ in range(size)]
    return scores(rights.ravel().astype(float).tolist(), names)


def binomial_error(rate: float, trials: int, sigmas: float = 4.0) -> float:
    """How far a simulated rate may lie from the true one by chance alone."""
    return float(sigmas * np.sqrt(rate * (1 - rate) / trials))

"""One system's scores on one benchmark, question by question."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class StatsError(ValueError):
    """Numbers that must not be computed; the message says why."""


class Row(NamedTuple):
    """One graded sample. value: in [0, 1], None when unscored."""

    question: str
    epoch: int
    value: float | None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """Values by question, in the order of `questions`.

    values[i]: one entry an epoch, None where unscored.
    clusters[i]: what question i shares with others; its own id when it shares nothing.
    """

    questions: tuple[str, ...]
    values: tuple[tuple[float | None, ...], ...]
    clusters: tuple[str, ...]
    _means: Floats = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if not len(self.questions) == len(self.values) == len(self.clusters):
            raise StatsError("questions, values and clusters must be equally many")
        if len(set(self.questions)) != len(self.questions):
            raise StatsError("a question id stands twice; give one row per (question, epoch)")
        for question, row in zip(self.questions, self.values, strict=True):
            _check_values(question, row)
        object.__setattr__(self, "_means", np.array([_mean(row) for row in self.values], float))

    @classmethod
    def from_rows(cls, rows: Iterable[Row]) -> Scores:
        """Sorted by question id, so that the order of a log never matters."""
        by_question: dict[str, dict[int, float | None]] = {}
        clusters: dict[str, str | None] = {}
        for question, epoch, value, cluster in rows:
            epochs = by_question.setdefault(question, {})
            if epoch in epochs:
                raise StatsError(f"question {question!r} has epoch {epoch} twice")
            epochs[epoch] = value
            known = clusters.setdefault(question, cluster)
            if known != cluster:
                raise StatsError(f"question {question!r} is in two clusters: {known} and {cluster}")
        questions = tuple(sorted(by_question))
        return cls(
            questions,
            tuple(_in_order(by_question[question]) for question in questions),
            tuple(clusters[question] or question for question in questions),
        )

    @property
    def means(self) -> Floats:
        """Mean over scored epochs by question, NaN where none was. Shape (questions,)."""
        return self._means

    @property
    def scored(self) -> NDArray[np.bool_]:
        return ~np.isnan(self._means)

    @property
    def unscored(self) -> int:
        """How many single answers are unscored."""
        return sum(value is None for row in self.values for value in row)

    @property
    def answers(self) -> int:
        return sum(len(row) for row in self.values)


def cluster_codes(clusters: Iterable[str]) -> NDArray[np.intp]:
    """Each cluster's number, in order of first appearance."""
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(name, len(codes)) for name in clusters], dtype=np.intp)


def _mean(values: tuple[float | None, ...]) -> float:
    scored = [value for value in values if value is not None]
    # fsum: the same values in another order of epochs must give the same mean, to the last bit
    return math.fsum(scored) / len(scored) if scored else math.nan


def _check_values(question: str, values: tuple[float | None, ...]) -> None:
    for value in values:
        if value is not None and not 0.0 <= value <= 1.0:  # NaN fails too
            raise StatsError(
                f"question {question!r} has the value {value}: it lies in [0, 1], None if unscored"
            )


def _in_order(epochs: Mapping[int, float | None]) -> tuple[float | None, ...]:
    return tuple(epochs[epoch] for epoch in sorted(epochs))

"""What a grader says: correct, incorrect, or unscored. Never two outcomes, never an exception."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Literal

OutcomeName = Literal["correct", "incorrect", "unscored"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """One graded completion.

    outcome: ``unscored`` means trouble of *ours* (sandbox down, grader deadline, worker API
        fault): it is counted and shown, and is never a zero.
    value: in [0, 1]; ``None`` exactly when unscored.
    answer: what was read out of the completion, or ``None`` when it holds no answer.
    reason: one line, fit to be shown to a person.
    metadata: plain data for logs (never the answer key).
    """

    outcome: OutcomeName
    value: float | None
    answer: str | None
    reason: str
    metadata: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if (self.outcome == "unscored") != (self.value is None):
            raise ValueError(f"a verdict has no value exactly when unscored, not {self!r}")
        if self.value is not None and not 0.0 <= self.value <= 1.0:
            raise ValueError(f"a verdict's value lies in [0, 1], not {self.value}")

    @property
    def score(self) -> float:
        """The value as Inspect and arrays want it: NaN when unscored."""
        return math.nan if self.value is None else self.value


def correct(answer: str | None, reason: str, **metadata: Any) -> Verdict:
    return Verdict("correct", 1.0, answer, reason, metadata)


def incorrect(answer: str | None, reason: str, **metadata: Any) -> Verdict:
    return Verdict("incorrect", 0.0, answer, reason, metadata)


def unscored(reason: str, answer: str | None = None, **metadata: Any) -> Verdict:
    return Verdict("unscored", None, answer, reason, metadata)

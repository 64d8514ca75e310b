"""A stored log graded anew: no model is called, and the log stays as it is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai import score
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.scorer import Score

from harness.errors import refuse
from harness.sample import PROBLEM
from harness.scorer import graded

NAME = "graded"


@dataclass(frozen=True, slots=True)
class Change:
    """One sample whose verdict is another now."""

    sample: str
    epoch: int
    before: str
    after: str
    reason: str


@dataclass(frozen=True, slots=True)
class Regraded:
    """The log with its new scores, and what changed."""

    log: EvalLog
    changes: tuple[Change, ...]

    def write(self, path: Path) -> None:
        try:
            write_eval_log(self.log, str(path))
        except (OSError, ValueError) as error:
            refuse(f"{path}: cannot be written: {error}", error)


def regrade_log(path: Path) -> Regraded:
    """Scores a log again by the one scorer. One line for the user where it can't be."""
    if path.is_dir():
        refuse(f"{path} is a folder; name its logs, as in {path}/*.eval")
    try:
        log = read_eval_log(str(path))
    except (OSError, ValueError, KeyError) as error:
        refuse(f"{path}: cannot be read as an Inspect log: {error}", error)
    before = {_key(sample): _outcome(sample) for sample in log.samples or []}
    if not before:
        refuse(f"{path}: has no samples")
    if any(PROBLEM not in sample.metadata for sample in log.samples or []):
        refuse(f"{path}: is not of a task of this project: its samples hold no problem")
    new = _score_again(log)
    changes = []
    for sample in new.samples or []:
        after = _outcome(sample)
        if after != before[_key(sample)]:
            reason = (_score(sample) or Score(value=math.nan)).explanation or ""
            changes.append(Change(*_key(sample), before[_key(sample)], after, reason))
    return Regraded(new, tuple(changes))


def _score_again(log: EvalLog) -> EvalLog:
    """Every sample that came to its end, scored; one that ended in an error stays without score.

    What broke has said nothing, and silence would be graded as a wrong answer. No provider is
    asked for its key: the stand-in model is never called.
    """
    samples = log.samples or []
    ended = [sample for sample in samples if sample.error is None]
    new = score(
        log.model_copy(update={"samples": ended}),
        graded(),
        model="none/none",
        action="overwrite",
        display="none",
    )
    scored = {_key(sample): sample for sample in new.samples or []}
    new.samples = [scored.get(_key(sample), sample) for sample in samples]
    if new.results is not None:
        new.results.total_samples = len(samples)
    return new


def report(path: Path, result: Regraded) -> str:
    lines = [
        f"{change.sample} (epoch {change.epoch}): {change.before} → {change.after}: {change.reason}"
        for change in result.changes
    ]
    count = len(result.log.samples or [])
    lines.append(f"{path.name}: {len(result.changes)} of {count} verdicts changed")
    return "\n".join(lines)


def _key(sample: EvalSample) -> tuple[str, int]:
    return str(sample.id), sample.epoch


def _score(sample: EvalSample) -> Score | None:
    scores = sample.scores or {}
    return scores.get(NAME) or next(iter(scores.values()), None)


def _outcome(sample: EvalSample) -> str:
    """The outcome as recorded; logs of other scorers have only a value."""
    found = _score(sample)
    if found is None:
        return "no score"
    return str((found.metadata or {}).get("outcome") or _named(found.value))


def _named(value: Any) -> str:
    if isinstance(value, int | float):
        return "unscored" if math.isnan(value) else "correct" if value == 1 else "incorrect"
    return {"C": "correct", "I": "incorrect"}.get(str(value), str(value))

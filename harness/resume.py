"""Samples that were not scored, marked so that the same command runs exactly those again.

Inspect takes a sample for done once it has any score; *unscored* is one (NaN). Marking it as
invalid, by Inspect's own means, makes `inspect eval-set` and `inspect eval-retry` run it anew and
keep all others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    EvalSample,
    ProvenanceData,
    invalidate_samples,
    list_eval_logs,
    read_eval_log,
    write_eval_log,
)

from harness.errors import refuse


@dataclass(frozen=True, slots=True)
class Reopened:
    """log: its file. samples: how many are to be run again, of how many."""

    log: Path
    samples: int
    of: int


def reopen(folder: Path) -> list[Reopened]:
    """Mark the unscored samples of every finished log in `folder` (or of the one log it is).

    A sample of which no score is a number, or that ended in an error, is unscored.
    """
    names = [str(folder)] if folder.is_file() else [log.name for log in list_eval_logs(str(folder))]
    return [reopened for name in names if (reopened := _reopen(name)) is not None]


def _reopen(name: str) -> Reopened | None:
    try:
        header = read_eval_log(name, header_only=True)
        if header.status != "success":
            return None  # it is incomplete anyway: Inspect resumes it
        log = read_eval_log(name)
    except (OSError, ValueError, KeyError) as error:
        refuse(f"{name}: cannot be read as an Inspect log: {error}", error)
    samples = log.samples or []
    again = [str(sample.uuid) for sample in samples if is_unscored(sample)]
    if again:
        _invalidate(log, again, name)
    return Reopened(Path(name.removeprefix("file://")), len(again), len(samples))


def _invalidate(log: EvalLog, samples: list[str], name: str) -> None:
    why = ProvenanceData(author="harness", reason="unscored: trouble of ours, to be run again")
    write_eval_log(invalidate_samples(log, samples, why), name)


def is_unscored(sample: EvalSample) -> bool:
    """Whether no score of the sample says anything."""
    if sample.error is not None:
        return True
    values = [score.value for score in (sample.scores or {}).values()]
    return all(isinstance(value, float) and math.isnan(value) for value in values)

"""Logs of single workers as a table of scores: a row of JSON a question."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from inspect_ai.log import EvalLog, EvalSample, list_eval_logs, read_eval_log

from conductor.strict import ConfigError


def make_table(paths: Sequence[Path]) -> list[str]:
    """One line of JSON a question: problem, question, mean score and mean cost by worker.

    Raises ConfigError when no sample of the logs was answered by one worker alone.
    """
    scores: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    costs: dict[str, dict[str, list[float | None]]] = defaultdict(lambda: defaultdict(list))
    questions: dict[str, str] = {}
    for log in _logs(paths):
        for sample in log.samples or []:
            worker, value = _alone(sample), _value(sample)
            if worker is None or value is None:
                continue
            problem = f"{log.eval.task.rpartition('/')[2]}/{sample.id}"
            questions[problem] = _question(sample)
            scores[problem][worker].append(value)
            costs[problem][worker].append(_outcome(sample)["cost"])
    if not scores:
        raise ConfigError(
            "no answer of a single worker in these logs; `harness run --systems each` makes them"
        )
    return [
        json.dumps({
            "problem": problem,
            "question": questions[problem],
            "scores": {worker: math.fsum(v) / len(v) for worker, v in scores[problem].items()},
            "cost": {worker: _mean(v) for worker, v in costs[problem].items()},
        })
        for problem in scores
    ]  # fmt: skip


def _logs(paths: Sequence[Path]) -> Iterator[EvalLog]:
    for path in paths:
        names = [info.name for info in list_eval_logs(str(path))] if path.is_dir() else [str(path)]
        if not names:
            raise ConfigError(f"no log in {path}")
        for name in names:
            try:
                yield read_eval_log(name)
            except (OSError, ValueError, KeyError) as cause:
                raise ConfigError(f"{name}: no log of Inspect that can be read: {cause}") from cause


def _outcome(sample: EvalSample) -> dict[str, Any]:
    return (sample.output.metadata or {}).get("conductor") or {}


def _alone(sample: EvalSample) -> str | None:
    """The one worker that answered, if it was one call of one worker."""
    steps = [step for one in _outcome(sample).get("rounds", ()) for step in one["steps"]]
    return str(steps[0]["worker"]) if len(steps) == 1 else None


def _value(sample: EvalSample) -> float | None:
    for score in (sample.scores or {}).values():
        if isinstance(score.value, int | float) and not math.isnan(score.value):
            return float(score.value)
    return None


def _question(sample: EvalSample) -> str:
    stored = sample.metadata.get("problem")
    if isinstance(stored, dict) and isinstance(stored.get("question"), str):
        return str(stored["question"])
    return sample.input if isinstance(sample.input, str) else sample.input[-1].text


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if len(known) == len(values) else None

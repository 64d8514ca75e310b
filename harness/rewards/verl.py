"""The reward in the shape that verl calls: `compute_score`."""

from __future__ import annotations

import math
from typing import Any

from harness.grade import grade
from harness.problem import Problem
from harness.rewards.trl import run_sync


def verl_reward(
    data_source: str,
    solution_str: str,
    ground_truth: str,
    extra_info: dict[str, Any] | None = None,
    **columns: Any,
) -> dict[str, Any]:
    """`custom_reward_function.name=verl_reward`.

    ground_truth: the Problem as JSON. Returns `score` (NaN when unscored: verl has no None, and
    a zero would be a lie), `unscored` to mask by, and the answer that was read.
    """
    verdict = run_sync(grade(Problem.from_json(ground_truth), solution_str))
    unscored = verdict.value is None
    return {
        "score": math.nan if verdict.value is None else verdict.value,
        "unscored": unscored,
        "acc": verdict.value == 1.0,
        "pred": verdict.answer or "",
    }


compute_score = verl_reward  # verl's default name

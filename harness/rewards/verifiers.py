"""The reward in the shape of a rubric function of verifiers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from harness.grade import grade
from harness.problem import Problem, ProblemError
from harness.rewards.trl import Completion, text_of


async def verifiers_reward(
    completion: Completion, info: Mapping[str, Any], **arguments: Any
) -> float:
    """`Rubric(funcs=[verifiers_reward])`.

    info: the row's `info`, whose `problem` is the Problem as JSON. NaN when unscored: filter such
    rollouts; they are no zeros. Raises ProblemError where `info` holds no problem.
    """
    if "problem" not in info:
        raise ProblemError(f"`info` needs `problem`, a Problem as JSON; it has {sorted(info)}")
    verdict = await grade(Problem.from_json(info["problem"]), text_of(completion))
    return math.nan if verdict.value is None else verdict.value

"""RLPR: short free-form answers, by RLPR's own rules.

inspect eval tasks/rlpr.py --model conductor -T data=sample

The evaluation set has no address that could be verified: name your copy with -T data=PATH.
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.knowledge import RLPR, rlpr_problem
from harness.suite import suite


@task
def rlpr(data: str | None = None) -> Task:
    """-T data=PATH: a file with `question` and `answer` (or RLPR's own columns)."""
    return suite(RLPR, rlpr_problem, data)

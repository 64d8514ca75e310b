"""MATH-500: 500 problems of competition mathematics, the test split of PRM800K.

inspect eval tasks/math500.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.mathematics import MATH500, math500_problem
from harness.suite import suite


@task
def math500(data: str | None = None) -> Task:
    """-T data=PATH: your own file; `sample`: a few questions written here."""
    return suite(MATH500, math500_problem, data)

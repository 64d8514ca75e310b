"""AMC 12 of 2023: 40 problems whose answers are integers.

inspect eval tasks/amc.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.mathematics import AMC, amc_problem
from harness.suite import suite


@task
def amc(data: str | None = None) -> Task:
    """-T data=PATH: your own file; `sample`: a few questions written here."""
    return suite(AMC, amc_problem, data)

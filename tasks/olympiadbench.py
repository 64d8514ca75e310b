"""OlympiadBench, open-ended mathematics in English: 675 problems, several answers and tolerances.

inspect eval tasks/olympiadbench.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.mathematics import OLYMPIADBENCH, olympiadbench_problem
from harness.suite import suite


@task
def olympiadbench(data: str | None = None) -> Task:
    """-T data=PATH: your own file; `sample`: a few questions written here."""
    return suite(OLYMPIADBENCH, olympiadbench_problem, data)

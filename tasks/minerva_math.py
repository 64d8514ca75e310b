"""Minerva (OCWCourses): 272 problems of undergraduate science with short answers.

inspect eval tasks/minerva_math.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.mathematics import MINERVA, minerva_problem
from harness.suite import suite


@task
def minerva_math(data: str | None = None) -> Task:
    """-T data=PATH: your own file; `sample`: a few questions written here."""
    return suite(MINERVA, minerva_problem, data)

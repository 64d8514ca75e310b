"""GSM8K: 1,319 grade-school word problems.

inspect eval tasks/gsm8k.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.mathematics import GSM8K, gsm8k_problem
from harness.suite import suite


@task
def gsm8k(data: str | None = None) -> Task:
    """-T data=PATH: your own file; `sample`: a few questions written here."""
    return suite(GSM8K, gsm8k_problem, data)

"""MMLU-Pro: 12,032 questions in 14 categories, three to ten options.

inspect eval tasks/mmlu_pro.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.knowledge import MMLU_PRO, mmlu_pro_problem
from harness.suite import suite


@task
def mmlu_pro(data: str | None = None, shuffle: int | None = None) -> Task:
    """-T shuffle=SEED shows the options in another order each epoch; the default keeps theirs."""
    return suite(MMLU_PRO, mmlu_pro_problem, data, shuffle)

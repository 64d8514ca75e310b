"""MMLU: 14,042 questions on 57 subjects, four options in their own order.

inspect eval tasks/mmlu.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.knowledge import MMLU, mmlu_problem
from harness.suite import suite


@task
def mmlu(data: str | None = None, shuffle: int | None = None) -> Task:
    """-T shuffle=SEED shows the options in another order each epoch; the default keeps theirs.

    -T data=PATH reads the original headerless CSV too.
    """
    return suite(MMLU, mmlu_problem, data, shuffle)

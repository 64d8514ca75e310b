"""MMLU: 14,042 questions on 57 subjects, four options in their own order.

inspect eval tasks/mmlu.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.knowledge import MMLU, mmlu_problem, mmlu_rows
from harness.datasets.source import load_rows
from harness.suite import task_of


@task
def mmlu(data: str | None = None, shuffle: int | None = None) -> Task:
    """-T shuffle=SEED shows the options in another order each epoch; the default keeps theirs.

    -T data=PATH reads the original headerless CSV too.
    """
    loaded = load_rows(MMLU, data)
    return task_of([mmlu_problem(row) for row in mmlu_rows(list(loaded.rows))], [loaded], shuffle)

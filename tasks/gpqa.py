"""GPQA-Diamond: 198 graduate questions in physics, chemistry and biology.

inspect eval tasks/gpqa.py --model conductor -T data=sample
inspect eval tasks/gpqa.py --model openai/gpt-5 --epochs 8

-T data=PATH   your own file with the official columns; `sample` = 24 questions written here
-T seed=N      the seed of the options' order, which also changes with the epoch
"""

from __future__ import annotations

from inspect_ai import Task, task

from harness.datasets.gpqa import GPQA_DIAMOND, gpqa_problem
from harness.suite import suite


@task
def gpqa(data: str | None = None, seed: int = 0) -> Task:
    """Clusters are the three subjects; report several epochs (8 or more) for a usable error."""
    return suite(GPQA_DIAMOND, gpqa_problem, data, order_seed=seed)

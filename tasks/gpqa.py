"""GPQA-Diamond: 198 graduate questions in physics, chemistry and biology.

inspect eval tasks/gpqa.py --model conductor -T data=sample
inspect eval tasks/gpqa.py --model openai/gpt-5 --epochs 8

-T data=PATH   your own file with the official columns; `sample` = 24 questions written here
-T seed=N      the seed of the options' order, which also changes with the epoch
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.solver import generate

from harness.datasets.gpqa import GPQA_DIAMOND, gpqa_problem
from harness.datasets.source import load_rows
from harness.sample import present, to_dataset
from harness.scorer import graded


@task
def gpqa(data: str | None = None, seed: int = 0) -> Task:
    """Clusters are the three subjects; report several epochs (8 or more) for a usable error."""
    loaded = load_rows(GPQA_DIAMOND, data)
    problems = [gpqa_problem(row) for row in loaded.rows]
    return Task(
        dataset=to_dataset(problems, loaded, order_seed=seed),
        setup=present(),
        solver=generate(),
        scorer=graded(),
        metadata=loaded.provenance,
    )

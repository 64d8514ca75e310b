"""HumanEval: see harness/datasets/humaneval.py.

inspect eval tasks/humaneval.py --model conductor -T data=sample
"""

from __future__ import annotations

from inspect_ai import Task, task
from inspect_ai.solver import generate

from harness.datasets.humaneval import HUMANEVAL, humaneval_problem
from harness.datasets.source import load_rows
from harness.graders.program import require_sandbox
from harness.sample import present, to_dataset
from harness.scorer import graded


@task
def humaneval(data: str | None = None) -> Task:
    """pass@1; with `--epochs 10 --epochs-reducer pass_at_5` pass@5."""
    loaded = load_rows(HUMANEVAL, data)
    require_sandbox()
    return Task(
        dataset=to_dataset(map(humaneval_problem, loaded.rows), loaded),
        setup=present(),
        solver=generate(),
        scorer=graded(),
        metadata=loaded.provenance,
    )

"""BigCodeBench: practical functions over 139 libraries, checked by unittest cases.

inspect eval tasks/bigcodebench.py --model conductor -T data=sample
inspect eval tasks/bigcodebench.py --model openai/gpt-5 -T subset=full -T split=instruct

-T subset=hard|full        148 or 1,140 tasks
-T split=complete|instruct a docstring to complete, or the task in words
-T libraries=numpy,pandas  only tasks that need no other libraries (all without it)
-T data=PATH               a file of official rows; `sample` = a few written here
"""

from __future__ import annotations

from typing import Literal

from inspect_ai import Task, task
from inspect_ai.solver import generate

from harness.datasets.bigcodebench import BIGCODEBENCH, bigcodebench_problem, gradable
from harness.datasets.source import load_rows
from harness.errors import refuse
from harness.graders.program import require_sandbox
from harness.problem import ProblemError
from harness.sample import present, to_dataset
from harness.scorer import graded


@task
def bigcodebench(
    subset: Literal["hard", "full"] = "hard",
    split: Literal["complete", "instruct"] = "complete",
    libraries: str | list[str] | None = None,
    data: str | None = None,
) -> Task:
    """The sandbox must hold the libraries of the tasks: name them, or use the image with all."""
    if subset not in BIGCODEBENCH or split not in ("complete", "instruct"):
        refuse(f"subset={subset} must be hard or full, split={split} complete or instruct")
    loaded = load_rows(BIGCODEBENCH[subset], data)
    present_ones = libraries.split(",") if isinstance(libraries, str) else libraries
    try:
        problems = [
            bigcodebench_problem(row, split)
            for row in loaded.rows
            if present_ones is None or gradable(row, present_ones)
        ]
    except ProblemError as error:
        refuse(str(error), error)
    require_sandbox()
    return Task(
        dataset=to_dataset(problems, loaded),
        setup=present(),
        solver=generate(),
        scorer=graded(),
        metadata=loaded.provenance,
    )
